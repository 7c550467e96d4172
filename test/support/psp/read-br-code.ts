/** A BR Code as an app that pays reads it. */
export interface ReadBrCode {
  /** Of the key that a static code names. */
  chave: string | undefined;
  /** The address of a dynamic code's charge, without its scheme. */
  location: string | undefined;
  amountCents: number | undefined;
  merchantName: string;
  merchantCity: string;
  txid: string;
}

/** Identifiers and values of EMV QRCPS-MPM: two digits, two digits of length, the value. */
export function readFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const head = /^(\d\d)(\d\d)$/.exec(text.slice(at, at + 4));
    if (!head?.[1]) throw new SyntaxError(`no field at ${at}`);
    const end = at + 4 + Number(head[2]);
    if (end > text.length) throw new SyntaxError(`field ${head[1]} is cut short`);
    if (fields.has(head[1])) throw new SyntaxError(`field ${head[1]} comes twice`);
    fields.set(head[1], text.slice(at + 4, end));
    at = end;
  }
  return fields;
}

/** Reads a Pix code and checks all that a payer's app checks. @throws {SyntaxError} */
export function readBrCode(code: string): ReadBrCode {
  const fields = readFields(code);
  const field = (id: string) => {
    const value = fields.get(id);
    if (value === undefined) throw new SyntaxError(`no field ${id}`);
    return value;
  };
  if (checksum(code.slice(0, -4)) !== field("63") || !code.endsWith(field("63")))
    throw new SyntaxError("CRC");
  const constants = [field("00"), field("52"), field("53"), field("58")].join(" ");
  if (constants !== "01 0000 986 BR") throw new SyntaxError(`not a Pix: ${constants}`);
  const account = readFields(field("26"));
  if (account.get("00") !== "br.gov.bcb.pix") throw new SyntaxError("not a Pix: another arrangement");
  const amount = fields.get("54");
  if (amount !== undefined && !/^\d{1,10}\.\d\d$/.test(amount)) throw new SyntaxError(`amount ${amount}`);
  return {
    chave: account.get("01"),
    location: account.get("25"),
    amountCents: amount === undefined ? undefined : Number(amount.replace(".", "")),
    merchantName: field("59"),
    merchantCity: field("60"),
    txid: readFields(field("62")).get("05") ?? "",
  };
}

/** CRC-16 with the polynomial 0x1021 from 0xFFFF, bit by bit over the message, as ITU-T V.41 draws it. */
export function checksum(text: string): string {
  let register = 0xffff;
  for (const byte of new TextEncoder().encode(text)) {
    for (let mask = 0x80; mask > 0; mask >>= 1) {
      const feedback = ((register >> 15) & 1) !== ((byte & mask) === 0 ? 0 : 1);
      register = (register * 2) % 0x10000;
      if (feedback) register ^= 0x1021;
    }
  }
  return register.toString(16).toUpperCase().padStart(4, "0");
}

/** A code as a PSP writes it; independent of the product's own writer, so that neither hides the other's mistakes. */
export function writeFields(fields: [id: string, value: string][]): string {
  return fields.map(([id, value]) => `${id}${String(value.length).padStart(2, "0")}${value}`).join("");
}
