import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts values at rest, so that the database alone does not reveal them. */
export interface Seal {
  close(value: unknown): string;
  /** @throws if the text was sealed with another secret, or was changed */
  open(sealed: string): unknown;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM with one key for each purpose, derived from AUTH_SECRET. */
export function createSeal(secret: string, purpose: string): Seal {
  const key = Buffer.from(hkdfSync("sha256", secret, "", `exameteca ${purpose}`, 32));
  return {
    close(value) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const body = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return JSON.parse(Buffer.concat([body, decipher.final()]).toString("utf8"));
    },
  };
}
