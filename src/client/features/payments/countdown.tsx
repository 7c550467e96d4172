import { Trans } from "@lingui/react/macro";
import { ClockIcon } from "../../ui/entry-icons.tsx";
import { clockText } from "../../ui/text/clock-text.ts";

const SOON_MS = 5 * 60_000;

/** The time left to pay the Pix. */
export function Countdown({ leftMs }: { leftMs: number }) {
  return (
    <div className={`pix-countdown ${leftMs <= SOON_MS ? "is-warn" : ""}`}>
      <ClockIcon small />
      <span>
        <Trans id="pix.expiresIn">Expires in</Trans>
      </span>
      <b role="timer">{clockText(leftMs, { minuteDigits: 2 })}</b>
    </div>
  );
}
