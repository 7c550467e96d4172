import { expect, test } from "bun:test";
import { ManifestTooLarge } from "../../../src/server/archive/manifest.errors.ts";
import {
  decodeManifestIndex,
  encodeManifest,
  relabelManifest,
} from "../../../src/server/archive/manifest-codec.ts";
import { MAX_INDEX_BYTES } from "../../../src/server/archive/manifest-weight.ts";

const LABEL = {
  at: "2026-03-14T10:00:00.000Z",
  accountId: "a",
  emailHash: "b",
  studyId: "c",
  createdAt: "2026-03-14T10:00:00.000Z",
  overrides: { patientName: "Maria" },
};

test("a label with which a manifest could not be read again is not written", async () => {
  const manifest = {
    version: 1 as const,
    studyInstanceUID: "1.2",
    seriesInstanceUID: "1.2.3",
    instances: [],
  };
  const bytes = await encodeManifest({ manifest, metadataOf: () => new Uint8Array() });
  expect(decodeManifestIndex(await relabelManifest(bytes, LABEL)).label).toEqual(LABEL);
  const large = { ...LABEL, overrides: { patientName: "M".repeat(MAX_INDEX_BYTES) } };
  await expect(relabelManifest(bytes, large)).rejects.toBeInstanceOf(ManifestTooLarge);
});
