import { Plural } from "@lingui/react/macro";

interface PlanLimitsProps {
  /** Of each of the two. */
  className?: string;
  plan: { examLimit: number; downloadDeleteLimit: number };
}

/** How much a plan holds, and how often one may act. */
export function PlanLimits({ className, plan: { examLimit, downloadDeleteLimit } }: PlanLimitsProps) {
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
    </>
  );
}
