import { DAY_MS } from "../../../shared/units.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { heldByAnotherNode } from "../../http/http.errors.ts";
import { describeError } from "../../runtime/log.ts";
import { StoreUnavailable } from "../../storage/object-store.ts";
import { checkObject, sourcesOf } from "../checking/check-object.ts";
import { forgetFindings } from "../checking/findings.repo.ts";
import type { Damage } from "../checking/integrity.ts";
import { noteDamage } from "../checking/note-damage.ts";
import { nodeCheckQueue } from "../holding-queues.ts";
import type { ObjectOwner, OwnedObject } from "../object-owners.ts";
import type { ObjectDeps } from "../reading/open-object.ts";
import { createPace, type Pace, paceOf } from "./pace.ts";
import { createRefusedObject, type RefusedObject } from "./refused-object.ts";
import {
  findLastRound,
  forgetRounds,
  insertRound,
  lockRounds,
  moveRound,
  moveToSetBackClock,
} from "./scrub-rounds.repo.ts";
import type { ScrubRound } from "./scrub-rounds.table.ts";

export type ScrubDeps = ObjectDeps & Pick<Deps, "jobs" | "config" | "meters" | "elapsedMs">;

/** A round reads at the speed at which it ends in this part of SCRUB_DAYS, so that a server that was off catches up. */
const PLANNED_PART = 0.8;
const OBJECTS_AT_ONCE = 100;
/** A turn ends after this time; the next one begins each minute. */
const TURN_MS = 50_000;
/** Rounds and closed findings are kept for so long. */
const HISTORY_DAYS = 730;

/**
 * Reads the part of the archive that is due: each object once within SCRUB_DAYS, evenly spread. The round and its place are in the
 * database, so the next turn continues where this one ends, on whichever node. It never deletes bytes.
 * @param refused kept from turn to turn
 * @throws {StoreUnavailable} which does not mean that objects are damaged; the next turn tries again
 */
export async function scrubArchive(
  deps: ScrubDeps,
  signal: AbortSignal,
  refused: RefusedObject = createRefusedObject(),
): Promise<void> {
  let round = await roundInForce(deps);
  if (!round) return;
  const endsAt = performance.now() + TURN_MS;
  const pace = createPace(deps, paceOf(round.bytesTotal, plannedMs(deps)));
  while (performance.now() < endsAt) {
    signal.throwIfAborted();
    const page = await nextObjects(deps, round);
    if (page.length === 0) {
      const next = afterStage(deps, round);
      await settleLast(deps, round);
      if (!(await moveRound(deps.db, round, next))) return;
      if (next.finishedAt) return await endRound(deps, next);
      round = next;
      continue;
    }
    for (const object of page) {
      if (performance.now() >= endsAt || isAhead(deps, round)) return;
      const next = await scrubObject(deps, round, object, { pace, signal, refused });
      if (!next) return;
      round = next;
    }
  }
}

/** As {@link scrubArchive}; a turn that fails is logged only, because the next one begins within a minute where it ended. */
export async function takeScrubTurn(
  deps: ScrubDeps,
  signal: AbortSignal,
  refused: RefusedObject,
): Promise<void> {
  try {
    await scrubArchive(deps, signal, refused);
  } catch (error) {
    deps.log.warn("integrity.scrub_stopped", describeError(error));
  }
}

/** The unfinished round, or a new one if the last began SCRUB_DAYS ago. */
async function roundInForce(deps: ScrubDeps): Promise<ScrubRound | undefined> {
  const { db, config, clock, owners } = deps;
  if (config.scrubDays === 0) return undefined;
  return await db.transaction(async (tx) => {
    await lockRounds(tx);
    const startedAt = clock.now();
    await moveToSetBackClock(tx, startedAt);
    const last = await findLastRound(tx);
    if (last && !last.finishedAt) return last;
    if (last && startedAt.getTime() - last.startedAt.getTime() < config.scrubDays * DAY_MS) return undefined;
    const totals = [await owners.studies.measure(tx), await owners.labExams.measure(tx)];
    return await insertRound(tx, {
      id: Bun.randomUUIDv7(),
      startedAt,
      movedAt: startedAt,
      objectsTotal: totals.reduce((sum, { objects }) => sum + objects, 0),
      bytesTotal: totals.reduce((sum, { bytes }) => sum + bytes, 0),
    });
  });
}

