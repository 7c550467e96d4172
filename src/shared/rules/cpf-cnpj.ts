import { isValidCnpj } from "@brazilian-utils/brazilian-utils/is-valid-cnpj";
import { isValidCpf } from "@brazilian-utils/brazilian-utils/is-valid-cpf";

const CPF_LENGTH = 11;

/** Longest text of the masked field: `##.###.###/####-##`. */
export const taxIdMaxLength = 18;

/** A CPF or CNPJ without its punctuation, letters (of an alphanumeric CNPJ) in upper case. */
export function plainTaxId(text: string): string {
  return text.replace(/[^0-9A-Za-z]/g, "").toUpperCase();
}

export function isCpfOrCnpj(text: string): boolean {
  const plain = plainTaxId(text);
  return isCpf(plain) || isCnpj(plain);
}

/** 11 digits, not all the same, with both check digits correct. */
function isCpf(plain: string): boolean {
  return /^\d{11}$/.test(plain) && isValidCpf(plain);
}

/** 12 digits or letters and two check digits, not all the same (Receita Federal, IN RFB 2.229/2024). */
function isCnpj(plain: string): boolean {
  return /^[0-9A-Z]{12}\d{2}$/.test(plain) && isValidCnpj(plain, { version: 2 });
}

/** Adds the punctuation for as much as was typed: of a CPF up to 11 digits, of a CNPJ beyond that or with a letter. */
export function maskTaxId(text: string): string {
  const plain = plainTaxId(text);
  const isCpfSoFar = plain.length <= CPF_LENGTH && /^\d*$/.test(plain);
  return isCpfSoFar ? punctuate(plain, "###.###.###-##") : punctuate(plain, "##.###.###/####-##");
}

function punctuate(plain: string, pattern: string): string {
  let masked = "";
  let index = 0;
  for (const place of pattern) {
    if (index >= plain.length) break;
    masked += place === "#" ? plain.charAt(index++) : place;
  }
  return masked;
}
