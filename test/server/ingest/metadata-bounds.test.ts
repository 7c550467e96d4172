import { expect, test } from "bun:test";
import { DEFAULT_INGEST_LIMITS } from "../../../src/server/features/ingest/worker/ingest-limits.ts";
import {
  type InstanceBytes,
  ScannedUpload,
} from "../../../src/server/features/ingest/worker/scanned-upload.ts";
import { IngestRefused } from "../../../src/server/features/ingest/worker/worker.errors.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { readTaken, sampleFile } from "../../support/dicom/dicom-sample.ts";

const bytes: InstanceBytes = {
  source: "spool",
  offset: 0,
  storedBytes: 0,
  method: 0,
  sizeBytes: 0,
  crc32: 0,
  contentHash: "",
  inflateBeforeWriting: false,
};

function instanceWith(n: number, comment: string) {
  return readTaken(
    sampleFile({
      [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.${n}`] },
      "00204000": { vr: "UT", Value: [comment] },
    }),
  );
}

test("an upload with noise as metadata is refused before it fills the memory; a large genuine one is accepted", () => {
  const limits = { ...DEFAULT_INGEST_LIMITS, maxHeldMetadataBytes: 1024 * 1024 };
  const noise = (length = 60_000) =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(length))).toString("base64");
  const hostile = new ScannedUpload(limits);
  expect(() => {
    for (let n = 1; n <= 100; n++) hostile.add(instanceWith(n, noise()), bytes);
  }).toThrow(IngestRefused);
  expect(hostile.metadata.heldBytes).toBeLessThan(1.5 * 1024 * 1024);

  const honest = new ScannedUpload(limits);
  const same = noise(5_000);
  for (let n = 1; n <= 1000; n++) honest.add(instanceWith(n, same), bytes);
  expect(honest.instanceCount).toBe(1000);
});
