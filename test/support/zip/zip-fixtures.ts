import { crc32, deflateRawSync } from "node:zlib";
import type { EntryFailure } from "../../../src/shared/zip/zip-entry.ts";
import type { ZipFailure } from "../../../src/shared/zip/zip-error.ts";
import { sampleInstance } from "./sample-zip.ts";
import { extraField, type TestEntry, writeTestZip } from "./zip-archive.ts";

/** The outcome of a file in an upload: an accepted instance, or the reason why it is skipped. */
export type FileVerdict = "taken" | "folder" | "ignored_name" | "not_dicom" | "zip.crc" | EntryFailure;

export interface ExpectedEntry {
  name: string;
  verdict: FileVerdict;
  /** Its headers agree, and only its content shows that they are false. */
  isFoundOut?: boolean;
}

/** A ZIP and the one answer that every reader of the product gives about it. */
export interface ZipFixture {
  title: string;
  zip: Uint8Array;
  expected: { refused: ZipFailure } | { entries: ExpectedEntry[] };
  /** The contents that a reader gets out of it, in any order. */
  contents: Uint8Array[];
}

const text = (value: string) => new TextEncoder().encode(value);
const instance = (number: number) => sampleInstance({ sop: String(number), instanceNumber: number });
const one = instance(1);
const two = instance(2);
const note = text("nothing to see here");

function valid(
  title: string,
  zip: Uint8Array,
  entries: readonly (readonly [name: string, verdict: FileVerdict, isFoundOut?: true])[],
  { contents = [one] }: { contents?: Uint8Array[] } = {},
): ZipFixture {
  const expected = entries.map(([name, verdict, isFoundOut]) => {
    return isFoundOut ? { name, verdict, isFoundOut } : { name, verdict };
  });
  return { title, zip, expected: { entries: expected }, contents };
}

function refused(
  title: string,
  zip: Uint8Array,
  failure: ZipFailure,
  { contents = [] }: { contents?: Uint8Array[] } = {},
): ZipFixture {
  return { title, zip, expected: { refused: failure }, contents };
}

/** "IM1", stored unless told otherwise. */
const im1 = (entry: Partial<TestEntry> = {}): TestEntry => ({ name: "IM1", content: one, ...entry });
const im2 = (entry: Partial<TestEntry> = {}): TestEntry => ({ name: "IM2", content: two, ...entry });
const taken = [["IM1", "taken"]] as const;
const bothTaken = [
  ["IM1", "taken"],
  ["IM2", "taken"],
] as const;

export function makeZipFixtures(): ZipFixture[] {
  return [
    ...plain(),
    ...names(),
    ...manyEntries(),
    ...ends(),
    ...unreadableEntries(),
    ...lies(),
    ...broken(),
  ];
}

