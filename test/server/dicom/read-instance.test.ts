import { describe, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, deflateSync } from "node:zlib";
import { fileSource } from "../../../src/server/dicom/byte-source.ts";
import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import { writeInstance } from "../../../src/server/dicom/write-instance.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import {
  DEFLATED,
  EXPLICIT_BIG_ENDIAN,
  EXPLICIT_LITTLE_ENDIAN,
  IMPLICIT_LITTLE_ENDIAN,
  JPEG_BASELINE,
  readBytes,
  readTaken,
  SAMPLE_ELEMENTS,
  sampleFile,
  sampleWithout,
  skipReason,
} from "../../support/dicom/dicom-sample.ts";

const UNCOMPRESSED = [IMPLICIT_LITTLE_ENDIAN, EXPLICIT_LITTLE_ENDIAN, EXPLICIT_BIG_ENDIAN, DEFLATED];
const INDEX = {
  patientName: "Conceição^João",
  patientID: "P 001",
  patientBirthDate: "1961-05-09",
  patientSex: "M",
  studyDescription: "Crânio sem contraste",
  studyDate: "2026-03-14",
  studyTime: "07:27:31",
  accessionNumber: "A-17",
  institutionName: "Clínica São José",
  modality: "CT",
  seriesNumber: 3,
  seriesDescription: "Axial 5 mm",
  instanceNumber: 12,
  rows: 2,
  columns: 2,
};

describe.each(UNCOMPRESSED)("an instance in %s", (transferSyntaxUID) => {
  test.each([true, false])("is read whole (undefined lengths: %p)", (undefinedLengths) => {
    const instance = readTaken(sampleFile({}, { transferSyntaxUID, undefinedLengths }));
    expect(instance).toMatchObject({
      studyInstanceUID: "2.25.10",
      seriesInstanceUID: "2.25.20",
      sopInstanceUID: "2.25.30",
      sopClassUID: "1.2.840.10008.5.1.4.1.1.2",
      transferSyntaxUID,
      index: INDEX,
      frames: { kind: "native", frameCount: 1, frameBytes: 8 },
    });
    expect(instance.metadata["00081140"]).toEqual({
      vr: "SQ",
      Value: [{ "00081155": { vr: "UI", Value: ["2.25.31"] } }, {}],
    });
  });

  test("is read without preamble", () => {
    expect(readTaken(sampleFile({}, { transferSyntaxUID, preamble: false })).index).toEqual(INDEX);
  });
});

test.each([IMPLICIT_LITTLE_ENDIAN, EXPLICIT_LITTLE_ENDIAN, EXPLICIT_BIG_ENDIAN])(
  "a bare data set in %s is known by its bytes",
  (transferSyntaxUID) => {
    const bare = sampleFile({}, { transferSyntaxUID, preamble: false, fileMeta: false });
    expect(readTaken(bare)).toMatchObject({ transferSyntaxUID, index: INDEX });
  },
);

test("a data set is read by its actual syntax even if File Meta Information is wrong", () => {
  const written = [IMPLICIT_LITTLE_ENDIAN, EXPLICIT_LITTLE_ENDIAN, EXPLICIT_BIG_ENDIAN];
  for (const transferSyntaxUID of written) {
    for (const declared of written) {
      const file = sampleFile(
        { [TagHex.TransferSyntaxUID]: { vr: "UI", Value: [declared] } },
        { transferSyntaxUID },
      );
      expect(readTaken(file).index).toEqual(INDEX);
    }
  }
});

test("an instance inside a file on disk is read the same as from memory", () => {
  const elements = { "00204000": { vr: "LT", Value: ["x".repeat(60_000)] } };
  const bytes = sampleFile({ ...elements, "00104000": { vr: "LT", Value: ["y".repeat(65_000)] } });
  const folder = mkdtempSync(join(tmpdir(), "dicom-"));
  writeFileSync(join(folder, "volume"), Buffer.concat([new Uint8Array(100), bytes, new Uint8Array(100)]));
  const fd = openSync(join(folder, "volume"), "r");
  try {
    expect(readInstance(fileSource(fd, 100, bytes.length))).toEqual(readBytes(bytes));
  } finally {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  }
});

test("only headers are read of a large multi-frame instance", () => {
  const head = sampleFile({
    [TagHex.NumberOfFrames]: { vr: "IS", Value: [4000] },
    [TagHex.Rows]: { vr: "US", Value: [512] },
    [TagHex.Columns]: { vr: "US", Value: [512] },
  });
  const pixelBytes = 4000 * 512 * 512 * 2;
  new DataView(head.buffer, head.byteOffset).setUint32(head.length - 12, pixelBytes, true);
  let readTotal = 0;
  const sizeBytes = head.length - 8 + pixelBytes;
  const read = readInstance({
    sizeBytes,
    read(offset, length) {
      readTotal += length;
      const bytes = new Uint8Array(Math.min(length, sizeBytes - offset));
      bytes.set(head.subarray(offset, offset + bytes.length));
      return bytes;
    },
  });
  expect(read.ok && read.instance.frames).toMatchObject({ kind: "native", frameCount: 4000 });
  expect(readTotal).toBeLessThan(1_000_000);
});

