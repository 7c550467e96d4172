/** BR Code, "Pix copia e cola": EMV QRCPS-MPM with the Pix arrangement (BACEN, Manual de Padrões para Iniciação do Pix). */

const CURRENCY_BRL = "986";
/** `9999999999.99`, the largest amount that field 54 and API Pix can hold. */
const MAX_CENTS = 999_999_999_999;

export interface StaticPix {
  /** Chave Pix: CPF, CNPJ, e-mail, phone or random key. */
  chave: string;
  merchantName: string;
  merchantCity: string;
  /** Integer cents; if absent, the payer types the amount. */
  amountCents?: number;
  /** 1–25 of `[A-Za-z0-9]`; `***` means none. */
  txid?: string;
}

/** Returns a static BR Code. @throws {RangeError} if a field cannot be encoded */
export function staticBrCode(pix: StaticPix): string {
  const account = field("00", "br.gov.bcb.pix") + field("01", pix.chave);
  return seal(account, pix, pix.txid ?? "***");
}

/** Returns a dynamic BR Code: the payer's bank reads the charge at `location` (an address without its scheme). */
export function dynamicBrCode(pix: { location: string; merchantName: string; merchantCity: string }): string {
  const account = field("00", "br.gov.bcb.pix") + field("25", pix.location.replace(/^https?:\/\//, ""));
  return seal(account, pix, "***");
}

function seal(
  account: string,
  pix: { merchantName: string; merchantCity: string; amountCents?: number },
  txid: string,
): string {
  if (!/^(\*\*\*|[A-Za-z0-9]{1,25})$/.test(txid)) throw new RangeError("txid: 1 to 25 letters and digits");
  const { amountCents } = pix;
  const isAmount = amountCents === undefined || (Number.isSafeInteger(amountCents) && amountCents > 0);
  if (!isAmount || (amountCents ?? 0) > MAX_CENTS)
    throw new RangeError(`amount: whole cents from 1 to ${MAX_CENTS}`);
  const unsigned =
    field("00", "01") +
    field("26", account) +
    field("52", "0000") +
    field("53", CURRENCY_BRL) +
    (amountCents === undefined ? "" : field("54", centsToDecimal(amountCents))) +
    field("58", "BR") +
    field("59", plain(pix.merchantName, 25)) +
    field("60", plain(pix.merchantCity, 15)) +
    field("62", field("05", txid)) +
    "6304";
  return unsigned + crc16(unsigned);
}

/** Formats cents as API Pix and BR Code write amounts: `1990` → `"19.90"`. */
export function centsToDecimal(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}

/** Parses such an amount exactly; `undefined` if `text` is not `\d{1,10}\.\d{2}`. */
export function decimalToCents(text: string): number | undefined {
  const match = /^(\d{1,10})\.(\d{2})$/.exec(text);
  return match ? Number(match[1]) * 100 + Number(match[2]) : undefined;
}

/** Names are written without accents because not every bank's reader accepts them. */
function plain(text: string, maxLength: number): string {
  const ascii = text
    .normalize("NFD")
    .replace(/[^\x20-\x7e]/g, "")
    .trim()
    .slice(0, maxLength)
    .trim();
  if (ascii === "") throw new RangeError("merchant name and city can't be empty");
  return ascii;
}

function field(id: string, value: string): string {
  // Lengths and checksum count characters here and bytes in a reader, which are the same in ASCII.
  if (!/^[\x20-\x7e]{1,99}$/.test(value)) throw new RangeError(`field ${id}: 1 to 99 characters of ASCII`);
  return id + String(value.length).padStart(2, "0") + value;
}

/** CRC-16/CCITT-FALSE over the ASCII text, four capital hex digits. */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const character of text) {
    crc ^= character.charCodeAt(0) << 8;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
      crc &= 0xffff;
    }
  }
  return crc.toString(16).toUpperCase().padStart(4, "0");
}