function plain(): ZipFixture[] {
  const stub = text("#!/bin/sh\nexit 0\n");
  const contents = [one, two];
  return [
    valid("stored and deflated entries", writeTestZip([im1(), im2({ method: 8 })]), bothTaken, { contents }),
    valid("no entries", writeTestZip([]), [], { contents: [] }),
    valid(
      "folders, by a slash or a backslash at the end",
      writeTestZip([
        { name: "CD/", content: new Uint8Array(0) },
        { name: "CD\\sub\\", content: new Uint8Array(0) },
        im1({ name: "CD\\sub\\IM1" }),
        im2({ name: "CD/IM2" }),
      ]),
      [
        ["CD/", "folder"],
        ["CD\\sub\\", "folder"],
        ["CD\\sub\\IM1", "taken"],
        ["CD/IM2", "taken"],
      ],
      { contents },
    ),
    valid(
      "names that are left out, by the name of the file alone",
      writeTestZip([
        { name: "CD/capa.jpg", content: note },
        { name: "CD\\leia-me.txt", content: note },
        im1({ name: "fotos.jpg_originais/IM1" }),
        im2({ name: "exame.txt copia\\IM2" }),
      ]),
      [
        ["CD/capa.jpg", "ignored_name"],
        ["CD\\leia-me.txt", "ignored_name"],
        ["fotos.jpg_originais/IM1", "taken"],
        ["exame.txt copia\\IM2", "taken"],
      ],
      { contents: [...contents, note, note] },
    ),
    valid("two entries of one name", writeTestZip([im1(), im1({ content: two })]), [...taken, ...taken], {
      contents,
    }),
    valid(
      "sizes in a data descriptor",
      writeTestZip([im1({ method: 8, dataDescriptor: true }), im2({ dataDescriptor: true })]),
      bothTaken,
      { contents },
    ),
    valid(
      "sizes in a data descriptor without signature",
      writeTestZip([im1({ method: 8, dataDescriptor: "unsigned" }), im2()]),
      bothTaken,
      { contents },
    ),
    valid("something in front of it", writeTestZip([im1()], { prefix: stub }), taken),
    valid("a comment behind it", writeTestZip([im1()], { comment: text("Clínica") }), taken),
    valid(
      "the longest comment",
      writeTestZip([im1()], { comment: new Uint8Array(0xffff).fill(0x50) }),
      taken,
    ),
    valid(
      "ZIP64",
      writeTestZip([im1({ zip64: true }), im2({ method: 8, zip64: true })], { zip64: true }),
      bothTaken,
      {
        contents,
      },
    ),
    valid(
      "ZIP64 with something in front of it and a comment",
      writeTestZip([im1({ zip64: true })], { zip64: true, prefix: stub, comment: text("Clínica") }),
      taken,
    ),
    valid(
      "ZIP64 with data descriptors",
      writeTestZip([im1({ method: 8, zip64: true, dataDescriptor: true }), im2()], { zip64: true }),
      bothTaken,
      { contents },
    ),
    valid(
      "a directory in another order than the file",
      writeTestZip([im1(), im2({ gap: new Uint8Array(64) })], { directory: [1, 0] }),
      [...bothTaken].reverse(),
      { contents },
    ),
    valid(
      "a longer extra field in the local header",
      writeTestZip([im1({ local: { extra: extraField(0x7845, new Uint8Array(40)) } })]),
      taken,
    ),
    valid(
      "the longest headers",
      writeTestZip(
        Array.from({ length: 20 }, (_, i) => ({
          name: `${i}`.padEnd(0xffff, "n"),
          content: i === 19 ? one : note,
          extra: extraField(0x7845, new Uint8Array(0xffff - 4)),
          central: { comment: new Uint8Array(0xffff) },
        })),
      ),
      Array.from(
        { length: 20 },
        (_, i) => [`${i}`.padEnd(0xffff, "n"), i === 19 ? "taken" : "not_dicom"] as const,
      ),
      { contents: [one, ...Array.from({ length: 19 }, () => note)] },
    ),
  ];
}

function names(): ZipFixture[] {
  const cp850 = Uint8Array.of(0x53, 0xc6, 0x6f, 0x20, 0x87); // "São ç" in code page 850
  const unicodePath = (name: Uint8Array, sum = crc32(name)) => {
    const header = Buffer.alloc(5, 1);
    header.writeUInt32LE(sum, 1);
    return extraField(0x7075, Buffer.concat([header, text("Crânio/海")]));
  };
  return [
    valid("names in UTF-8 that say so", writeTestZip([im1({ name: "Conceição/海", flags: 0x800 })]), [
      ["Conceição/海", "taken"],
    ]),
    valid("names in UTF-8 that do not say so", writeTestZip([im1({ name: "João" })]), [["João", "taken"]]),
    valid("names in code page 437", writeTestZip([im1({ name: Uint8Array.of(0x41, 0x87, 0x84, 0xa4) })]), [
      ["Açäñ", "taken"],
    ]),
    valid("names in code page 850", writeTestZip([im1({ name: cp850 })]), [["São ç", "taken"]]),
    valid("names in a Unicode Path field", writeTestZip([im1({ name: cp850, extra: unicodePath(cp850) })]), [
      ["Crânio/海", "taken"],
    ]),
    valid(
      "a Unicode Path field of another name",
      writeTestZip([im1({ name: cp850, extra: unicodePath(text("old name")) })]),
      [["São ç", "taken"]],
    ),
    valid(
      "a Unicode Path field that ends too early",
      writeTestZip([im1({ extra: extraField(0x7075, Uint8Array.of(1, 0, 0)) })]),
      taken,
    ),
  ];
}

