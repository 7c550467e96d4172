import { useLingui } from "@lingui/react/macro";
import type { UsageStats } from "../../../shared/api/subscriptions.ts";
import { limitText } from "../../ui/limit-text.ts";
import { Meter } from "../../ui/meter.tsx";

/** What the person keeps, laudos and laboratory exams included, of what the plan holds. */
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
