import type { FaultyS3Server } from "./faulty-s3-server.ts";

const ACCESS_MS = 25;

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
