import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isCpfOrCnpj, maskTaxId, plainTaxId, taxIdMaxLength } from "../../../src/shared/rules/cpf-cnpj.ts";

describe("a CPF or CNPJ", () => {
  test.each([
    "529.982.247-25",
    "52998224725",
    "123.456.713-00",
    "11.222.333/0001-81",
    "12.ABC.345/01DE-35",
    "12abc34501de35",
  ])("%s is accepted", (text) => expect(isCpfOrCnpj(text)).toBe(true));

  test.each([
    "529.982.247-24",
    "111.111.111-11",
    "00.000.000/0000-00",
    "11.222.333/0001-80",
    "12.ABC.345/01DE-36",
    "12.ABC.345/01DE-3A",
    "5299822472",
    "",
  ])("%s is refused", (text) => expect(isCpfOrCnpj(text)).toBe(false));

  test("with one digit changed is never accepted", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 1, max: 9 }), (place, step) => {
        const digits = [..."52998224725"];
        digits[place] = String((Number(digits[place]) + step) % 10);
        // The second check digit covers the first, so one wrong digit is always found.
        expect(isCpfOrCnpj(digits.join(""))).toBe(false);
      }),
    );
  });
});

describe("the mask", () => {
  test.each([
    ["", ""],
    ["529", "529"],
    ["5299", "529.9"],
    ["52998224725", "529.982.247-25"],
    ["112223330001", "11.222.333/0001"],
    ["11222333000181", "11.222.333/0001-81"],
    ["1122233300018199", "11.222.333/0001-81"],
  ])("shows %p as %p", (typed, shown) => expect(maskTaxId(typed)).toBe(shown));

  test("never exceeds the field, keeps what was typed, and is the same when applied twice", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (text) => {
        const masked = maskTaxId(text);
        expect(masked.length).toBeLessThanOrEqual(taxIdMaxLength);
        expect(plainTaxId(text).startsWith(plainTaxId(masked))).toBe(true);
        expect(maskTaxId(masked)).toBe(masked);
      }),
    );
  });
});
