import { Plural, useLingui } from "@lingui/react/macro";
import { limitText } from "../../ui/text/limit-text.ts";

interface PlanLimitsProps {
  /** Class of each of the three limits. */
  className?: string;
  plan: { examLimit: number; downloadDeleteLimit: number; storageBytes: number };
}

/** The limits of a plan: exams, storage and actions. */
export function PlanLimits({ className, plan }: PlanLimitsProps) {
  const { i18n } = useLingui();
  const { examLimit, downloadDeleteLimit, storageBytes } = plan;
  return (
    <>
      <span className={className}>
        <Plural id="subscription.exams" value={examLimit} one="Up to # exam" other="Up to # exams" />
      </span>
      <span className={className}>
        <Plural
          id="subscription.actions"
          value={downloadDeleteLimit}
          one="# action a month"
          other="# actions a month"
        />
      </span>
      <span className={className}>{limitText(i18n, storageBytes)}</span>
    </>
  );
}
