/** Hashes for storage: argon2id with the OWASP parameters (19 MiB, 2 passes). */
export async function hashPassword(password: string): Promise<string> {
  return await Bun.password.hash(password, { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 });
}

/** Verifies a password in the same time whether or not the account exists and has a password. */
export async function verifyPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  const isRight = await Bun.password.verify(password, hash ?? (await decoyHash()));
  return isRight && hash != null;
}

let decoy: Promise<string> | undefined;
function decoyHash(): Promise<string> {
  decoy ??= hashPassword(crypto.randomUUID());
  return decoy;
}
