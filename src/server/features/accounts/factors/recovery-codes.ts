import { recoveryCodePattern } from "../../../../shared/rules/sign-in-methods.ts";
import { hashSecret } from "../mailed-links/secrets.ts";

const CODES = 10;
/** Crockford's base 32: no letter that reads like a digit. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const CODE_LENGTH = 16;

/** Ten codes of 80 random bits, in the form users see: `xxxx-xxxx-xxxx-xxxx`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => {
    const values = crypto.getRandomValues(new Uint8Array(CODE_LENGTH));
    const letters = Array.from(values, (value) => ALPHABET[value % ALPHABET.length]).join("");
    return letters.match(/.{4}/g)?.join("-") ?? letters;
  });
}

export function isRecoveryCode(text: string): boolean {
  return recoveryCodePattern.test(text);
}

/**
 * Hashes a code; it is random enough for a fast hash. Accepts what people type: any case, dashes, spaces, O for 0, I and L
 * for 1.
 */
export function hashRecoveryCode(text: string, userId: string): string {
  const plain = text.toLowerCase().replace(/[\s-]/g, "").replace(/o/g, "0").replace(/[il]/g, "1");
  return hashSecret(`${userId} ${plain}`);
}