function manyEntries(): ZipFixture[] {
  const many = (count: number): TestEntry[] => [
    ...Array.from({ length: count - 1 }, (_, i) => ({ name: `${i}.txt`, content: new Uint8Array(0) })),
    im1(),
  ];
  const expected = (count: number) => [
    ...Array.from({ length: count - 1 }, (_, i) => [`${i}.txt`, "ignored_name"] as const),
    ...taken,
  ];
  return [
    valid("65,535 entries without ZIP64", writeTestZip(many(65_535)), expected(65_535)),
    valid("65,537 entries in ZIP64", writeTestZip(many(65_537), { zip64: true }), expected(65_537)),
    valid(
      "65,537 entries counted modulo 65,536",
      writeTestZip(many(65_537), { end: { entryCount: 1 } }),
      expected(65_537),
    ),
    valid(
      "more entries than the end record counts",
      writeTestZip([im1(), im2()], { end: { entryCount: 1 } }),
      bothTaken,
      { contents: [one, two] },
    ),
    refused(
      "fewer entries than the end record counts",
      writeTestZip([im1()], { end: { entryCount: 2 } }),
      "zip.malformed",
      { contents: [one] },
    ),
    refused(
      "more entries counted than fit into the directory",
      writeTestZip([im1()], { end: { entryCount: 60_000 } }),
      "zip.malformed",
      { contents: [one] },
    ),
  ];
}

function ends(): ZipFixture[] {
  const whole = writeTestZip([im1()]);
  const endRecord = writeTestZip([]);
  return [
    valid(
      "the signature of an end record in the comment",
      writeTestZip([im1()], { comment: text("PK\x05\x06 and more") }),
      taken,
    ),
    valid(
      "an end record in the comment that does not reach the end",
      writeTestZip([im1()], { comment: Buffer.concat([endRecord, text("more")]) }),
      taken,
    ),
    valid("bytes behind the archive", Buffer.concat([whole, new Uint8Array(600)]), taken),
    valid(
      "a digital signature behind the headers",
      writeTestZip([im1()], {
        directoryTail: Buffer.concat([text("PK\x05\x05"), Uint8Array.of(2, 0, 9, 9)]),
      }),
      taken,
    ),
    refused("cut at the end", whole.subarray(0, whole.length - 1), "zip.not_zip", { contents: [one] }),
    refused("cut in the middle", whole.subarray(0, whole.length >> 1), "zip.not_zip"),
    refused("cut at the front", whole.subarray(40), "zip.malformed"),
    refused("nothing", new Uint8Array(0), "zip.not_zip"),
    refused("something else", text("isto não é um ZIP".repeat(20)), "zip.not_zip"),
    refused("the last of several disks", writeTestZip([im1()], { end: { disk: 1 } }), "zip.multi_disk"),
    refused(
      "the last of several disks, in ZIP64",
      writeTestZip([im1()], { zip64: true, end: { disk: 1 } }),
      "zip.multi_disk",
    ),
    refused("an entry on another disk", writeTestZip([im1({ central: { disk: 3 } })]), "zip.malformed", {
      contents: [one],
    }),
  ];
}

function unreadableEntries(): ZipFixture[] {
  // A stored block is the same in deflate and deflate64.
  const block = Buffer.from([
    1,
    one.length & 0xff,
    one.length >> 8,
    ~one.length & 0xff,
    (~one.length >> 8) & 0xff,
  ]);
  const deflate64 = im1({ method: 9, stored: Buffer.concat([block, one]) });
  return [
    valid(
      "an encrypted entry beside a plain one",
      writeTestZip([im1({ flags: 1 }), im2()]),
      [
        ["IM1", "zip.encrypted"],
        ["IM2", "taken"],
      ],
      { contents: [two] },
    ),
    valid(
      "an entry encrypted by AES",
      writeTestZip([im1({ flags: 1, method: 99 }), im2()]),
      [
        ["IM1", "zip.encrypted"],
        ["IM2", "taken"],
      ],
      { contents: [two] },
    ),
    valid(
      "an entry whose local header alone says that it is encrypted",
      writeTestZip([im1({ local: { flags: 1 } }), im2()]),
      [
        ["IM1", "zip.encrypted"],
        ["IM2", "taken"],
      ],
      { contents: [two] },
    ),
    valid(
      "deflate64",
      writeTestZip([deflate64, im2()]),
      [
        ["IM1", "zip.method"],
        ["IM2", "taken"],
      ],
      { contents: [two] },
    ),
    valid(
      "an unknown method",
      writeTestZip([im1({ method: 77 }), im2()]),
      [
        ["IM1", "zip.method"],
        ["IM2", "taken"],
      ],
      { contents: [two] },
    ),
  ];
}

