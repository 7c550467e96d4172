import { Trans, useLingui } from "@lingui/react/macro";
import { TriangleAlertIcon } from "../../ui/icons.tsx";
import { Meter } from "../../ui/meter.tsx";
import { useLabStats } from "./use-labs.ts";

const WARN_AT_PERCENT = 80;

/** The person's plan and what is left of it for laboratory exams; nothing where there is no plan. */
export function LabStatusCard() {
  const { t } = useLingui();
  const { data } = useLabStats();
  if (!data) return null;
  const { planName, labActionUsagePercentage: percent } = data;
  return (
    <section
      className="panel lab-status"
      aria-label={t({ id: "planStrip.label", message: "Subscription status" })}
    >
      <b className="lab-plan">
        <Trans id="planStrip.plan">{planName} plan</Trans>
      </b>
      <Meter
        label={t({ id: "labs.count", message: "Laboratory exams" })}
        used={data.currentLabExamCount}
        limit={data.labExamLimit}
      />
      <Meter
        label={t({ id: "planStrip.actions", message: "Actions this month" })}
        used={data.labActionsThisMonth}
        limit={data.labActionLimit}
      />
      {percent >= WARN_AT_PERCENT && (
        <p className="notice is-warn lab-warning" role="status">
          <TriangleAlertIcon small />
          <Trans id="labs.warning">You have used {percent}% of this month's laboratory actions.</Trans>
        </p>
      )}
    </section>
  );
}