describe("an identity", () => {
  test.each([TagHex.SOPInstanceUID, TagHex.StudyInstanceUID, TagHex.SeriesInstanceUID])(
    "without %p is no_uid",
    (tag) => {
      const file = writeInstance({ transferSyntaxUID: EXPLICIT_LITTLE_ENDIAN, elements: sampleWithout(tag) });
      expect(skipReason(file)).toBe("instance.no_uid");
      expect(skipReason(sampleFile({ [tag]: { vr: "UI", Value: [] } }))).toBe("instance.no_uid");
    },
  );

  test.each(["1.2.x", "../../etc/passwd", "1.2\\1.3", "1".repeat(65), "1.2\0.3"])(
    "of %p is bad_uid",
    (uid) => {
      expect(skipReason(sampleFile({ [TagHex.StudyInstanceUID]: { vr: "UI", Value: [uid] } }))).toBe(
        "instance.bad_uid",
      );
    },
  );

  test("is taken without its padding", () => {
    const instance = readTaken(sampleFile({ [TagHex.StudyInstanceUID]: { vr: "UI", Value: [" 1.2.3 \0"] } }));
    expect(instance.studyInstanceUID).toBe("1.2.3");
  });

  test("may break the rules of UIDs as real ones do", () => {
    expect(
      readTaken(sampleFile({ [TagHex.SOPInstanceUID]: { vr: "UI", Value: ["01..2."] } })).sopInstanceUID,
    ).toBe("01..2.");
  });
});

describe("a file that is not an instance", () => {
  test("is named as DICOMDIR if it is one", () => {
    const byClass = sampleFile({
      [TagHex.MediaStorageSOPClassUID]: { vr: "UI", Value: ["1.2.840.10008.1.3.10"] },
    });
    const bySequence = sampleFile({ [TagHex.DirectoryRecordSequence]: { vr: "SQ", Value: [{}] } });
    expect([skipReason(byClass), skipReason(bySequence)]).toEqual(["dicomdir", "dicomdir"]);
  });

  test.each([
    ["nothing", new Uint8Array(0)],
    ["one byte", Uint8Array.of(8)],
    ["zeros", new Uint8Array(4096)],
    ["text", Buffer.from("Laudo: crânio sem alterações. ".repeat(20))],
    ["a PDF", Buffer.from(`%PDF-1.7\n${"x".repeat(500)}`)],
    ["a JPEG", Buffer.from("ffd8ffe000104a46494600010100000100010000", "hex")],
    ["a ZIP", Buffer.from("504b0304140000000800", "hex")],
    ["bytes that open like a data set", Buffer.from("080005000a000000ISO_IR 100", "latin1")],
  ])("%s is not_dicom", (_, bytes) => {
    expect(skipReason(bytes)).toBe("not_dicom");
  });
});

describe("a file that was cut", () => {
  const encapsulated = (frames: number) => ({
    [TagHex.NumberOfFrames]: { vr: "IS", Value: [frames] },
    [TagHex.PixelData]: { vr: "OB", fragments: [new Uint8Array(10).fill(1), new Uint8Array(10).fill(2)] },
  });

  test.each([...UNCOMPRESSED])("in its pixel data is refused (%s)", (transferSyntaxUID) => {
    const file = sampleFile({}, { transferSyntaxUID });
    expect(skipReason(file.subarray(0, -4))).toBe("instance.truncated");
  });

  test("in File Meta Information is refused", () => {
    expect(skipReason(sampleFile().subarray(0, 180))).toBe("instance.truncated");
  });

  test("within its last element's header is refused", () => {
    const elements = sampleWithout(TagHex.PixelData);
    const file = writeInstance({ transferSyntaxUID: EXPLICIT_LITTLE_ENDIAN, elements });
    expect(skipReason(Buffer.concat([file, Uint8Array.of(0x28, 0, 1)]))).toBe("instance.truncated");
  });

  test("within a sequence of undefined length is refused", () => {
    const elements = {
      ...sampleWithout(TagHex.PixelData),
      [TagHex.IconImageSequence]: { vr: "SQ", Value: [{}] },
    };
    const file = writeInstance({
      transferSyntaxUID: EXPLICIT_LITTLE_ENDIAN,
      elements,
      undefinedLengths: true,
    });
    expect(skipReason(file)).toBeUndefined();
    for (const missing of [8, 16]) expect(skipReason(file.subarray(0, -missing))).toBe("instance.truncated");
  });

  test("within or before its last frame is refused, and accepted if only the delimiter is gone", () => {
    const two = sampleFile(encapsulated(2), { transferSyntaxUID: JPEG_BASELINE });
    const three = sampleFile(encapsulated(3), { transferSyntaxUID: JPEG_BASELINE });
    expect(skipReason(two.subarray(0, -10))).toBe("instance.truncated");
    expect(skipReason(three.subarray(0, -8))).toBe("instance.truncated");
    expect(skipReason(two.subarray(0, -8))).toBeUndefined();
  });

  test("behind its pixel data is refused", () => {
    const file = sampleFile({ FFFCFFFC: { vr: "OB", bytes: new Uint8Array(100) } });
    expect(skipReason(file)).toBeUndefined();
    expect(skipReason(file.subarray(0, -1))).toBe("instance.truncated");
  });

  test("is distinguished from one that is padded", () => {
    for (const padding of [1, 4, 8, 512]) {
      expect(skipReason(Buffer.concat([sampleFile(), new Uint8Array(padding)]))).toBeUndefined();
    }
    const junk = Buffer.concat([sampleFile(), Buffer.from("-- end of file --")]);
    expect(skipReason(junk)).toBeUndefined();
  });
});

