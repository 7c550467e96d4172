import { Trans } from "@lingui/react/macro";
import { FREE_REFUSAL_DAYS } from "../../../../shared/api/deliveries.ts";
import { addDays } from "../../../../shared/rules/days.ts";
import { serverNow } from "../../../calls/server-clock.ts";

/** Whether what a clinic delivered at `receivedAt` (ISO 8601) may still be deleted without using an action. */
export function isFreeToRefuse(receivedAt: string): boolean {
  return serverNow() < addDays(new Date(receivedAt), FREE_REFUSAL_DAYS).getTime();
}

export function FreeRefusal() {
  return (
    <p className="study-cost">
      <Trans id="study.delete.refusal">
        A clinic delivered this exam. Within 7 days, deleting it uses no action.
      </Trans>
    </p>
  );
}
