import { expect, test } from "bun:test";
import { ManifestTooLarge } from "../../../src/server/archive/manifest.errors.ts";
import type { ManifestInstance } from "../../../src/server/archive/manifest.ts";
import { decodeManifestIndex, encodeManifest } from "../../../src/server/archive/manifest-codec.ts";
import { encodeHealed, movedTo } from "../../../src/server/features/ingest/worker/healed-entries.ts";

test("a series as large as any can be healed, though it then forgets who delivered it", async () => {
  const instanceOf = (number: number): ManifestInstance => ({
    ...{
      sopInstanceUID: `2.25.1${number}`,
      sopClassUID: "1.2.840.10008.5.1.4.1.1.2",
      instanceNumber: number,
    },
    ...{ transferSyntaxUID: "1.2.840.10008.1.2.1", rows: 512, columns: 512 },
    ...{
      volumeId: Bun.randomUUIDv7(),
      dataOffset: number,
      storedBytes: 1,
      sizeBytes: 1,
      method: 0,
      crc32: 1,
    },
    ...{ frames: { kind: "none" }, contentHash: "0".repeat(64) },
  });
  const instances = Array.from({ length: 44_000 }, (_, number) => instanceOf(number));
  const place = { volumeId: Bun.randomUUIDv7(), dataOffset: 7, storedBytes: 1, method: 0 } as const;
  const contentOf = (some: ManifestInstance[]) => ({
    manifest: {
      version: 1 as const,
      studyInstanceUID: "2.25.1",
      seriesInstanceUID: "2.25.1.1",
      instances: some,
    },
    metadataOf: () => Buffer.from("{}"),
  });
  const healed = instances.map((instance) => movedTo(instance, place));
  expect((await encodeManifest(contentOf(instances))).length).toBeGreaterThan(0);
  await expect(encodeManifest(contentOf(healed))).rejects.toBeInstanceOf(ManifestTooLarge);
  const { instances: kept } = decodeManifestIndex(await encodeHealed(contentOf(healed)));
  expect([kept.length, kept.every(({ formerVolumeIds }) => formerVolumeIds === undefined)]).toEqual([
    44_000,
    true,
  ]);
  const few = decodeManifestIndex(
    await encodeHealed(contentOf(instances.slice(0, 2).map((one) => movedTo(one, place)))),
  );
  expect(few.instances.map(({ formerVolumeIds }) => formerVolumeIds)).toEqual(
    instances.slice(0, 2).map(({ volumeId }) => [volumeId]),
  );
});
