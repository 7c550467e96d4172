/** Whether `text` is accepted as a UID: 1 to 64 digits and dots. Real archives do not keep the stricter rules. */
export function isUid(text: string): boolean {
  return /^[0-9.]{1,64}$/.test(text);
}

/** A new UID made from a random UUID (PS3.5 §B.2). */
export function newUid(): string {
  return `2.25.${BigInt(`0x${crypto.randomUUID().replaceAll("-", "")}`)}`;
}
