import { version } from "../../../package.json";
import type { Deps } from "../deps.ts";
import { describeError } from "../runtime/log.ts";
import { DiskFull, type DiskRoom } from "../storage/disk/disk-room.ts";
import { recordBeat } from "./nodes.repo.ts";
import { watchJumps } from "./watch-jumps.ts";

const BEAT_MS = 30_000;
/** A gap longer than two missed beats: this node was stopped, or the database was out of reach, perhaps for all nodes. */
const PAUSE_SECONDS = 90;

const platform = `${process.platform} ${process.arch} bun ${Bun.version}`;

/**
 * Beats once, and looks at the database's clock. Returns since when each beat came so soon after the one before that no other node can
 * have taken this one for dead in between.
 */
export async function beat({
  db,
  disk,
  store,
  node,
  databaseClock,
}: Pick<Deps, "db" | "disk" | "store" | "node" | "databaseClock">): Promise<Date> {
  const { id, bootId } = node;
  await databaseClock.follow(db);
  // A disk that can't be read is told by health; the node is alive all the same.
  const space = await disk.space().catch(() => undefined);
  const told = space && { disk: { ...space, takesBytes: await takesBytes(disk) } };
  const storeRefusal = store.refusal?.();
  const beat = { id, bootId, platform, version, pauseSeconds: PAUSE_SECONDS, storeRefusal, ...told };
  return await recordBeat(db, beat);
}

async function takesBytes(disk: DiskRoom): Promise<boolean> {
  try {
    await disk.check();
    return true;
  } catch (error) {
    return error instanceof DiskFull;
  }
}

/**
 * Beats at once and then regularly until it is disposed. A failed beat is only logged: the node's other work fails or stays
 * valid without it. `onRevival` runs after a pause in which other nodes may have taken this one for dead, and once more after the next
 * beat if it fails.
 */
export async function startBeating(
  deps: Pick<Deps, "db" | "disk" | "store" | "node" | "log" | "databaseClock">,
  onRevival: () => Promise<void>,
  { everyMs = BEAT_MS }: { everyMs?: number } = {},
): Promise<AsyncDisposable> {
  let timer: Timer | undefined;
  let isStopped = false;
  let beating: Promise<void> = Promise.resolve();

  let isFirst = true;
  /** Since when no other node can have emptied this one's queues; a later beat that tells another time, even one whose answer is lost, was a revival. */
  let workedSinceMs: number | undefined;

  async function beatOnce(): Promise<void> {
    const isStart = isFirst;
    isFirst = false;
    try {
      const steadySinceMs = (await beat(deps)).getTime();
      if (steadySinceMs === workedSinceMs) return;
      if (!isStart) {
        deps.log.warn("node.revived", {});
        await onRevival();
      }
      workedSinceMs = steadySinceMs;
    } catch (error) {
      deps.log.warn("node.beat_failed", describeError(error));
    }
  }

  function schedule(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      beating = beatOnce().then(schedule);
    }, everyMs);
    timer.unref();
  }

  await beatOnce();
  schedule();
  const jumps = watchJumps(deps);
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true;
      clearTimeout(timer);
      await jumps[Symbol.asyncDispose]();
      await beating;
    },
  };
}
