import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  centsToDecimal,
  crc16,
  decimalToCents,
  dynamicBrCode,
  type StaticPix,
  staticBrCode,
} from "../../../src/shared/rules/br-code.ts";
import { syntaxFixture } from "../../support/dicom/syntax-fixture.ts";
import { loadOpenApi } from "../../support/psp/open-api.ts";
import { checksum, readBrCode, readFields } from "../../support/psp/read-br-code.ts";

const MAX_CENTS = 999_999_999_999;
const published = syntaxFixture("br-code_valid");

const printable = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
const printableText = (maxLength: number) => fc.string({ unit: printable, minLength: 1, maxLength });
const alphanumeric = (maxLength: number) => fc.stringMatching(new RegExp(`^[A-Za-z0-9]{1,${maxLength}}$`));
/** Whatever people call themselves, as long as a letter without its accent is in it. */
const name = fc
  .tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }))
  .map(([a, b]) => `X${a}é${b}`);
const merchant = { merchantName: name, merchantCity: name };
const cents = fc.integer({ min: 1, max: MAX_CENTS });
const staticPix: fc.Arbitrary<StaticPix> = fc.record(
  { ...merchant, chave: printableText(77), amountCents: cents, txid: alphanumeric(25) },
  { requiredKeys: ["chave", "merchantName", "merchantCity"] },
);

