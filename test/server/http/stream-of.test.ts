import { expect, test } from "bun:test";
import type { ManifestInstance } from "../../../src/server/archive/manifest.ts";
import { giveUp, piecesOf } from "../../../src/server/archive/pieces.ts";
import { readSwapped } from "../../../src/server/features/dicomweb/bulk-data/swap-words.ts";
import { openCatalogue } from "../../../src/server/features/dicomweb/catalogue/open-catalogue.ts";
import type { SeriesReader } from "../../../src/server/features/dicomweb/catalogue/series-reader.ts";
import { createReadingTurns } from "../../../src/server/features/dicomweb/turns/reading-turns.ts";
import { binaryForm } from "../../../src/server/features/fhir/binary.ts";
import { joinBodies } from "../../../src/server/features/studies/download/join-bodies.ts";
import { streamOf } from "../../../src/server/http/stream-of.ts";

/** A body of four bytes that never ends, and how often it was cancelled. */
function openBody() {
  const seen = { cancelled: 0 };
  const body = new ReadableStream<Uint8Array>(
    { pull: (controller) => controller.enqueue(new Uint8Array(4)), cancel: () => void seen.cancelled++ },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

test("a body is closed if the stream of its pieces is cancelled before its first read", async () => {
  const { body, seen } = openBody();
  await streamOf(piecesOf(body), () => giveUp(body)).cancel();
  expect(seen.cancelled).toBe(1);
});

test("a body is closed once if the stream of its pieces is cancelled while it is read", async () => {
  const { body, seen } = openBody();
  const reader = streamOf(piecesOf(body), () => giveUp(body)).getReader();
  await reader.read();
  await reader.cancel();
  expect(seen.cancelled).toBe(1);
});

test("a body of swapped words is closed if nobody reads it", async () => {
  const { body, seen } = openBody();
  const words = { offset: 0, length: 8, wordBytes: 2 } as const;
  const swapped = await readSwapped(async () => body, words, { offset: 0, length: 8 });
  await giveUp(swapped);
  expect(seen.cancelled).toBe(1);
});

test("a body that is sent in turns is closed if nobody reads it", async () => {
  const { body, seen } = openBody();
  const series = { openInflated: async () => body } as unknown as SeriesReader;
  const deps = { series, readingTurns: createReadingTurns() } as Parameters<typeof openCatalogue>[0];
  const catalogue = openCatalogue(deps, { caller: { userId: "host", role: "user" }, studyIds: [] });
  await giveUp(await catalogue.openInflated({} as ManifestInstance));
  expect(seen.cancelled).toBe(1);
});

test("a PDF is closed if a client leaves before and at the first byte of its FHIR resource", async () => {
  for (const reads of [0, 1]) {
    const { body, seen } = openBody();
    const reader = binaryForm("study").answer(body, 4).body?.getReader();
    if (reads > 0) await reader?.read();
    await reader?.cancel();
    expect(seen.cancelled).toBe(1);
  }
});

test("the parts of a download are closed if a client leaves before the first byte and within the first part", async () => {
  for (const reads of [0, 1]) {
    const opened = Array.from({ length: 3 }, openBody);
    let count = 0;
    const joined = await joinBodies(opened, {
      open: async ({ body }) => {
        count++;
        return body;
      },
      bytesOf: () => 4,
    });
    const reader = joined.getReader();
    if (reads > 0) await reader.read();
    await reader.cancel();
    expect(opened.map(({ seen }) => seen.cancelled)).toEqual(opened.map((_, at) => (at < count ? 1 : 0)));
  }
});

test("a download ends its list of parts if the first one can't be opened", async () => {
  let isEnded = false;
  function* parts() {
    try {
      yield 1;
      yield 2;
    } finally {
      isEnded = true;
    }
  }
  const open = async (): Promise<Uint8Array> => {
    throw new RangeError("lost");
  };
  await expect(joinBodies(parts(), { open, bytesOf: () => 4 })).rejects.toThrow("lost");
  expect(isEnded).toBe(true);
});
