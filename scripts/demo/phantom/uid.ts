/** A UID under 2.25 (PS3.5 §B.2). Its UUID is derived from the parts, so the same parts give the same UID. */
export function uidOf(...parts: (string | number)[]): string {
  const digest = new Bun.CryptoHasher("sha256").update(parts.join("\u0000")).digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  return `2.25.${BigInt(`0x${digest.subarray(0, 16).toString("hex")}`)}`;
}