describe("BR Code", () => {
  test.each(published)("the published code %s is read, and its checksum is ours", (code) => {
    const read = readBrCode(code);
    expect(read).toMatchObject({ merchantName: "Fulano de Tal", merchantCity: "BRASILIA", txid: "***" });
    expect(crc16(code.slice(0, -4))).toBe(code.slice(-4));
  });

  test("a published static code is reproduced exactly", () => {
    const chave = "123e4567-e12b-12d1-a456-426655440000";
    const code = staticBrCode({ chave, merchantName: "Fulano de Tal", merchantCity: "BRASILIA" });
    expect(code).toBe(published[0] ?? "");
  });

  test("a published dynamic code differs from ours only in the single-use mark", () => {
    const location = "https://pix.example.com/8b3da2f39a4140d1a91abd93113bd441";
    const code = dynamicBrCode({ location, merchantName: "Fulano de Tal", merchantCity: "BRASILIA" });
    expect(code.slice(0, -4)).toBe((published[1] ?? "").replace("010212", "").slice(0, -4));
    expect(readBrCode(code).location).toBe("pix.example.com/8b3da2f39a4140d1a91abd93113bd441");
  });

  const openApi = loadOpenApi();
  test.skipIf(!openApi)("every code in the Central Bank's OpenAPI file is among the published ones", () => {
    expect(openApi?.brCodes.length).toBeGreaterThan(0);
    expect(openApi?.brCodes.filter((code) => !published.includes(code))).toEqual([]);
  });

  test("the checksum is CRC-16/CCITT-FALSE", () => {
    expect(crc16("123456789")).toBe("29B1");
    expect(crc16("")).toBe("FFFF");
    fc.assert(fc.property(printableText(512), (text) => expect(crc16(text)).toBe(checksum(text))));
  });

  test("a static code reads back as it was made, whatever its values", () => {
    const isRead = fc.property(staticPix, (pix) => {
      const code = staticBrCode(pix);
      expect(code).toMatch(/^[\x20-\x7e]+$/);
      const { chave, amountCents, txid = "***" } = pix;
      expect(readBrCode(code)).toMatchObject({ chave, amountCents, txid, location: undefined });
    });
    fc.assert(isRead);
  });

  test("a dynamic code says where the charge is, and leaves the amount to the charge", () => {
    const location = fc.stringMatching(/^[a-z0-9.-]{1,20}(\/[A-Za-z0-9._~-]{1,18}){0,3}$/);
    const isRead = fc.property(
      location,
      fc.record(merchant),
      fc.constantFrom("", "https://"),
      (at, who, scheme) => {
        const read = readBrCode(dynamicBrCode({ location: scheme + at, ...who }));
        expect(read).toMatchObject({ location: at, chave: undefined, amountCents: undefined, txid: "***" });
      },
    );
    fc.assert(isRead);
  });

  test("names are shortened to fit and lose their accents", () => {
    const fits = fc.property(staticPix, (pix) => {
      const { merchantName, merchantCity } = readBrCode(staticBrCode(pix));
      expect(merchantName).toMatch(/^[\x21-\x7e]([\x20-\x7e]{0,23}[\x21-\x7e])?$/);
      expect(merchantCity).toMatch(/^[\x21-\x7e]([\x20-\x7e]{0,13}[\x21-\x7e])?$/);
    });
    fc.assert(fits);
    const code = staticBrCode({
      chave: "a@b",
      merchantName: "Ação e Coração",
      merchantCity: "São João d'El-Rei",
    });
    expect(readBrCode(code)).toMatchObject({
      merchantName: "Acao e Coracao",
      merchantCity: "Sao Joao d'El-R",
    });
  });

  test("a code with one wrong character is never accepted", () => {
    const isNoticed = fc.property(staticPix, fc.nat(), printable, (pix, place, character) => {
      const code = staticBrCode(pix);
      const at = place % code.length;
      fc.pre(code[at] !== character);
      expect(() => readBrCode(code.slice(0, at) + character + code.slice(at + 1))).toThrow(SyntaxError);
    });
    fc.assert(isNoticed, { numRuns: 300 });
  });

  const good = { chave: "a@b", merchantName: "A", merchantCity: "B" };
  test.each([
    { chave: "" },
    { chave: "a".repeat(78) },
    { chave: "josé@example.com" },
    { chave: "a\n" },
    { merchantName: "" },
    { merchantName: "診療所" },
    { merchantCity: "\u0301" },
    { amountCents: 0 },
    { amountCents: -1 },
    { amountCents: 0.5 },
    { amountCents: Number.NaN },
    { amountCents: MAX_CENTS + 1 },
    { txid: "" },
    { txid: "a".repeat(26) },
    { txid: "a-b" },
  ])("what a code can't carry is refused: %p", (wrong) => {
    expect(() => staticBrCode({ ...good, ...wrong })).toThrow(RangeError);
  });

  test("a location that a code can't carry is refused", () => {
    for (const location of ["", "https://", "a".repeat(78), "pix.example.com/é"])
      expect(() => dynamicBrCode({ location, merchantName: "A", merchantCity: "B" })).toThrow(RangeError);
  });

  test("a code is read field by field, and refused if a field is repeated or cut", () => {
    expect([...readFields("000201540419.9")]).toEqual([
      ["00", "01"],
      ["54", "19.9"],
    ]);
    for (const wrong of ["0", "00", "0002", "000201000201", "xx02ab", "00-1"])
      expect(() => readFields(wrong)).toThrow();
  });
});

describe("amounts", () => {
  test("convert exactly between cents and decimals, in both directions", () => {
    const isSame = fc.property(fc.integer({ min: 0, max: MAX_CENTS }), (amountCents) => {
      const text = centsToDecimal(amountCents);
      expect(text).toMatch(/^(0|[1-9]\d{0,9})\.\d\d$/);
      expect(decimalToCents(text)).toBe(amountCents);
    });
    fc.assert(isSame, { examples: [[0], [1], [9], [10], [99], [100], [101], [MAX_CENTS]] });
  });

  test.each([
    [1990, "19.90"],
    [1, "0.01"],
    [100, "1.00"],
    [1_234_567_890_12, "1234567890.12"],
  ] as const)("%i cents are %s", (amountCents, text) => {
    expect(centsToDecimal(amountCents)).toBe(text);
    expect(decimalToCents(text)).toBe(amountCents);
  });

  test.each([
    "",
    "1",
    "1.9",
    "1,90",
    "1.900",
    "-1.00",
    "+1.00",
    " 1.00",
    "1.00\n",
    "1e2.00",
    "12345678901.00",
    "１.00",
  ])("%p is no amount", (text) => {
    expect(decimalToCents(text)).toBeUndefined();
  });
});
