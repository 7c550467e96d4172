import { describe, expect, test } from "bun:test";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { locateFrame } from "../../../src/shared/dicom/reading/cut-frame.ts";
import type { ByteSource } from "../../../src/shared/dicom/reading/instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { cutFrame } from "../../support/dicom/cut-frame.ts";
import {
  DEFLATED,
  EXPLICIT_BIG_ENDIAN,
  EXPLICIT_LITTLE_ENDIAN,
  IMPLICIT_LITTLE_ENDIAN,
  JPEG_BASELINE,
  readBytes,
  readTaken,
  sampleFile,
  skipReason,
} from "../../support/dicom/dicom-sample.ts";

const MULTI_FRAME: DicomElements = {
  [TagHex.NumberOfFrames]: { vr: "IS", Value: [2] },
  "00081053": { vr: "UN", bytes: Buffer.from("feff00e000000000", "hex") },
  "00091001": { vr: "SQ", Value: [{ "00091002": { vr: "SQ", Value: [{}] } }] },
  [TagHex.PixelData]: {
    vr: "OB",
    fragments: [new Uint8Array(6), new Uint8Array(8), new Uint8Array(4)],
    offsetTable: [0],
  },
};
const FILES = [
  ...[IMPLICIT_LITTLE_ENDIAN, EXPLICIT_LITTLE_ENDIAN, EXPLICIT_BIG_ENDIAN, DEFLATED].flatMap(
    (transferSyntaxUID) => [
      sampleFile({}, { transferSyntaxUID }),
      sampleFile({}, { transferSyntaxUID, undefinedLengths: true, preamble: false }),
    ],
  ),
  sampleFile(MULTI_FRAME, { transferSyntaxUID: JPEG_BASELINE, undefinedLengths: true }),
  sampleFile({}, { preamble: false, fileMeta: false }),
];
const anyFile = fc.constantFrom(...FILES);

/** A source that fails the test when bytes outside the file are asked for, or far more often than a file has. */
function guardedSource(bytes: Uint8Array): ByteSource {
  let reads = 0;
  return {
    sizeBytes: bytes.length,
    read(offset, length) {
      expect(offset >= 0 && offset <= bytes.length && length >= 0).toBe(true);
      expect(++reads).toBeLessThan(10_000);
      return bytes.slice(offset, offset + Math.min(length, 700));
    },
  };
}

/** Reads a file and every frame of its table; fails if a frame is outside the file. */
function readAll(bytes: Uint8Array): void {
  const read = readInstance(guardedSource(bytes), { maxInflatedBytes: 1_000_000 });
  if (!read.ok) return;
  expect(() => JSON.parse(JSON.stringify(read.instance))).not.toThrow();
  const { frames } = read.instance;
  if (frames.kind === "none" || (frames.kind === "native" && frames.deflated)) return;
  for (let i = 0; i < Math.min(frames.frameCount, 100); i += 1) {
    for (const [offset, length] of locateFrame(frames, i)?.ranges ?? []) {
      expect(offset + length).toBeLessThanOrEqual(bytes.length);
    }
    expect(cutFrame(bytes, frames, i)).toBeDefined();
  }
}

test("a file cut anywhere gets an answer, and one cut within its elements is always refused", () => {
  for (const file of FILES) {
    for (let length = 0; length < file.length; length += 1) readAll(file.subarray(0, length));
  }
  const explicit = sampleFile();
  for (let length = explicit.length - 8; length < explicit.length; length += 1) {
    expect(skipReason(explicit.subarray(0, length))).toBe("instance.truncated");
  }
});

test("a file with any bytes overwritten gets an answer", () => {
  const change = fc.record({ at: fc.nat(), bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }) });
  fc.assert(
    fc.property(anyFile, fc.array(change, { minLength: 1, maxLength: 6 }), (file, changes) => {
      const mutated = file.slice();
      for (const { at, bytes } of changes)
        mutated.set(bytes.slice(0, mutated.length - (at % mutated.length)), at % mutated.length);
      readAll(mutated);
    }),
    { numRuns: 3000 },
  );
});

