/** 256 random bits for a link or a device, as base64url. */
export function newSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

/** Secrets are stored hashed; they are random enough for a fast hash. */
export function hashSecret(secret: string): string {
  return new Bun.CryptoHasher("sha256").update(secret).digest("hex");
}

/** Six random digits. */
export function newCode(): string {
  const limit = 1_000_000;
  const values = new Uint32Array(1);
  do crypto.getRandomValues(values);
  while ((values[0] ?? 0) >= Math.floor(2 ** 32 / limit) * limit); // no digit more likely than another
  return String((values[0] ?? 0) % limit).padStart(6, "0");
}

/** A code's hash is bound to its challenge: the same digits hash differently each time. */
export function hashCode(code: string, challengeId: string): string {
  return hashSecret(`${challengeId} ${code}`);
}
