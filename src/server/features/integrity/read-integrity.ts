import type { IntegritySummary, ScrubRound as ShownRound } from "../../../shared/api/integrity.ts";
import { DAY_MS } from "../../../shared/units.ts";
import type { Deps } from "../../deps.ts";
import { countOpenFindings } from "../../holdings/checking/findings.repo.ts";
import { findLastRound, listFinishedRounds } from "../../holdings/scrubbing/scrub-rounds.repo.ts";
import type { ScrubRound } from "../../holdings/scrubbing/scrub-rounds.table.ts";

const SHOWN_ROUNDS = 12;

/** How far the reading of the archive is, and what it found. */
export async function readIntegrity({ db, config }: Pick<Deps, "db" | "config">): Promise<IntegritySummary> {
  const { scrubDays } = config;
  const [last, past, open] = await Promise.all([
    findLastRound(db),
    listFinishedRounds(db, SHOWN_ROUNDS),
    countOpenFindings(db),
  ]);
  const isRunning = scrubDays > 0 && last !== undefined && last.finishedAt === null;
  return {
    scrubDays,
    round: isRunning ? shown(last, scrubDays) : null,
    pastRounds: past.map((round) => shown(round, scrubDays)),
    openFindings: open.damaged + open.missing,
  };
}

/** Exams may be added and deleted while a round runs, so it may read more or less than there was at its beginning. */
function shown(round: ScrubRound, scrubDays: number): ShownRound {
  const { startedAt, finishedAt, objectsRead, objectsTotal, bytesRead, bytesTotal, findings } = round;
  return {
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    dueAt: new Date(startedAt.getTime() + scrubDays * DAY_MS).toISOString(),
    objectsRead,
    objectsTotal: Math.max(objectsTotal, objectsRead),
    bytesRead,
    bytesTotal: Math.max(bytesTotal, bytesRead),
    findings,
  };
}
