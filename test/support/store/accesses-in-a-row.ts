import type { FaultyS3Server } from "./faulty-s3-server.ts";

const ACCESS_MS = 80;
/** How long an access is held for another one to come. */
const HELD_MS = 2_000;

/** How many accesses to a store that is far `work` takes, and how many of them come one after the other, each after the end of another. */
export async function accessesOf(
  s3: FaultyS3Server,
  work: () => Promise<unknown>,
): Promise<{ count: number; inARow: number }> {
  const spans: { from: number; to: number }[] = [];
  s3.pause = async () => {
    const from = performance.now();
    await Bun.sleep(ACCESS_MS);
    spans.push({ from, to: performance.now() });
  };
  try {
    await work();
  } finally {
    s3.pause = async () => {};
  }
  let inARow = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (const { from, to } of spans) {
    if (from < last) continue;
    inARow++;
    last = to;
  }
  return { count: spans.length, inARow };
}

/** Whether two accesses of `work` to a store are under way together: each is held until another one comes, or for a moment. */
export async function comeTogether(s3: FaultyS3Server, work: () => Promise<unknown>): Promise<boolean> {
  const { promise: areTwo, resolve } = Promise.withResolvers<void>();
  let underWay = 0;
  let isSeen = false;
  s3.pause = async () => {
    if (++underWay > 1) {
      isSeen = true;
      resolve();
    }
    await Promise.race([areTwo, Bun.sleep(HELD_MS)]);
    underWay--;
  };
  try {
    await work();
  } finally {
    s3.pause = async () => {};
  }
  return isSeen;
}
