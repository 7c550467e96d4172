import { expect, test } from "bun:test";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import type { StoredMetadata } from "../../../src/server/features/dicomweb/dicomweb.catalogue.ts";
import { MetadataCutter } from "../../../src/server/features/dicomweb/metadata/metadata-cutter.ts";

const SIZE_BYTES = 700_000;
const metadata = Uint8Array.from({ length: SIZE_BYTES }, (_, place) => Math.imul(place, 2654435761) >>> 24);
const stored = { open: async () => zstdCompressSync(metadata) } as unknown as StoredMetadata;

test("ranges behind each other are cut as they lie, and those beyond the end are undefined", async () => {
  const gap = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200_000 }));
  const length = fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 300_000 }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(gap, length), { maxLength: 12 }), async (wanted) => {
      await using cutter = new MetadataCutter(stored);
      let end = 0;
      for (const [skipped, length] of wanted) {
        const offset = end + skipped;
        end = offset + length;
        const expected = end > SIZE_BYTES ? undefined : metadata.subarray(offset, end);
        const cut = await cutter.cut({ offset, length });
        expect(cut?.length).toBe(expected?.length);
        expect(Buffer.compare(cut ?? Buffer.of(), expected ?? Buffer.of())).toBe(0);
      }
    }),
    { numRuns: 200 },
  );
});
