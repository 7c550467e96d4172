import { useLingui } from "@lingui/react/macro";
import type { UsageStats } from "../../../shared/api/subscriptions.ts";
import { Meter } from "../../ui/meter.tsx";
import { limitText } from "../../ui/text/limit-text.ts";

/** What is used of the person's plan: exams, the month's actions, and storage, laudos and laboratory exams included. */
export function PlanMeters({ usage }: { usage: UsageStats }) {
  const { i18n, t } = useLingui();
  return (
    <>
      <Meter
        label={t({ id: "planStrip.exams", message: "Exams" })}
        used={usage.currentExamCount}
        limit={usage.examLimit}
      />
      <Meter
        label={t({ id: "planStrip.actions", message: "Actions this month" })}
        used={usage.totalActionsThisMonth}
        limit={usage.actionLimit}
      />
      <Meter
        label={t({ id: "planStrip.storage", message: "Storage" })}
        used={usage.storageUsedBytes}
        limit={usage.storageBytes}
        textOf={(bytes) => limitText(i18n, bytes)}
      />
    </>
  );
}
