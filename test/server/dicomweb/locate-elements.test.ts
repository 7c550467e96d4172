import { describe, expect, test } from "bun:test";
import type { ManifestInstance } from "../../../src/server/archive/manifest.ts";
import type { Deps } from "../../../src/server/deps.ts";
import { locateElements } from "../../../src/server/features/dicomweb/bulk-data/locate-elements.ts";
import { createElementFinder } from "../../../src/server/features/dicomweb/bulk-data/worker/element-finder.ts";
import type { ElementRequest } from "../../../src/server/features/dicomweb/bulk-data/worker/element-messages.ts";
import type { SeriesReader } from "../../../src/server/features/dicomweb/catalogue/series-reader.ts";
import { tooManyReads } from "../../../src/server/features/dicomweb/dicomweb.errors.ts";
import type { ByteRange } from "../../../src/server/storage/object-store.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { JPEG_BASELINE, readTaken, sampleFile } from "../../support/dicom/dicom-sample.ts";
import { until } from "../../support/until.ts";

const GIB = 1024 * 1024 * 1024;
const long = new Uint8Array(2_000).fill(7);
const elements = {
  "00091001": { vr: "OB", bytes: long },
  "00091003": { vr: "SQ", Value: [{ "00282000": { vr: "OB", bytes: long } }] },
};
const PATHS = ["00091001", "00091003.1.00282000"];

/** An instance, said to be as large as that, with what is read of it. */
function instanceOf(file: Uint8Array, sizeBytes = file.length) {
  const { frames, transferSyntaxUID } = readTaken(file);
  const reads: ByteRange[] = [];
  const series = {
    async read(_: unknown, range: ByteRange) {
      reads.push(range);
      return file.subarray(range.offset, range.offset + range.length);
    },
  } as SeriesReader;
  // Nothing is searched by the other process.
  const deps = { series, searcher: { callerId: "ana" } } as Parameters<typeof locateElements>[0];
  return { deps, instance: { frames, transferSyntaxUID, sizeBytes } as ManifestInstance, reads };
}

test.each([
  ["native", sampleFile(elements)],
  [
    "encapsulated",
    sampleFile(
      { ...elements, [TagHex.PixelData]: { vr: "OB", fragments: [long] } },
      { transferSyntaxUID: JPEG_BASELINE },
    ),
  ],
])(
  "values before %s pixel data are found in what stands before these, however large the file is",
  async (_what, file) => {
    const { deps, instance, reads } = instanceOf(file, GIB);
    const located = await locateElements(deps, instance, PATHS);
    for (const location of located) {
      const { offset = 0, length = 0 } = location ?? {};
      expect(Buffer.from(file.subarray(offset, offset + length)).equals(long)).toBe(true);
    }
    const pixels = instance.frames.kind === "native" ? instance.frames.offset : file.length - 2_000 - 8;
    expect(reads).toEqual([{ offset: 0, length: pixels }]);
  },
);

test("values behind the pixel data, and these themselves, are sought in the whole file", async () => {
  const trailer = "FFFCFFFC";
  const file = sampleFile({ ...elements, [trailer]: { vr: "OB", bytes: long } });
  const { deps, instance, reads } = instanceOf(file);
  const located = await locateElements(deps, instance, [...PATHS, TagHex.PixelData, "00091009", trailer]);
  expect(located.map((location) => location?.length)).toEqual([2_000, 2_000, 8, undefined, 2_000]);
  expect(reads.map(({ length }) => length).at(-1)).toBe(file.length);
  const large = instanceOf(file, GIB);
  const found = await locateElements(large.deps, large.instance, [TagHex.PixelData, ...PATHS]);
  expect(found.map((location) => location?.length)).toEqual([undefined, 2_000, 2_000]);
});

describe("what is searched by a process of its own", () => {
  const file = sampleFile({
    "00091001": { vr: "OB", bytes: new Uint8Array(600 * 1024) },
    [TagHex.PixelData]: { vr: "OW" },
  });

  /** A finder that answers when it is told to, with the files that are there meanwhile. */
  function slowFinder() {
    const finder = createElementFinder({ log: { warn: () => {} } });
    const files = { now: 0, most: 0 };
    const answer = Promise.withResolvers<void>();
    const deps = {
      series: { open: async () => file } as unknown as SeriesReader,
      scratch: {
        async spool() {
          files.most = Math.max(files.most, ++files.now);
          return { path: "", sizeBytes: file.length, [Symbol.asyncDispose]: async () => void files.now-- };
        },
      } as unknown as Deps["scratch"],
      elements: {
        ...finder,
        async find({ tagPaths }: ElementRequest, signal: AbortSignal) {
          const aborted = new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason)),
          );
          await Promise.race([answer.promise, aborted]);
          return tagPaths.map(() => undefined);
        },
      },
    };
    const instance = { frames: { kind: "none" }, sizeBytes: file.length } as ManifestInstance;
    const locate = (callerId: string, maxWaitMs?: number) =>
      locateElements({ ...deps, searcher: { callerId } }, instance, PATHS, maxWaitMs);
    return { locate, files, answer };
  }

  test("is written to few files at once, of which an account has some", async () => {
    const { locate, files, answer } = slowFinder();
    const own = Array.from({ length: 20 }, () => locate("ana"));
    await until(() => files.now === 2);
    const others = ["bia", "caio"].map((callerId) => locate(callerId));
    await until(() => files.now === 3);
    answer.resolve();
    expect(await Promise.all([...own, ...others])).toHaveLength(22);
    expect(files).toEqual({ now: 0, most: 3 });
  });

  test("is asked by so many at once that others find a place: who has 32 gets no more", async () => {
    const { locate, files, answer } = slowFinder();
    const own = Promise.allSettled(Array.from({ length: 40 }, () => locate("ana")));
    await until(() => files.now === 2);
    const other = locate("bia");
    answer.resolve();
    const refused = (await own).filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(8);
    expect(refused[0]).toMatchObject({ reason: { kind: tooManyReads, options: { retryAfterSeconds: 5 } } });
    expect(await other).toHaveLength(PATHS.length);
    expect(files.now).toBe(0);
    expect(await Promise.all(Array.from({ length: 32 }, () => locate("ana")))).toHaveLength(32);
  });

  test("is 503 with Retry-After while others' searches take too long, and no failure for the log", async () => {
    const { locate, files } = slowFinder();
    for (const asked of await Promise.allSettled(Array.from({ length: 4 }, () => locate("ana", 50))))
      expect(asked).toMatchObject({
        status: "rejected",
        reason: { kind: tooManyReads, options: { retryAfterSeconds: 5 } },
      });
    expect(files.now).toBe(0);
  });
});