function lies(): ZipFixture[] {
  const deflated = deflateRawSync(one);
  const malformed = [
    ["IM1", "zip.malformed"],
    ["IM2", "taken"],
  ] as const;
  const foundOut = [
    ["IM1", "zip.malformed", true],
    ["IM2", "taken"],
  ] as const;
  const lying = (central: TestEntry["central"], entry: Partial<TestEntry> = {}) =>
    writeTestZip([im1({ method: 8, central, ...entry }), im2()]);
  const contents = [two];
  return [
    valid(
      "a wrong checksum",
      lying({ crc32: 7 }),
      [
        ["IM1", "zip.crc"],
        ["IM2", "taken"],
      ],
      { contents },
    ),
    valid("an entry said to be smaller than it is", lying({ sizeBytes: one.length - 1 }), foundOut, {
      contents,
    }),
    valid("an entry said to be larger than it is", lying({ sizeBytes: one.length + 1 }), foundOut, {
      contents,
    }),
    valid("an entry said to be far larger than it can be", lying({ sizeBytes: 3 * 1024 ** 3 }), foundOut, {
      contents,
    }),
    valid("less deflated than there is", lying({ storedBytes: deflated.length - 5 }), foundOut, { contents }),
    valid("a stored entry of two sizes", lying({ sizeBytes: one.length + 1 }, { method: 0 }), malformed, {
      contents,
    }),
    valid("another method in the local header", lying({}, { local: { method: 0 } }), malformed, { contents }),
    valid("data that reach into the next entry", lying({ storedBytes: deflated.length + 3 }), malformed, {
      contents,
    }),
    valid("deflate data that are none", lying({}, { stored: new Uint8Array(90).fill(0xff) }), foundOut, {
      contents,
    }),
    valid("an offset where no header is", lying({ headerOffset: 3 }), malformed, { contents }),
  ];
}

function broken(): ZipFixture[] {
  const again: TestEntry = { name: "again", content: one, central: { headerOffset: 0 } };
  const inside: TestEntry = { name: "inside", content: one, central: { headerOffset: 60 } };
  const zip64 = writeTestZip([im1()], { zip64: true });
  const withoutRecord = Buffer.from(zip64);
  withoutRecord.writeUInt32LE(0, withoutRecord.length - 22 - 20 - 56);
  const badHeader = Buffer.from(writeTestZip([im1(), im2()]));
  badHeader.writeUInt32LE(0, badHeader.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2])));
  const noField = Buffer.from(writeTestZip([im1()]));
  noField.writeUInt32LE(0xffffffff, noField.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24);
  return [
    refused("two entries that are the same bytes", writeTestZip([im1(), again]), "zip.overlap"),
    refused("an entry inside another one", writeTestZip([im1(), inside]), "zip.overlap"),
    refused(
      "an entry inside another one, named first",
      writeTestZip([im1(), inside], { directory: [1, 0] }),
      "zip.overlap",
    ),
    refused(
      "an entry that reaches into the directory",
      writeTestZip([im1({ central: { storedBytes: 5000 } })]),
      "zip.malformed",
    ),
    refused(
      "an entry beyond the end",
      writeTestZip([im1({ central: { headerOffset: 1_000_000 } })]),
      "zip.malformed",
    ),
    refused(
      "a directory beyond the end",
      writeTestZip([im1()], { end: { centralOffset: 1_000_000 } }),
      "zip.malformed",
    ),
    refused(
      "a directory larger than the file",
      writeTestZip([im1()], { end: { centralBytes: 1_000_000 } }),
      "zip.malformed",
    ),
    refused("a header of the directory that is none", badHeader, "zip.malformed"),
    refused("a ZIP64 locator without its record", withoutRecord, "zip.malformed"),
    refused("a ZIP64 size without its field", noField, "zip.malformed"),
    refused(
      "a ZIP64 directory beyond 2^53",
      writeTestZip([im1()], { zip64: true, end: { centralBytes: 2 ** 60 } }),
      "zip.malformed",
    ),
  ];
}
