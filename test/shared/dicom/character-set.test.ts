import { describe, expect, test } from "bun:test";
import { characterSetOf, decodeText, type TextKind } from "../../../src/shared/dicom/character-set.ts";
import { readTaken, sampleFile } from "../../support/dicom/dicom-sample.ts";

function decode(hex: string, terms: string, kind: TextKind = "personName"): string {
  return decodeText(Buffer.from(hex.replace(/\s/g, ""), "hex"), characterSetOf(terms), kind);
}

/** Bytes of the examples in PS3.5 annexes H, I, J, K and of PS3.3 §C.12.1.1.2, each with what it spells. */
const NAMES: [terms: string, hex: string, text: string][] = [
  ["ISO_IR 100", "42 75 63 5e 4a e9 72 f4 6d 65", "Buc^Jérôme"],
  ["ISO_IR 101", "57 61 b3 ea 73 61", "Wałęsa"],
  ["ISO_IR 109", "dd 61 75 64 65", "Ŭaude"],
  ["ISO_IR 110", "bf 6f", "ŋo"],
  ["ISO_IR 144", "bb ee 64 ce dd", "ЛюdЮн"],
  ["ISO_IR 127", "e2 c8 c7 e6 ea 5e e4 e6 d2 c7 d1", "قباني^لنزار"],
  ["ISO_IR 126", "c4 e9 ef ed f5 f3 e9 ef f2", "Διονυσιος"],
  ["ISO_IR 138", "f9 f8 e5 ef 5e e3 e1 e5 f8 e4", "שרון^דבורה"],
  ["ISO_IR 148", "c7 61 76 75 fe 6f f0 6c 75 5e dd", "Çavuşoğlu^İ"],
  ["ISO_IR 203", "a4 bd", "€œ"],
  ["ISO_IR 166", "b9 d2 c2", "นาย"],
  ["ISO_IR 13", "d4 cf c0 de 5e c0 db b3", "ﾔﾏﾀﾞ^ﾀﾛｳ"],
  ["ISO_IR 192", "57 61 6e 67 3d e7 8e 8b 5e e5 b0 8f e6 9d b1", "Wang=王^小東"],
  ["GB18030", "57 61 6e 67 3d cd f5 5e d0 a1 b6 ab", "Wang=王^小东"],
  ["GBK", "cd f5", "王"],
  [
    "\\ISO 2022 IR 87",
    "59 61 6d 61 64 61 3d 1b 24 42 3b 33 45 44 1b 28 42 5e 1b 24 42 42 40 4f 3a 1b 28 42",
    "Yamada=山田^太郎",
  ],
  [
    "ISO 2022 IR 13\\ISO 2022 IR 87",
    "d4 cf c0 de 5e c0 db b3 3d 1b 24 42 3b 33 45 44 1b 28 4a 5e 1b 24 42 42 40 4f 3a 1b 28 4a",
    "ﾔﾏﾀﾞ^ﾀﾛｳ=山田^太郎",
  ],
  [
    "\\ISO 2022 IR 149",
    "48 6f 6e 67 5e 47 69 6c 3d 1b 24 29 43 fb f3 5e 1b 24 29 43 d1 ce d4 d7 3d 1b 24 29 43 c8 ab 5e 1b 24 29 43 b1 e6 b5 bf",
    "Hong^Gil=洪^吉洞=홍^길동",
  ],
  ["\\ISO 2022 IR 58", "5a 68 61 6e 67 3d 1b 24 29 41 d5 c5 5e 1b 24 29 41 d0 a1 b6 ab", "Zhang=张^小东"],
  ["\\ISO 2022 IR 159", "1b 24 28 44 30 21 1b 28 42", "丂"],
  ["\\ISO 2022 IR 100\\ISO 2022 IR 144", "1b 2d 41 e9 5e 1b 2d 4c bb ee", "é^Лю"],
];

test.each(NAMES)("a name in %p is decoded correctly", (terms, hex, text) => {
  expect(decode(hex, terms)).toBe(text);
});

test.each(["ISO-IR 100", "iso_ir_100", "ISO 8859-1", "ISO_IR 100 ", "ISO 2022 IR 100"])(
  "the term %p is understood",
  (term) => {
    expect(decode("e9", term)).toBe("é");
  },
);

describe("without a character set", () => {
  test("UTF-8 is distinguished from Latin-1", () => {
    expect(decode("4a 6f c3 a3 6f", "")).toBe("João");
    expect(decode("4a 6f e3 6f", "")).toBe("João");
  });

  test("an unknown term is treated as no character set", () => {
    expect(decode("4a 6f e3 6f", "KLINGON")).toBe("João");
  });
});

