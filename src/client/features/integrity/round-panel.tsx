import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { IntegritySummary, ScrubRound } from "../../../shared/api/integrity.ts";
import { ShieldAlertIcon, ShieldCheckIcon } from "../../ui/icons.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { limitText } from "../../ui/text/limit-text.ts";
import { dayText } from "../../ui/text/moment-text.ts";

/** The state of the whole archive, and how far the present round is. */
export function RoundPanel({ summary }: { summary: IntegritySummary | undefined }) {
  if (!summary) {
    return (
      <section className="panel integrity-round" aria-busy="true">
        <Skeleton className="h-7 w-64" />
        <Skeleton className="mt-3 w-full" />
      </section>
    );
  }
  const { round, openFindings } = summary;
  const isSound = openFindings === 0;
  return (
    <section className={`panel integrity-round ${isSound ? "is-ok" : "is-bad"}`}>
      <h2>
        {isSound ? <ShieldCheckIcon /> : <ShieldAlertIcon />}
        {isSound ? (
          <Trans id="integrity.noChange">No change</Trans>
        ) : (
          <Plural
            id="integrity.openFindings"
            value={openFindings}
            one="# file needs attention"
            other="# files need attention"
          />
        )}
      </h2>
      <p>
        <WhenRead summary={summary} />
      </p>
      {round && <Progress round={round} />}
    </section>
  );
}

function WhenRead({ summary: { scrubDays, round, pastRounds } }: { summary: IntegritySummary }) {
  const { i18n, t } = useLingui();
  const [last] = pastRounds;
  const shown = round ?? last;
  if (scrubDays === 0)
    return (
      <Trans id="integrity.off">
        Stored files are not read again by themselves: SCRUB_DAYS is 0. Each file is still checked when it is
        opened.
      </Trans>
    );
  if (!shown) return <Trans id="integrity.soon">The first round begins within a minute.</Trans>;
  const since = dayText(shown.startedAt);
  const files = t({
    id: "integrity.filesRead",
    message: plural(shown.objectsRead, { one: "# file", other: "# files" }),
  });
  const days = i18n.number(scrubDays);
  return (
    <Trans id="integrity.readSince">
      Read and compared since {since}: {files}. Each one is read again within {days} days.
    </Trans>
  );
}

function Progress({ round }: { round: ScrubRound }) {
  const { i18n, t } = useLingui();
  const { bytesRead, bytesTotal, dueAt } = round;
  const percent = bytesTotal === 0 ? 100 : Math.floor((bytesRead / bytesTotal) * 100);
  const [read, total] = [limitText(i18n, bytesRead), limitText(i18n, bytesTotal)];
  const due = dayText(dueAt);
  const text = t({ id: "integrity.progress", message: `${percent} % of this round · ${read} of ${total}` });
  return (
    <>
      <div
        className="meter-rule"
        role="progressbar"
        aria-label={t({ id: "integrity.round", message: "This round" })}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={text}
        style={{ "--meter-percent": percent }}
      />
      <p className="integrity-facts">
        <span>{text}</span>
        <span>
          <Trans id="integrity.due">by {due} at the latest</Trans>
        </span>
      </p>
    </>
  );
}
