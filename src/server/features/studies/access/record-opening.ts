import { LRUCache } from "lru-cache";
import type { Deps } from "../../../deps.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import type { Session } from "../../../http/session.ts";
import { aboutStudy, recordAudit } from "../../audit/audit.repo.ts";
import type { StudyRow } from "../studies.table.ts";

interface Opening {
  /** Milliseconds since 1970. */
  at: number;
  /** Whether reading recorded it, and no viewer has been opened since. */
  isByReading: boolean;
  recorded: Promise<void>;
}

type Deed = [deps: Pick<Deps, "db" | "clock">, session: Session, study: StudyRow, origin: RequestOrigin];

/** One session's reading of one study within this time is one opening. */
const READING_MS = 3600_000;
/** A viewer asks for its token and its first image at once. */
const TOGETHER_MS = 10_000;

/** The last opening by session and study, as this process recorded it. If one is forgotten, the next request records another. */
const openings = new LRUCache<string, Opening>({ max: 10_000 });

/** Records that a session opens a viewer, unless it began to read the study just now. Nothing may be shown before it resolves. */
export async function recordOpening(...deed: Deed): Promise<void> {
  const { last, now } = lastOpening(...deed);
  if (!last?.isByReading || Math.abs(now - last.at) > TOGETHER_MS)
    return record(deed, { isByReading: false });
  last.isByReading = false;
  await last.recorded;
}

/**
 * Records that a session reads a study without a viewer, unless it opened or read it within an hour. Nothing may be answered before
 * it resolves.
 */
export async function recordReading(...deed: Deed): Promise<void> {
  const { last, now } = lastOpening(...deed);
  // An opening that has yet to come is of a clock that was ahead, and was set back.
  if (!last || Math.abs(now - last.at) > READING_MS) return record(deed, { isByReading: true });
  await last.recorded;
}

function lastOpening(...[{ clock }, session, study]: Deed): { last: Opening | undefined; now: number } {
  return { last: openings.get(keyOf(session, study)), now: clock.now().getTime() };
}

async function record(
  [{ db, clock }, session, study, origin]: Deed,
  { isByReading }: Pick<Opening, "isByReading">,
): Promise<void> {
  const key = keyOf(session, study);
  const at = clock.now();
  const recorded = recordAudit(db, {
    at,
    action: "study.opened",
    actorId: session.userId,
    ...aboutStudy(study),
    ...origin,
  });
  const opening = { at: at.getTime(), isByReading, recorded };
  openings.set(key, opening);
  try {
    await recorded;
  } catch (error) {
    // Requests that wait for this entry fail with it; later ones record their own.
    if (openings.peek(key) === opening) openings.delete(key);
    throw error;
  }
}

function keyOf(session: Session, study: StudyRow): string {
  return `${session.id} ${study.id}`;
}
