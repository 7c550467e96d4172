const CPF_LENGTH = 11;
const CNPJ_LENGTH = 14;

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

/** 11 digits, not all alike, both check digits right (mod 11, weights from 10 and 11 down to 2). */
export function isCpf(plain: string): boolean {
  if (!/^\d{11}$/.test(plain) || isOneCharacter(plain)) return false;
  const weight = (length: number, index: number) => length + 1 - index;
  return hasCheckDigits(plain, CPF_LENGTH - 2, weight);
}

/**
 * 12 digits or letters and two check digits, not all alike. A character counts its ASCII code less 48, so that
 * digits count themselves (Receita Federal, IN RFB 2.229/2024).
 */
export function isCnpj(plain: string): boolean {
  if (!/^[0-9A-Z]{12}\d{2}$/.test(plain) || isOneCharacter(plain)) return false;
  const weight = (length: number, index: number) => 2 + ((length - 1 - index) % 8);
  return hasCheckDigits(plain, CNPJ_LENGTH - 2, weight);
}

/** Puts the punctuation in as far as the text goes: a CPF up to 11 digits, a CNPJ beyond or with a letter. */
export function maskTaxId(text: string): string {
  const plain = plainTaxId(text);
  const isCpfSoFar = plain.length <= CPF_LENGTH && /^\d*$/.test(plain);
  return isCpfSoFar ? punctuate(plain, "###.###.###-##") : punctuate(plain, "##.###.###/####-##");
}

function isOneCharacter(plain: string): boolean {
  return plain === plain.charAt(0).repeat(plain.length);
}

function hasCheckDigits(
  plain: string,
  bodyLength: number,
  weight: (length: number, index: number) => number,
): boolean {
  for (const length of [bodyLength, bodyLength + 1]) {
    let sum = 0;
    for (let index = 0; index < length; index++) {
      sum += (plain.charCodeAt(index) - 48) * weight(length, index);
    }
    const rest = sum % 11;
    if (plain.charCodeAt(length) - 48 !== (rest < 2 ? 0 : 11 - rest)) return false;
  }
  return true;
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
