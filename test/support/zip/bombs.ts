import { constants, crc32, deflateRawSync, zstdCompressSync } from "node:zlib";
import {
  encodeCentralHeader,
  encodeEndRecords,
  encodeLocalHeader,
} from "../../../src/server/archive/zip-encode.ts";
import { type DicomElements, writeInstance } from "../../../src/server/dicom/write-instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { DEFLATED, EXPLICIT_LITTLE_ENDIAN, SAMPLE_ELEMENTS } from "../dicom/dicom-sample.ts";

const MIB = 1024 * 1024;
const ZEROS = new Uint8Array(MIB);
const RLE = "1.2.840.10008.1.2.5";
const JPEG_2000 = "1.2.840.10008.1.2.4.90";

/** An upload that is small on the wire and is not meant to be read. */
export interface Bomb {
  name: string;
  zip: Uint8Array;
  studyInstanceUID: string;
  seriesInstanceUID: string;
  sopInstanceUID: string;
}

interface BombEntry {
  deflated: Uint8Array;
  sizeBytes: number;
  crc32: number;
}

const ui = (value: string) => ({ vr: "UI", Value: [value] });
const us = (value: number) => ({ vr: "US", Value: [value] });

function uidsOf(number: number, sop = 1) {
  const studyInstanceUID = `2.25.66.${number}`;
  const seriesInstanceUID = `${studyInstanceUID}.1`;
  return { studyInstanceUID, seriesInstanceUID, sopInstanceUID: `${seriesInstanceUID}.${sop}` };
}

function fileOf(
  number: number,
  elements: DicomElements,
  { sop = 1, transferSyntaxUID = EXPLICIT_LITTLE_ENDIAN } = {},
): Uint8Array {
  const { studyInstanceUID, seriesInstanceUID, sopInstanceUID } = uidsOf(number, sop);
  const uids = {
    [TagHex.StudyInstanceUID]: ui(studyInstanceUID),
    [TagHex.SeriesInstanceUID]: ui(seriesInstanceUID),
    [TagHex.SOPInstanceUID]: ui(sopInstanceUID),
  };
  return writeInstance({ transferSyntaxUID, elements: { ...SAMPLE_ELEMENTS, ...uids, ...elements } });
}

/** A mebibyte of zeros that goes on a deflated stream, and leaves it open. */
const DEFLATED_ZEROS = deflateRawSync(ZEROS, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
/** The last block of a deflated stream, without content. */
const LAST_BLOCK = Buffer.of(3, 0);

/** `file`, then so many zeros, deflated as an entry without ever being held. */
export function paddedEntry(file: Uint8Array, zeroBytes: number): BombEntry {
  const parts: Uint8Array[] = [deflateRawSync(file, { level: 1, finishFlush: constants.Z_FULL_FLUSH })];
  let checksum = crc32(file);
  let sizeBytes = file.length;
  for (let at = 0; at < zeroBytes; at += MIB) {
    checksum = crc32(ZEROS, checksum);
    sizeBytes += MIB;
    parts.push(DEFLATED_ZEROS);
  }
  return { deflated: Buffer.concat([...parts, LAST_BLOCK]), sizeBytes, crc32: checksum };
}

function entryOf(file: Uint8Array): BombEntry {
  return { deflated: deflateRawSync(file), sizeBytes: file.length, crc32: crc32(file) };
}

export function zipOf(entries: readonly BombEntry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (const [i, { deflated, sizeBytes, crc32: checksum }] of entries.entries()) {
    const sizes = { storedBytes: deflated.length, sizeBytes };
    const entry = { name: `IM${i}`, method: 8, crc32: checksum, ...sizes } as const;
    const header = encodeLocalHeader(entry);
    central.push(encodeCentralHeader(entry, offset));
    parts.push(header, deflated);
    offset += header.length + deflated.length;
  }
  const directory = Buffer.concat(central);
  const end = { entryCount: entries.length, centralBytes: directory.length, centralOffset: offset };
  return Buffer.concat([...parts, directory, encodeEndRecords(end)]);
}

/** A deflated data set that is a small slice and then zeros, which the parser takes for padding. */
function deflatedDataSet(number: number, zeroBytes: number): Uint8Array {
  const plain = fileOf(
    number,
    { [TagHex.TransferSyntaxUID]: ui(DEFLATED) },
    { transferSyntaxUID: EXPLICIT_LITTLE_ENDIAN },
  );
  const empty = fileOf(number, {}, { transferSyntaxUID: DEFLATED });
  // Group 0002 is the same but for the syntax's name; the data set begins with group 0008.
  const at = (bytes: Uint8Array) => Buffer.from(bytes).indexOf(Buffer.from([0x08, 0x00, 0x05, 0x00]));
  const boundary = metaEnd(empty);
  const { deflated } = paddedEntry(plain.subarray(at(plain)), zeroBytes);
  return Buffer.concat([empty.subarray(0, boundary), deflated]);
}

/** The end offset of group 0002, by its group length (PS3.10 §7.1). */
function metaEnd(file: Uint8Array): number {
  return 144 + Buffer.from(file).readUInt32LE(140);
}

const empty = new Uint8Array(0);

/** One accepted bomb of each kind. At `scale` 1, careless reading exhausts a machine of 16 GB. */
export async function makeBombs(scale: number): Promise<Bomb[]> {
  const many = (count: number, fragment = empty) => Array.from({ length: count }, () => fragment);
  const numberOfFrames = (count: number) => ({ [TagHex.NumberOfFrames]: { vr: "IS", Value: [count] } });
  const text = { vr: "UT", bytes: new Uint8Array(MIB - 2).fill(1) };
  let nested: DicomElements = { "00081155": ui("2.25.1") };
  for (let depth = 0; depth < 30; depth++) nested = { "00081140": { vr: "SQ", Value: [nested] } };
  const attributes = Object.fromEntries(
    Array.from({ length: 200_000 }, (_, i) => [
      (0x00290000 + 0x20000 * (i >> 15) + 0x1000 + (i & 0x7fff)).toString(16).padStart(8, "0").toUpperCase(),
      { vr: "LO", bytes: empty },
    ]),
  );
  const entries: [string, (number: number) => Promise<BombEntry[]>][] = [
    ["padding behind a deflated entry", async (n) => [paddedEntry(fileOf(n, {}), scale * 1500 * MIB)]],
    [
      "a deflated data set of zeros",
      async (n) => [entryOf(deflatedDataSet(n, Math.min(500, scale * 1500) * MIB))],
    ],
    [
      "bulk data in front of the pixels",
      async (n) => [
        entryOf(
          fileOf(n, { "00291010": { vr: "OB", bytes: new Uint8Array(Math.min(200, scale * 800) * MIB) } }),
        ),
      ],
    ],
    [
      "empty fragments of one frame",
      async (n) => [
        entryOf(
          fileOf(
            n,
            { [TagHex.PixelData]: { vr: "OB", fragments: many(300_000) } },
            { transferSyntaxUID: RLE },
          ),
        ),
      ],
    ],
    [
      "a frame an empty fragment",
      async (n) => [
        entryOf(
          fileOf(
            n,
            { ...numberOfFrames(180_000), [TagHex.PixelData]: { vr: "OB", fragments: many(180_000) } },
            { transferSyntaxUID: RLE },
          ),
        ),
      ],
    ],
    [
      "control characters for text",
      async (n) =>
        [1, 2, 3].map((sop) =>
          entryOf(
            fileOf(n, Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`002910${i + 16}`, text])), {
              sop,
            }),
          ),
        ),
    ],
    ["attributes without end", async (n) => [entryOf(fileOf(n, attributes))]],
    ["sequences in sequences", async (n) => [entryOf(fileOf(n, nested))]],
    [
      "a picture of 60,000 lines that is not there",
      async (n) => [
        entryOf(
          fileOf(
            n,
            {
              [TagHex.Rows]: us(60_000),
              [TagHex.Columns]: us(60_000),
              [TagHex.PixelData]: { vr: "OB", fragments: [new Uint8Array(64)] },
            },
            { transferSyntaxUID: RLE },
          ),
        ),
      ],
    ],
    [
      "a code stream that lies",
      async (n) => [
        entryOf(
          fileOf(
            n,
            {
              [TagHex.PixelData]: {
                vr: "OB",
                fragments: [Buffer.concat([lyingStream(), new Uint8Array(4000)])],
              },
            },
            { transferSyntaxUID: JPEG_2000 },
          ),
        ),
      ],
    ],
    [
      "many instances",
      async (n) => Array.from({ length: 2_000 }, (_, i) => entryOf(fileOf(n, {}, { sop: i + 1 }))),
    ],
  ];
  const bombs: Bomb[] = [];
  for (const [i, [name, make]] of entries.entries())
    bombs.push({ name, zip: zipOf(await make(i + 1)), ...uidsOf(i + 1) });
  return bombs;
}

