import { describe, expect, test } from "bun:test";
import { locateBulkData } from "../../../src/server/dicom/bulk-data.ts";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import {
  EXPLICIT_BIG_ENDIAN,
  EXPLICIT_LITTLE_ENDIAN,
  IMPLICIT_LITTLE_ENDIAN,
  JPEG_BASELINE,
  readTaken,
  sampleFile,
} from "../../support/dicom/dicom-sample.ts";

function metadataOf(elements: DicomElements, transferSyntaxUID = EXPLICIT_LITTLE_ENDIAN) {
  const { metadata } = readTaken(sampleFile(elements, { transferSyntaxUID }));
  return JSON.parse(JSON.stringify(metadata));
}

const NUMBERS: DicomElements = {
  "00189219": { vr: "SS", Value: [-32768, 7] },
  "00186020": { vr: "SL", Value: [-2147483648] },
  "00280009": { vr: "AT", Value: ["00181063", "7FE00010"] },
  "00720082": { vr: "SV", Value: [-9007199254740991n, 9007199254740993n] },
  "00720083": { vr: "UV", Value: [12, 18446744073709551615n] },
  "00089459": { vr: "FL", Value: [0.5, Number.NaN, Number.POSITIVE_INFINITY] },
  "00081163": { vr: "FD", Value: [0.1, Number.NEGATIVE_INFINITY] },
  "00280030": { vr: "DS", Value: ["1.20", " -3e-2", "1e999", "1,5", ""] },
  "00281052": { vr: "DS", Value: ["0x10"] },
  "00200012": { vr: "IS", Value: ["+4"] },
};

test.each([EXPLICIT_LITTLE_ENDIAN, EXPLICIT_BIG_ENDIAN, IMPLICIT_LITTLE_ENDIAN])(
  "numbers of %s become JSON numbers if JSON can represent them",
  (transferSyntaxUID) => {
    const json = metadataOf(NUMBERS, transferSyntaxUID);
    expect(json["00189219"]).toEqual({ vr: "SS", Value: [-32768, 7] });
    expect(json["00186020"]).toEqual({ vr: "SL", Value: [-2147483648] });
    expect(json["00280009"]).toEqual({ vr: "AT", Value: ["00181063", "7FE00010"] });
    expect(json["00720082"]).toEqual({ vr: "SV", Value: [-9007199254740991, "9007199254740993"] });
    expect(json["00720083"]).toEqual({ vr: "UV", Value: [12, "18446744073709551615"] });
    expect(json["00089459"]).toEqual({ vr: "FL", Value: [0.5, null, null] });
    expect(json["00081163"]).toEqual({ vr: "FD", Value: [0.1, null] });
    expect(json["00280030"]).toEqual({ vr: "DS", Value: [1.2, -0.03, "1e999", "1,5", null] });
    expect(json["00281052"]).toEqual({ vr: "DS", Value: ["0x10"] });
    expect(json["00200012"]).toEqual({ vr: "IS", Value: [4] });
  },
);

test("text is trimmed by its VR, empty values are null, and an element without values has no Value", () => {
  const json = metadataOf({
    "00080008": { vr: "CS", Value: ["ORIGINAL ", "", " AXIAL"] },
    "00104000": { vr: "LT", Value: ["  a\\b \r\n c  "] },
    "00080054": { vr: "AE", Value: [] },
    "00181030": { vr: "LO", Value: ["   "] },
    "00080090": { vr: "PN", Value: ["Yamada^Tarou=山田^太郎=", "^^"] },
  });
  expect(json["00080008"].Value).toEqual(["ORIGINAL", null, "AXIAL"]);
  expect(json["00104000"].Value).toEqual(["  a\\b \r\n c"]);
  expect(json["00080054"]).toEqual({ vr: "AE" });
  expect(json["00181030"]).toEqual({ vr: "LO" });
  expect(json["00080090"].Value).toEqual([{ Alphabetic: "Yamada^Tarou", Ideographic: "山田^太郎" }, null]);
});

test("metadata are UTF-8, name the syntax of the frames, and have no group 0002 or group lengths", () => {
  const json = metadataOf({ "00080000": { vr: "UL", Value: [100] } });
  expect(json["00080005"]).toEqual({ vr: "CS", Value: ["ISO_IR 192"] });
  expect(json["00083002"]).toEqual({ vr: "UI", Value: [EXPLICIT_LITTLE_ENDIAN] });
  expect(Object.keys(json).filter((tag) => tag.startsWith("0002") || tag.endsWith("0000"))).toEqual([]);
});

describe("in Implicit VR", () => {
  const elements = (representation: number): DicomElements => ({
    "00280103": { vr: "US", Value: [representation] },
    "00280106": { vr: "US", Value: [0xffff] },
    "00090010": { vr: "LO", Value: ["ACME"] },
    "00091001": { vr: "LO", Value: ["secret"] },
    "60020010": { vr: "US", Value: [512] },
    "00281050": { vr: "DS", Value: ["40"] },
    "00409096": { vr: "SQ", Value: [{ "00409216": { vr: "US", Value: [0x8000] } }] },
  });

  test("US or SS is decided by the sign of the pixels, in items too", () => {
    const signed = metadataOf(elements(1), IMPLICIT_LITTLE_ENDIAN);
    expect(signed["00280106"]).toEqual({ vr: "SS", Value: [-1] });
    expect(signed["00409096"].Value[0]["00409216"]).toEqual({ vr: "SS", Value: [-32768] });
    const unsigned = metadataOf(elements(0), IMPLICIT_LITTLE_ENDIAN);
    expect(unsigned["00280106"]).toEqual({ vr: "US", Value: [65535] });
  });

  test("private creators are text, private values bytes, overlays of any group known", () => {
    const json = metadataOf(elements(0), IMPLICIT_LITTLE_ENDIAN);
    expect(json["00090010"]).toEqual({ vr: "LO", Value: ["ACME"] });
    expect(json["00091001"]).toEqual({ vr: "UN", InlineBinary: btoa("secret") });
    expect(json["60020010"]).toEqual({ vr: "US", Value: [512] });
  });
});

