import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import type { ManifestInstance, SeriesManifest } from "../../../src/server/archive/manifest.ts";
import { ReadAhead } from "../../../src/server/features/dicomweb/read-ahead.ts";
import { type LentBytes, ownBytes } from "../../../src/server/runtime/lent-bytes.ts";
import { METHOD_DEFLATED, METHOD_STORED } from "../../../src/shared/zip/zip-format.ts";

const KEY = "token studies/1/series/2";

function instanceOf(sopInstanceUID: string, method: number = METHOD_STORED): ManifestInstance {
  const frames = { kind: "native", offset: 100, frameCount: 2, frameBytes: 8 };
  return { sopInstanceUID, method, sizeBytes: 116, frames } as unknown as ManifestInstance;
}

/** A caller who was allowed a series at 0 ms, and what is read of it. */
function createAllowed() {
  const manifest = { instances: [instanceOf("1.1"), instanceOf("1.2", METHOD_DEFLATED)] } as SeriesManifest;
  const clock = { nowMs: 0 };
  const reads: { length: number; reading: PromiseWithResolvers<LentBytes> }[] = [];
  const bytes = {
    borrow: (_instance: ManifestInstance, { length }: { length: number }) => {
      const reading = Promise.withResolvers<LentBytes>();
      reads.push({ length, reading });
      return reading.promise;
    },
  };
  const readAhead = new ReadAhead(() => clock.nowMs);
  readAhead.remember(KEY, bytes, manifest);
  const [instance = instanceOf("")] = manifest.instances;
  return { readAhead, manifest, instance, clock, reads };
}

/** As the driver writes a statement. */
async function statementIsSent(): Promise<void> {
  for (let round = 0; round < 3; round++) await setImmediate();
}

function lentOnce() {
  const released: true[] = [];
  return { lent: { ...ownBytes(new Uint8Array(8)), release: () => void released.push(true) }, released };
}

test("a frame is read once the statement is on its way, and goes to the request that began it", async () => {
  const { readAhead, instance, reads } = createAllowed();
  const ahead = readAhead.begin(KEY, "1.1", 1);
  expect(reads.length).toBe(0);
  await statementIsSent();
  const { lent, released } = lentOnce();
  reads[0]?.reading.resolve(lent);
  expect(await ahead?.take(instance, 1)).toBe(lent);
  ahead?.[Symbol.dispose]();
  await statementIsSent();
  expect(released).toEqual([]);
});

test("what a refused request read ahead is given back", async () => {
  const { readAhead, reads } = createAllowed();
  const ahead = readAhead.begin(KEY, "1.1", 0);
  await statementIsSent();
  ahead?.[Symbol.dispose]();
  const { lent, released } = lentOnce();
  reads[0]?.reading.resolve(lent);
  await statementIsSent();
  expect(released).toEqual([true]);
});

test("a frame of another version of the series is not taken", async () => {
  const { readAhead, reads } = createAllowed();
  using ahead = readAhead.begin(KEY, "1.1", 0);
  await statementIsSent();
  reads[0]?.reading.resolve(lentOnce().lent);
  expect(await ahead?.take(instanceOf("1.1"), 0)).toBeUndefined();
});

test("nothing is read ahead for a request that is answered before", async () => {
  const { readAhead, instance, reads } = createAllowed();
  const ahead = readAhead.begin(KEY, "1.1", 0);
  expect(await ahead?.take(instance, 0)).toBeUndefined();
  ahead?.[Symbol.dispose]();
  await statementIsSent();
  expect(reads.length).toBe(0);
});

test("only a stored frame of a series that the same caller was allowed a moment ago is read ahead", () => {
  const { readAhead, clock } = createAllowed();
  expect(readAhead.begin("other token studies/1/series/2", "1.1", 0)).toBeUndefined();
  expect(readAhead.begin(KEY, "1.9", 0)).toBeUndefined();
  expect(readAhead.begin(KEY, "1.1", 2)).toBeUndefined();
  expect(readAhead.begin(KEY, "1.1", -1)).toBeUndefined();
  expect(readAhead.begin(KEY, "1.2", 0)).toBeUndefined();
  clock.nowMs = 10_001;
  expect(readAhead.begin(KEY, "1.1", 0)).toBeUndefined();
});

test("two frames are read ahead at once, and a place is free again however a read ends", async () => {
  const { readAhead, reads } = createAllowed();
  const both = [readAhead.begin(KEY, "1.1", 0), readAhead.begin(KEY, "1.1", 1)];
  expect(readAhead.begin(KEY, "1.1", 0)).toBeUndefined();
  await statementIsSent();
  for (const ahead of both) ahead?.[Symbol.dispose]();
  expect(readAhead.begin(KEY, "1.1", 0)).toBeUndefined();
  reads[0]?.reading.resolve(lentOnce().lent);
  reads[1]?.reading.reject(new Error("damaged"));
  await statementIsSent();
  const free = [readAhead.begin(KEY, "1.1", 0), readAhead.begin(KEY, "1.1", 0)];
  expect(free.map((ahead) => ahead !== undefined)).toEqual([true, true]);
});

test("a damaged frame fails for the request that takes it", async () => {
  const { readAhead, instance, reads } = createAllowed();
  using ahead = readAhead.begin(KEY, "1.1", 0);
  await statementIsSent();
  reads[0]?.reading.reject(new Error("damaged"));
  await expect(ahead?.take(instance, 0)).rejects.toThrow("damaged");
});
