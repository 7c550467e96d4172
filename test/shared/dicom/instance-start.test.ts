import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { writeInstance } from "../../../src/server/dicom/write-instance.ts";
import { mayBeInstance } from "../../../src/shared/dicom/instance-start.ts";
import {
  DEFLATED,
  EXPLICIT_BIG_ENDIAN,
  EXPLICIT_LITTLE_ENDIAN,
  SAMPLE_ELEMENTS as elements,
  IMPLICIT_LITTLE_ENDIAN,
  sampleFile,
  skipReason,
} from "../../support/dicom/dicom-sample.ts";

const PROBE_BYTES = 1024;
const samples = process.env.DICOM_SAMPLES;

const files = [EXPLICIT_LITTLE_ENDIAN, IMPLICIT_LITTLE_ENDIAN, EXPLICIT_BIG_ENDIAN, DEFLATED].flatMap(
  (transferSyntaxUID) => [
    sampleFile({}, { transferSyntaxUID }),
    sampleFile({}, { transferSyntaxUID }).subarray(128),
    writeInstance({ transferSyntaxUID, elements, preamble: false }),
    ...(transferSyntaxUID === DEFLATED
      ? []
      : [writeInstance({ transferSyntaxUID, elements, preamble: false, fileMeta: false })]),
  ],
);

describe("a file that the browser's first check rejects is not DICOM to the server either", () => {
  test("in any encoding", () => {
    expect(files.filter((file) => skipReason(file) !== undefined)).toEqual([]);
    expect(files.filter((file) => !mayBeInstance(file.subarray(0, PROBE_BYTES)))).toEqual([]);
  });

  test("whatever its first bytes are", () => {
    const edits = fc.array(fc.tuple(fc.nat(140), fc.nat(255)), { maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...files), edits, fc.nat(300), (file, changes, lengthBytes) => {
        const edited = file.slice(0, lengthBytes < 150 ? lengthBytes : file.length);
        for (const [at, value] of changes) if (at < edited.length) edited[at] = value;
        if (!mayBeInstance(edited.subarray(0, PROBE_BYTES))) expect(skipReason(edited)).toBe("not_dicom");
      }),
      { numRuns: 2000 },
    );
  });

  test.skipIf(!samples)("of real files", () => {
    const folder = samples ?? "";
    const denied = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
      .filter((bytes) => !mayBeInstance(bytes.subarray(0, PROBE_BYTES)));
    expect(denied.map((bytes) => skipReason(bytes)).filter((reason) => reason !== "not_dicom")).toEqual([]);
  });
});
