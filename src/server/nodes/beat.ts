import { version } from "../../../package.json";
import type { Deps } from "../deps.ts";
import { describeError } from "../runtime/log.ts";
import { DiskFull, type DiskRoom } from "../storage/disk/disk-room.ts";
import { recordBeat } from "./nodes.repo.ts";

const BEAT_MS = 30_000;
/** A gap longer than two missed beats: this node was stopped, or the database was out of reach, perhaps for all nodes. */
const PAUSE_SECONDS = 90;

const platform = `${process.platform} ${process.arch} bun ${Bun.version}`;

/**
 * Beats once, and looks at the database's clock. Returns whether the last beat was so recent that no other node can have taken this one
 * for dead.
 */
export async function beat({
  db,
  disk,
  node,
  databaseClock,
}: Pick<Deps, "db" | "disk" | "node" | "databaseClock">): Promise<boolean> {
  const { id, bootId } = node;
  await databaseClock.follow(db);
  // A disk that can't be read is told by health; the node is alive all the same.
  const space = await disk.space().catch(() => undefined);
  const told = space && { disk: { ...space, takesBytes: await takesBytes(disk) } };
  return await recordBeat(db, { id, bootId, platform, version, pauseSeconds: PAUSE_SECONDS, ...told });
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
 * valid without it. `onRevival` runs after a pause in which other nodes may have taken this one for dead.
 */
export async function startBeating(
  deps: Pick<Deps, "db" | "disk" | "node" | "log" | "databaseClock">,
  onRevival: () => Promise<void>,
): Promise<AsyncDisposable> {
  let timer: Timer | undefined;
  let isStopped = false;
  let beating: Promise<void> = Promise.resolve();

  let isFirst = true;

  async function beatOnce(): Promise<void> {
    try {
      const isSteady = await beat(deps);
      if (!isSteady && !isFirst) {
        deps.log.warn("node.revived", {});
        await onRevival();
      }
      isFirst = false;
    } catch (error) {
      deps.log.warn("node.beat_failed", describeError(error));
    }
  }

  function schedule(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      beating = beatOnce().then(schedule);
    }, BEAT_MS);
    timer.unref();
  }

  await beatOnce();
  schedule();
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true;
      clearTimeout(timer);
      await beating;
    },
  };
}