test("a file with bytes taken out or put in gets an answer", () => {
  fc.assert(
    fc.property(
      anyFile,
      fc.nat(),
      fc.nat({ max: 40 }),
      fc.uint8Array({ maxLength: 20 }),
      (file, at, gone, extra) => {
        const from = at % file.length;
        readAll(Buffer.concat([file.subarray(0, from), extra, file.subarray(from + gone)]));
      },
    ),
    { numRuns: 2000 },
  );
});

test("any bytes at all get an answer, behind DICM too", () => {
  const head = Buffer.concat([new Uint8Array(128), Buffer.from("DICM")]);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (bytes, behind) => {
      readAll(behind ? Buffer.concat([head, bytes]) : bytes);
    }),
    { numRuns: 3000 },
  );
});

describe("a bomb", () => {
  const head = sampleFile({ [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(0) } });
  const element = (tag: string, vr: string, length: number) => {
    const header = Buffer.alloc(12);
    header.writeUInt16LE(Number.parseInt(tag.slice(0, 4), 16), 0);
    header.writeUInt16LE(Number.parseInt(tag.slice(4), 16), 2);
    header.write(vr, 4, "latin1");
    header.writeUInt32LE(length, 8);
    return header;
  };
  const withoutPixels = head.subarray(0, -12);

  test.each(["OB", "UT", "UN", "SQ", "OW"])("of a length of 4 GB costs nothing (%s)", (vr) => {
    for (const length of [0xfffffffe, 0x7fffffff, 0x80000000]) {
      const file = Buffer.concat([withoutPixels, element("7FE10010", vr, length), new Uint8Array(16)]);
      expect(skipReason(file)).toBe("instance.truncated");
    }
  });

  test.each([
    ["SQ", "feff00e0ffffffff"],
    ["UN", "feff00e0ffffffff"],
  ])("of nesting is refused (%s)", (vr, item) => {
    const level = Buffer.concat([element("00081140", vr, 0xffffffff), Buffer.from(item, "hex")]);
    for (const depth of [33, 1000, 100_000]) {
      const file = Buffer.concat([withoutPixels, ...Array(depth).fill(level)]);
      expect(skipReason(file)).toBe("instance.too_complex");
    }
  });

  test("of elements is refused quickly", () => {
    const empty = Buffer.from("09001000554e0000", "hex");
    const file = Buffer.concat([
      withoutPixels,
      Buffer.alloc(600_000 * 12, Buffer.concat([empty, Buffer.alloc(4)])),
    ]);
    expect(skipReason(file)).toBe("instance.too_complex");
  });

  test("of items or fragments is refused", () => {
    const items = Buffer.alloc(600_000 * 8, Buffer.from("feff00e000000000", "hex"));
    for (const start of [
      element("00081140", "SQ", 0xffffffff),
      element(TagHex.PixelData, "OB", 0xffffffff),
    ]) {
      expect(skipReason(Buffer.concat([withoutPixels, start, items]))).toBe("instance.too_complex");
    }
  });

  test("of attributes is refused", () => {
    const text = Buffer.concat([element("00204000", "UT", 1_000_000), Buffer.alloc(1_000_000, 0x61)]);
    const file = Buffer.concat([withoutPixels, ...Array(70).fill(text)]);
    expect(skipReason(file)).toBe("instance.too_complex");
  });

  test("of few bytes that JSON needs many for is refused", () => {
    const opened = Buffer.concat([
      element("00081140", "SQ", 0xffffffff),
      Buffer.from("feff00e0ffffffff", "hex"),
    ]);
    const closed = Buffer.from("feff0de000000000feffdde000000000", "hex");
    // Each of them has a long address, by the items around it.
    const bulk = Buffer.concat([
      element("00091001", "OB", 0xffffffff),
      Buffer.from("feffdde000000000", "hex"),
    ]);
    const deep = [
      ...Array(31).fill(opened),
      Buffer.alloc(150_000 * bulk.length, bulk),
      ...Array(31).fill(closed),
    ];
    const names = [element("00081048", "UN", 960_000), Buffer.alloc(960_000, "a=a=a\\")];
    const file = Buffer.concat([withoutPixels, ...deep, ...names, ...names]);
    expect(skipReason(file)).toBe("instance.too_complex");
  });

  test("of zeros in a deflated data set is refused", () => {
    const file = sampleFile({ [TagHex.TransferSyntaxUID]: { vr: "UI", Value: [DEFLATED] } });
    const metaEnd = 144 + new DataView(file.buffer, file.byteOffset).getUint32(140, true);
    const bomb = deflateRawSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
    const deflated = Buffer.concat([file.subarray(0, metaEnd), bomb]);
    const read = readInstance(guardedWhole(deflated), { maxInflatedBytes: 1024 * 1024 });
    expect(read).toMatchObject({ ok: false, reason: "instance.too_complex" });
  });

  test.each([
    ["UT", " ", "spaces"],
    ["UC", " ", "spaces"],
    ["UC", "\\", "empty values"],
    ["UT", "\u001b$B", "escapes"],
  ])("of text that is hard to trim or decode is read quickly (%s)", (vr, filler) => {
    const bytes = Buffer.from(`${filler.repeat(900_000 / filler.length)}x`);
    const { metadata } = readTaken(sampleFile({ "00080119": { vr, bytes } }));
    expect(metadata["00080119"]?.Value?.length).toBeGreaterThan(0);
  });

  test("of digits is read quickly", () => {
    const bytes = Buffer.from(`${"1".repeat(900_000)}x`);
    const file = sampleFile(
      { [TagHex.PixelSpacing]: { vr: "DS", bytes } },
      { transferSyntaxUID: IMPLICIT_LITTLE_ENDIAN },
    );
    expect(readTaken(file).metadata[TagHex.PixelSpacing]?.Value).toEqual([bytes.toString()]);
  });

  test("of values is given as bulk data, not listed", () => {
    const numbers = {
      [TagHex.BluePaletteColorLookupTableData]: { vr: "OW", bytes: new Uint8Array(300_000) },
    };
    expect(
      readTaken(sampleFile(numbers)).metadata[TagHex.BluePaletteColorLookupTableData]?.BulkDataURI,
    ).toBeDefined();
    const decimals = { "30060050": { vr: "DS", bytes: Buffer.alloc(1_200_000, "1\\") } };
    const implicit = sampleFile(decimals, { transferSyntaxUID: IMPLICIT_LITTLE_ENDIAN });
    expect(readTaken(implicit).metadata["30060050"]?.BulkDataURI).toBeDefined();
  });

  function guardedWhole(bytes: Uint8Array): ByteSource {
    return { sizeBytes: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
  }
});

test("a source may reuse its buffer for each read", () => {
  const long = { vr: "LT", Value: ["Descrição. ".repeat(5_000)] };
  const file = sampleFile({ "00104000": long, "00184000": long, "00204000": long, "00324000": long });
  const scratch = new Uint8Array(100_000);
  const read = readInstance({
    sizeBytes: file.length,
    read(offset, length) {
      const part = file.subarray(offset, offset + length);
      scratch.fill(0xaa).set(part);
      return scratch.subarray(0, part.length);
    },
  });
  expect(read).toEqual(readBytes(file));
  expect(read.ok).toBe(true);
});

test("a source that gives less than it promised is treated as a cut file", () => {
  const file = sampleFile();
  const source = { sizeBytes: file.length + 500, read: (at: number, n: number) => file.subarray(at, at + n) };
  expect(readInstance(source)).toMatchObject({ ok: false, reason: "instance.truncated" });
  expect(readBytes(file).ok).toBe(true);
});
