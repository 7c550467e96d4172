import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ScrubRound } from "../../../shared/api/integrity.ts";
import { limitText } from "../../ui/text/limit-text.ts";
import { dayText } from "../../ui/text/moment-text.ts";

/** When the archive was read, how much of it, and what was found. */
export function PastRounds({ rounds }: { rounds: ScrubRound[] | undefined }) {
  if (!rounds || rounds.length === 0) {
    return (
      <p className="panel none-found" aria-busy={rounds === undefined}>
        <Trans id="integrity.noRounds">No round has ended yet.</Trans>
      </p>
    );
  }
  return (
    <section className="panel">
      <ul className="integrity-rows is-rounds">
        {rounds.map((round) => (
          <PastRound key={round.startedAt} round={round} />
        ))}
      </ul>
    </section>
  );
}

function PastRound({ round }: { round: ScrubRound }) {
  const { i18n } = useLingui();
  const { startedAt, finishedAt, objectsRead, bytesRead, findings } = round;
  const [start, end] = [dayText(startedAt), dayText(finishedAt ?? startedAt)];
  return (
    <li>
      <b>
        <Trans id="integrity.roundDays">
          {start} to {end}
        </Trans>
      </b>
      <span>
        <Plural id="integrity.files" value={objectsRead} one="# file" other="# files" /> ·{" "}
        {limitText(i18n, bytesRead)}
      </span>
      <span className={findings > 0 ? "integrity-bad" : "integrity-ok"}>
        {findings > 0 ? (
          <Plural id="integrity.roundFindings" value={findings} one="# finding" other="# findings" />
        ) : (
          <Trans id="integrity.noChange">No change</Trans>
        )}
      </span>
    </li>
  );
}
