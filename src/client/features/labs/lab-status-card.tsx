import { Trans, useLingui } from "@lingui/react/macro";
import type { LabStats } from "../../../shared/api/labs.ts";
import { isNearLimit } from "../../../shared/rules/subscription.ts";
import { TriangleAlertIcon } from "../../ui/icons.tsx";
import { Meter } from "../../ui/meter.tsx";
import { countText } from "../../ui/text/count-text.ts";
import { planNameText } from "../plan/plan-name.ts";
import { SeePlans } from "../plan/subscription-link.tsx";
import { useLabStats } from "./use-labs.ts";

/** The person's plan and what is left of it for laboratory exams; renders nothing without a plan. */
export function LabStatusCard() {
  const { i18n, t } = useLingui();
  const { data } = useLabStats();
  if (!data) return null;
  const planName = planNameText(i18n, data.planName);
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
      <LimitWarning stats={data} />
    </section>
  );
}

/** From 80 % of a limit on, names the limit that is nearly reached and links to the plans. */
function LimitWarning({ stats }: { stats: LabStats }) {
  const { i18n } = useLingui();
  const { currentLabExamCount, labExamLimit, labActionUsagePercentage: percent } = stats;
  const [examsKept, examsMost] = [currentLabExamCount, labExamLimit].map((count) => countText(i18n, count));
  const isActionsNear = isNearLimit(stats.labActionsThisMonth, stats.labActionLimit);
  if (!isActionsNear && !isNearLimit(currentLabExamCount, labExamLimit)) return null;
  return (
    <div className="notice is-warn lab-warning" role="status">
      <TriangleAlertIcon small />
      {isActionsNear ? (
        <Trans id="labs.warning">You have used {percent}% of this month's laboratory actions.</Trans>
      ) : (
        <Trans id="labs.examsNear">
          You keep {examsKept} of the {examsMost} laboratory exams of your plan.
        </Trans>
      )}
      <SeePlans />
    </div>
  );
}
