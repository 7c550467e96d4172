import { Secret, TOTP } from "otpauth";
import type { Deps } from "../../../deps.ts";

const PERIOD_SECONDS = 30;
/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20;

/** A new secret in base32, as authenticator apps take it. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The URI in the QR code for an authenticator app. */
export function totpUri(secret: string, { issuer, label }: { issuer: string; label: string }): string {
  return totpOf(secret, issuer, label).toString();
}

/** The time step that the code belongs to: the one of `at`, or the one before or after it (RFC 6238 §5.2). */
export function matchingStep(secret: string, code: string, at: Date): number | undefined {
  const timestamp = at.getTime();
  const delta = totpOf(secret).validate({ token: code, timestamp, window: 1 });
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
}

/**
 * Finds the step of a code by this machine's clock, and by the database's if that finds none: a node with a wrong clock takes the codes that
 * the other nodes take.
 */
export function findStep(
  { databaseClock, factorSeal }: Pick<Deps, "databaseClock" | "factorSeal">,
  sealedSecret: string,
  code: string,
): number | undefined {
  const secret = String(factorSeal.open(sealedSecret));
  const byMachine = matchingStep(secret, code, databaseClock.machine.now());
  return byMachine ?? matchingStep(secret, code, databaseClock.now());
}

function totpOf(secret: string, issuer = "", label = ""): TOTP {
  const kind = { algorithm: "SHA1", digits: 6, period: PERIOD_SECONDS };
  return new TOTP({ ...kind, issuer, label, secret: Secret.fromBase32(secret) });
}