describe("bytes", () => {
  const table = Uint8Array.from({ length: 512 }, (_, i) => i);
  const elements: DicomElements = {
    "00281201": { vr: "OW", bytes: table.slice() },
    "00282000": { vr: "OB", bytes: new Uint8Array(2000).fill(7) },
    "00880200": { vr: "SQ", Value: [{}, { "00282000": { vr: "OB", bytes: new Uint8Array(3000).fill(9) } }] },
    "00283010": { vr: "SQ", Value: [{ "00283006": { vr: "OW", bytes: new Uint8Array(8192).fill(5) } }] },
    "00420011": { vr: "OB", bytes: Uint8Array.of(1, 2, 3, 4) },
  };
  const file = sampleFile(elements);
  const json = metadataOf(elements);

  test("up to 1 kB are inline", () => {
    expect(json["00420011"]).toEqual({ vr: "OB", InlineBinary: "AQIDBA==" });
  });

  test("of lookup tables are inline even if they are large", () => {
    expect(json["00281201"].InlineBinary).toBe(Buffer.from(table).toString("base64"));
    expect(Buffer.from(json["00283010"].Value[0]["00283006"].InlineBinary, "base64")).toHaveLength(8192);
  });

  test("beyond 1 kB are given as a relative URI, under which they are found", () => {
    for (const [uri, fill, length] of [
      [json["00282000"].BulkDataURI, 7, 2000],
      [json["00880200"].Value[1]["00282000"].BulkDataURI, 9, 3000],
    ]) {
      const path = /^instances\/2\.25\.30\/bulkdata\/([0-9A-F.]+)$/.exec(uri)?.[1] ?? "";
      const location = locateBulkData(memorySource(file), [path])[0];
      expect(location).toMatchObject({ length, deflated: false });
      const found = file.subarray(location?.offset, (location?.offset ?? 0) + length);
      expect(found).toEqual(new Uint8Array(length).fill(fill));
    }
  });

  test("of pixels are never inline", () => {
    expect(json["7FE00010"]).toEqual({ vr: "OW", BulkDataURI: "instances/2.25.30/bulkdata/7FE00010" });
  });

  test("of a big-endian file are swapped", () => {
    const words = { "00281201": { vr: "OW", bytes: Uint8Array.of(1, 2, 3, 4) } };
    const bigEndian = metadataOf(words, EXPLICIT_BIG_ENDIAN);
    expect(bigEndian["00281201"].InlineBinary).toBe(Buffer.from([2, 1, 4, 3]).toString("base64"));
    const source = memorySource(sampleFile({}, { transferSyntaxUID: EXPLICIT_BIG_ENDIAN }));
    expect(locateBulkData(source, ["7FE00010"])[0]).toMatchObject({ length: 8, swapWordBytes: 2 });
  });

  test.each([
    "",
    "7fe00010",
    "00880200",
    "00880200.0.00282000",
    "00880200.3.00282000",
    "00880200.1.00282000",
    "../00282000",
    "00100010.1",
  ])("are not found under %p", (path) => {
    expect(locateBulkData(memorySource(file), [path])[0]).toBeUndefined();
  });

  test("of one encapsulated frame are found; those of several are left to the frame table", () => {
    const fragments = [new Uint8Array(10), new Uint8Array(12)];
    const one = sampleFile(
      { "7FE00010": { vr: "OB", fragments: fragments.slice(1) } },
      { transferSyntaxUID: JPEG_BASELINE },
    );
    const two = sampleFile({ "7FE00010": { vr: "OB", fragments } }, { transferSyntaxUID: JPEG_BASELINE });
    expect(locateBulkData(memorySource(one), ["7FE00010"])[0]).toMatchObject({ length: 12 });
    expect(locateBulkData(memorySource(two), ["7FE00010"])[0]).toBeUndefined();
  });
});

test.each([EXPLICIT_LITTLE_ENDIAN, IMPLICIT_LITTLE_ENDIAN, EXPLICIT_BIG_ENDIAN])(
  "numbers of %s that JSON cannot represent are found as bulk data",
  (transferSyntaxUID) => {
    const file = sampleFile(NUMBERS, { transferSyntaxUID });
    const location = locateBulkData(memorySource(file), ["00089459"])[0];
    const isLittle = transferSyntaxUID !== EXPLICIT_BIG_ENDIAN;
    expect(location?.swapWordBytes).toBe(isLittle ? undefined : 4);
    const { offset = 0, length = 0 } = location ?? {};
    const view = new DataView(file.buffer, file.byteOffset + offset, length);
    const values = [0, 4, 8].map((at) => view.getFloat32(at, isLittle));
    expect([length, ...values]).toEqual([12, 0.5, Number.NaN, Number.POSITIVE_INFINITY]);
  },
);
