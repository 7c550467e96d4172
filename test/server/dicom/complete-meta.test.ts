import { describe, expect, test } from "bun:test";
import { completeMeta } from "../../../src/server/dicom/complete-meta.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { EXPLICIT_LITTLE_ENDIAN, readTaken, sampleFile } from "../../support/dicom/dicom-sample.ts";

const CT = "1.2.840.10008.5.1.4.1.1.2";
const WRITTEN = { transferSyntaxUID: EXPLICIT_LITTLE_ENDIAN, sopClassUID: CT, sopInstanceUID: "2.25.30" };
const whole = sampleFile();
/** Where the data set begins, and with it the part of the file that never changes. */
const dataSet = sampleFile({}, { preamble: false, fileMeta: false });

function completed(file: Uint8Array): Buffer {
  const { before, after } = completeMeta(file, WRITTEN) ?? {};
  expect(Buffer.from(before ?? []).equals(file.subarray(0, before?.length))).toBe(true);
  return Buffer.concat([after ?? new Uint8Array(), file.subarray(before?.length)]);
}

describe("a file of the media storage", () => {
  test.each([
    ["a bare data set", dataSet],
    ["a file without preamble and prefix", whole.subarray(132)],
    ["a file with a prefix but no preamble", whole.subarray(128)],
    ["a file with preamble and prefix alone", Buffer.concat([whole.subarray(0, 132), dataSet])],
    [
      "a file that names another syntax",
      sampleFile({ [TagHex.TransferSyntaxUID]: { vr: "UI", Value: ["1.2.840.10008.1.2.2"] } }),
    ],
  ])("is made of %s", (_, file) => {
    const made = completed(file);
    expect(made.equals(whole)).toBe(true);
    // The group length counts the bytes behind it.
    expect(made.readUInt32LE(140) + 144).toBe(made.length - dataSet.length);
    expect(readTaken(made).transferSyntaxUID).toBe(EXPLICIT_LITTLE_ENDIAN);
  });

  test("is left as it is if it is one", () => {
    expect(completeMeta(whole, WRITTEN)).toBeUndefined();
  });

  test("keeps what else its File Meta Information says", () => {
    const own = {
      [TagHex.ImplementationClassUID]: { vr: "UI", Value: ["1.2.3.4"] },
      "00020016": { vr: "AE", Value: ["SENDER"] },
    };
    expect(completed(sampleFile(own, { preamble: false })).equals(sampleFile(own))).toBe(true);
  });

  test.each([
    ["nothing", new Uint8Array()],
    ["a head that ends within File Meta Information", whole.subarray(132, 180)],
  ])("is not made of %s", (_, head) => {
    const made = completeMeta(head, WRITTEN);
    if (head.length > 0) expect(made).toBeUndefined();
    else expect(made?.before.length).toBe(0);
  });
});
