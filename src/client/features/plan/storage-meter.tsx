import { useLingui } from "@lingui/react/macro";
import type { UsageStats } from "../../../shared/api/subscriptions.ts";
import { limitText } from "../../ui/limit-text.ts";
import { Meter } from "../../ui/meter.tsx";

/** The person's used share of the plan's storage, including laudos and laboratory exams. */
export function StorageMeter({ usage }: { usage: UsageStats }) {
  const { i18n, t } = useLingui();
  return (
    <Meter
      label={t({ id: "planStrip.storage", message: "Storage" })}
      used={usage.storageUsedBytes}
      limit={usage.storageBytes}
      textOf={(bytes) => limitText(i18n, bytes)}
    />
  );
}
