import { crc32 } from "node:zlib";

const POLYNOMIAL = 0xedb88320;
/** x⁰ and x⁸, the highest power last as CRC-32 has its bits. */
const ONE = 2 ** 31;
const ONE_BYTE = 2 ** 23;

/**
 * The CRC-32 of bytes after their beginning is replaced, from the one that they had: the rest need not be read.
 * @param restBytes how many bytes follow the beginning
 */
export function crc32WithPrefix(
  known: number,
  { before, after }: { before: Uint8Array; after: Uint8Array },
  restBytes: number,
): number {
  return (known ^ shifted(crc32(before) ^ crc32(after), restBytes)) >>> 0;
}

/** What a difference of sums becomes behind so many more bytes: times x to the power of their bits. */
function shifted(difference: number, lengthBytes: number): number {
  let factor = ONE;
  let power = ONE_BYTE;
  for (let left = lengthBytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) factor = product(power, factor);
    power = product(power, power);
  }
  return product(factor, difference >>> 0);
}

/** The product of two polynomials modulo that of CRC-32. */
function product(one: number, other: number): number {
  let sum = 0;
  let multiple = other;
  for (let bit = 31; bit >= 0; bit--) {
    if ((one >>> bit) & 1) sum ^= multiple;
    multiple = multiple & 1 ? (multiple >>> 1) ^ POLYNOMIAL : multiple >>> 1;
  }
  return sum >>> 0;
}