describe("a deflated data set", () => {
  const options = { transferSyntaxUID: DEFLATED };

  test("that inflates to more than the bound is too_complex", () => {
    const file = sampleFile({ [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(1_000_000) } }, options);
    const read = readInstance(memorySource(file), { maxInflatedBytes: 500_000 });
    expect(read).toMatchObject({ ok: false, reason: "instance.too_complex" });
    expect(readBytes(file).ok).toBe(true);
  });

  test("with a zlib wrapper is read too", () => {
    const explicit = sampleFile();
    const deflated = sampleFile({}, options);
    const body = explicit.subarray(explicit.length - dataSetBytes(explicit));
    const meta = deflated.subarray(0, deflated.length - paddedLength(deflateRawSync(body)));
    expect(readTaken(Buffer.concat([meta, deflateSync(body)])).index).toEqual(INDEX);
  });

  test("is presented to viewers as inflated", () => {
    const instance = readTaken(sampleFile({}, options));
    expect(instance.metadata[TagHex.AvailableTransferSyntaxUID]).toEqual({
      vr: "UI",
      Value: [EXPLICIT_LITTLE_ENDIAN],
    });
    expect(instance.frames).toMatchObject({ kind: "native", deflated: true });
  });

  function dataSetBytes(file: Uint8Array): number {
    const metaBytes = new DataView(file.buffer, file.byteOffset).getUint32(140, true);
    return file.length - 144 - metaBytes;
  }

  function paddedLength({ length }: Uint8Array): number {
    return length + (length % 2);
  }
});

test("a declared syntax that is not a UID is never returned", () => {
  const file = sampleFile({ [TagHex.TransferSyntaxUID]: { vr: "UI", Value: ["1.2\r\nSet-Cookie: a=b"] } });
  expect(readTaken(file).transferSyntaxUID).toBe(EXPLICIT_LITTLE_ENDIAN);
});

test("index texts hold no control characters, turn no other text around, and are bounded", () => {
  const { index } = readTaken(
    sampleFile({
      [TagHex.StudyDescription]: { vr: "LO", Value: ["Tó\0rax\u001b\r\n2"] },
      [TagHex.InstitutionName]: { vr: "LO", Value: ["\u202eClínica\u2066 1"] },
      [TagHex.SeriesDescription]: { vr: "LO", Value: ["x".repeat(5000)] },
    }),
  );
  expect(index.studyDescription).toBe("Tó rax 2");
  expect(index.institutionName).toBe("Clínica 1");
  expect(index.seriesDescription).toHaveLength(1024);
});

test("unreadable index values are null, and the instance is accepted", () => {
  const { index } = readTaken(
    sampleFile({
      [TagHex.StudyDate]: { vr: "DA", Value: ["20261341"] },
      [TagHex.StudyTime]: { vr: "TM", Value: ["noon"] },
      [TagHex.PatientName]: { vr: "PN", Value: ["^^^^"] },
      [TagHex.SeriesNumber]: { vr: "IS", Value: ["99999999999"] },
      [TagHex.InstanceNumber]: { vr: "IS", Value: ["one"] },
    }),
  );
  expect(index).toMatchObject({
    studyDate: null,
    studyTime: null,
    patientName: null,
    seriesNumber: null,
    instanceNumber: null,
  });
});

test("standard elements that an archive rewrote as UN are understood", () => {
  const name = SAMPLE_ELEMENTS[TagHex.PatientName]?.Value?.[0] as string;
  const item = Buffer.from("feff00e010000000080055110800000032002e003200", "hex");
  const instance = readTaken(
    sampleFile({
      [TagHex.PatientName]: { vr: "UN", bytes: Buffer.from(name) },
      "00081140": { vr: "UN", bytes: item.subarray(0, 8 + 16) },
    }),
  );
  expect(instance.index.patientName).toBe(name);
  expect(instance.metadata["00081140"]?.vr).toBe("SQ");
});

test("private creators that an archive rewrote as UN are text again, and private values stay bytes", () => {
  const { metadata } = readTaken(
    sampleFile({
      "00090010": { vr: "UN", bytes: Buffer.from("HMC ") },
      "00091001": { vr: "UN", bytes: Buffer.from("ab") },
    }),
  );
  expect(metadata["00090010"]).toEqual({ vr: "LO", Value: ["HMC"] });
  expect(metadata["00091001"]).toEqual({ vr: "UN", InlineBinary: btoa("ab") });
});