/** SOC and SIZ of 60,000 × 60,000 samples, and nothing behind. */
function lyingStream(): Uint8Array {
  const stream = Buffer.alloc(49);
  stream.writeUInt32BE(0xff4fff51, 0);
  stream.writeUInt16BE(41, 4);
  for (const [at, value] of [
    [8, 60_000],
    [12, 60_000],
    [24, 60_000],
    [28, 60_000],
  ] as const)
    stream.writeUInt32BE(value, at);
  stream.writeUInt16BE(1, 40);
  return stream;
}

/** A manifest as release 0.1 wrote it, without bounds: five instances of 400,000 empty fragments, 60 MB of JSON each. */
export function unboundedManifest(
  { studyInstanceUID, seriesInstanceUID }: Bomb,
  volumeId: string,
): Uint8Array {
  const frames = Array.from({ length: 400_000 }, (_, i) => [[i * 8, 0]]);
  const instances = Array.from({ length: 5 }, (_, i) => ({
    ...{ sopInstanceUID: `${seriesInstanceUID}.${i + 1}`, sopClassUID: "1.2", transferSyntaxUID: RLE },
    ...{ instanceNumber: i, rows: 2, columns: 2, volumeId, dataOffset: 0, storedBytes: 9, sizeBytes: 9 },
    ...{ method: 0, crc32: 0, frames: { kind: "encapsulated", frameCount: frames.length, frames } },
  }));
  const json = JSON.stringify({ "00291010": { vr: "UT", Value: [" ".repeat(60 * MIB)] } });
  const all = Buffer.from(`[${Array.from(instances, () => json).join()}]`);
  const index = Buffer.from(
    JSON.stringify({
      version: 1,
      studyInstanceUID,
      seriesInstanceUID,
      instances,
      metadataLengths: instances.map(() => json.length),
    }),
  );
  const checked = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
  const [packedIndex, packedAll] = [zstdCompressSync(index, checked), zstdCompressSync(all, checked)];
  const header = Buffer.alloc(40);
  header.write("EXMS");
  header.writeUInt32LE(1, 4);
  for (const [i, length] of [packedIndex.length, index.length, packedAll.length, all.length].entries()) {
    header.writeBigUInt64LE(BigInt(length), 8 + 8 * i);
  }
  return Buffer.concat([header, packedIndex, packedAll]);
}