function plannedMs({ config }: Pick<Deps, "config">): number {
  return config.scrubDays * DAY_MS * PLANNED_PART;
}

/** Whether the round has read what it planned to have read by now. */
function isAhead(deps: ScrubDeps, round: ScrubRound): boolean {
  const part = (deps.clock.now().getTime() - round.startedAt.getTime()) / plannedMs(deps);
  if (part >= 1) return false;
  return round.bytesRead >= part * round.bytesTotal && round.objectsRead >= part * round.objectsTotal;
}

function ownerIn({ owners }: Pick<Deps, "owners">, { stage }: Pick<ScrubRound, "stage">): ObjectOwner {
  return stage === "studies" ? owners.studies : owners.labExams;
}

async function nextObjects(deps: ScrubDeps, round: ScrubRound): Promise<OwnedObject[]> {
  const { ownerId, objectId } = round;
  const after = ownerId !== null && objectId !== null ? { ownerId, objectId } : undefined;
  return await ownerIn(deps, round).listObjects(deps.db, after, OBJECTS_AT_ONCE);
}

interface ReadingOptions {
  pace: Pace;
  signal: AbortSignal;
  refused: RefusedObject;
}

/** Reads one object and moves the round on; returns `undefined` if another node moved it meanwhile. */
async function scrubObject(
  deps: ScrubDeps,
  round: ScrubRound,
  object: OwnedObject,
  options: ReadingOptions,
): Promise<ScrubRound | undefined> {
  if (round.ownerId !== object.ownerId) await settleLast(deps, round);
  const found = await readWhereHeld(deps, object, options);
  const next: ScrubRound = {
    ...round,
    objectsRead: round.objectsRead + 1,
    bytesRead: round.bytesRead + object.sizeBytes,
    findings: round.findings + (found ? 1 : 0),
    ownerId: object.ownerId,
    objectId: object.id,
    movedAt: deps.clock.now(),
  };
  return (await moveRound(deps.db, round, next)) ? next : undefined;
}

/** Has the node that holds staged bytes read them: the whole study, since that node can also read what the store has. */
async function readWhereHeld(
  deps: ScrubDeps,
  object: OwnedObject,
  { pace, signal, refused }: ReadingOptions,
): Promise<Damage | undefined> {
  try {
    return await checkObject(deps, object, { signal, pause: (bytes) => pace.take(bytes, signal) });
  } catch (error) {
    if (error instanceof StoreUnavailable && refused.isGivenUp(object.id, deps.elapsedMs()))
      return await giveUp(deps, object);
    if (!(error instanceof AppError && error.kind === heldByAnotherNode)) throw error;
    const { ownerId: studyId, stagedOn } = object;
    if (stagedOn !== null)
      await deps.jobs.enqueue(nodeCheckQueue(stagedOn), { studyId }, { singletonKey: studyId });
    return undefined;
  }
}

/**
 * Records an object that the store refuses as missing, so that the round goes on and the admin knows. A later read that succeeds
 * closes the finding.
 * @throws {StoreUnavailable} if the store as a whole is out of reach
 */
async function giveUp(deps: ScrubDeps, object: OwnedObject): Promise<Damage | undefined> {
  await sourcesOf(deps).store.check();
  return (await noteDamage(deps, object, "missing")) ? "missing" : undefined;
}

/** Records on the exam that all its objects were read. */
async function settleLast(deps: ScrubDeps, round: ScrubRound): Promise<void> {
  if (round.ownerId !== null) await ownerIn(deps, round).settleRead(deps.db, round.ownerId, deps.clock.now());
}

function afterStage({ clock }: Pick<Deps, "clock">, round: ScrubRound): ScrubRound {
  const movedAt = clock.now();
  if (round.stage === "studies")
    return { ...round, stage: "labExams", ownerId: null, objectId: null, movedAt };
  return { ...round, movedAt, finishedAt: movedAt };
}

async function endRound(deps: ScrubDeps, { objectsRead, findings, startedAt }: ScrubRound): Promise<void> {
  deps.log.info("integrity.scrubbed", { objects: objectsRead, findings });
  const before = new Date(startedAt.getTime() - HISTORY_DAYS * DAY_MS);
  await forgetRounds(deps.db, before);
  await forgetFindings(deps.db, before);
}
