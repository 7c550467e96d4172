import { expect, test } from "bun:test";
import type { ManifestInstance } from "../../../src/server/archive/manifest.ts";
import type { Deps } from "../../../src/server/deps.ts";
import { locateElements } from "../../../src/server/features/dicomweb/bulk-data/locate-elements.ts";
import type { SeriesReader } from "../../../src/server/features/dicomweb/catalogue/series-reader.ts";
import type { ByteRange } from "../../../src/server/storage/object-store.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { JPEG_BASELINE, readTaken, sampleFile } from "../../support/dicom-sample.ts";

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
  const deps = { series } as Pick<Deps, "series" | "scratch" | "elements">;
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