test("Latin-1 under the name of UTF-8 is not shown as boxes, a cut UTF-8 text keeps the rest", () => {
  expect(decode("4a 6f e3 6f", "ISO_IR 192")).toBe("João");
  expect(decode("c3 a3 c3", "ISO_IR 192")).toBe("ã\ufffd");
});

test("letters of the second term are read without the escape that should be before them", () => {
  expect(decode("5a 68 61 6e 67 3d d5 c5 5e d0 a1 b6 ab", "\\ISO 2022 IR 58")).toBe("Zhang=张^小东");
  expect(decode("fb f3 5e d1 ce d4 d7", "ISO 2022 IR 6\\ISO 2022 IR 149")).toBe("洪^吉洞");
  expect(decode("bb ee", "\\ISO 2022 IR 144")).toBe("Лю");
  expect(decode("4a 6f c3 a3 6f", "\\ISO 2022 IR 100")).toBe("João");
  expect(decode("4a 6f e3 6f", "\\ISO 2022 IR 87")).toBe("João");
});

test("bytes that can't be letters of the second term are read as if it was not there", () => {
  expect(decode("4a 4f c3 4f 5e 41 4e 41", "\\ISO 2022 IR 149")).toBe("JOÃO^ANA");
  expect(decode("4a 4f c3 4f", "\\ISO 2022 IR 58")).toBe("JOÃO");
  expect(decode("4a 6f c3 a3 6f 20 c3 87 61", "\\ISO 2022 IR 149")).toBe("João Ça");
  expect(decode("d0 9b d1 8e", "\\ISO 2022 IR 144")).toBe("Лю");
});

test("an escape ends at the delimiter after it, in paragraphs only at the line", () => {
  expect(decode("1b 2d 4c bb 5c e9", "ISO 2022 IR 100\\ISO 2022 IR 144", "values")).toBe("Л\\é");
  expect(decode("1b 2d 4c bb 5c bb 0d 0a e9", "ISO 2022 IR 100\\ISO 2022 IR 144", "paragraph")).toBe(
    "Л\\Л\r\né",
  );
});

test("a byte 5C inside a character does not separate values", () => {
  const values = (term: string, hex: string) =>
    readTaken(
      sampleFile({
        "00080005": { vr: "CS", Value: term.split("\\") },
        "00081030": { vr: "LO", bytes: Buffer.from(hex.replace(/\s/g, ""), "hex") },
      }),
    ).metadata["00081030"]?.Value;
  expect(values("ISO_IR 13", "83 5c 83 5c 5c 41 42 20")).toEqual(["ソソ", "AB"]);
  expect(values("GBK", "81 5c 5c 41")).toEqual(["乗", "A"]);
  expect(values("\\ISO 2022 IR 87", "1b 24 42 3d 5c 1b 28 42 5c 41 20 20")).toEqual(["旬", "A"]);
});

test("a delimiter before which the writer did not go back from Kanji is kept", () => {
  expect(decode("1b 24 42 3b 33 5c 1b 24 42 45 44", "\\ISO 2022 IR 87", "values")).toBe("山\\田");
  expect(decode("1b 24 42 3b 33 5e 1b 28 42 41", "\\ISO 2022 IR 87")).toBe("山^A");
});

test("half a character at the end of Kanji that were cut is no letter", () => {
  expect(decode("1b 24 42 3b 33 45", "\\ISO 2022 IR 87", "values")).toBe("山");
});

test("an item has its own character set, or inherits that of its data set", () => {
  const latin = { "00080104": { vr: "LO", bytes: Uint8Array.of(0xe9, 0x20) } };
  const { metadata } = readTaken(
    sampleFile({
      "00080005": { vr: "CS", Value: ["ISO_IR 100"] },
      "00081032": {
        vr: "SQ",
        Value: [
          latin,
          { ...latin, "00080005": { vr: "CS", Value: ["ISO_IR 144"] } },
          { "00080005": { vr: "CS", Value: ["ISO_IR 144"] }, "00540220": { vr: "SQ", Value: [latin] } },
        ],
      },
    }),
  );
  const items = JSON.parse(JSON.stringify(metadata["00081032"]?.Value));
  expect(items[0]["00080104"].Value).toEqual(["é"]);
  expect(items[1]["00080104"].Value).toEqual(["щ"]);
  expect(items[2]["00540220"].Value[0]["00080104"].Value).toEqual(["щ"]);
  expect(items[1]["00080005"].Value).toEqual(["ISO_IR 192"]);
});
