import { TOTP } from "otpauth";
import type {
  Factors,
  PasskeyAnswer,
  RecoveryCodesAnswer,
  TotpEnrolment,
} from "../../../src/shared/api/factors.ts";
import type { SoftwareAuthenticator } from "./software-authenticator.ts";
import type { Person, TestApp } from "./test-app.ts";

/** The code that an authenticator app shows for a secret at a time. */
export function totpAt(secret: string, at: Date): string {
  return new TOTP({ secret }).generate({ timestamp: at.getTime() });
}

/** The options that a browser is asked with, as far as a test reads them. */
export interface PasskeyOptions {
  challenge: string;
  rp: { id: string };
  rpId: string;
  user: { id: string };
  allowCredentials?: { id: string }[];
  excludeCredentials?: { id: string }[];
}

/** Calls of the account's own security settings, as `person`. */
export function factorsOf(t: TestApp) {
  const ask = async <Body>(method: string, path: string, as: Person | undefined, json?: unknown) => {
    const answer = await t.call(method, path, { as, ...(json !== undefined && { json }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Body;
  };
  return {
    read: (person: Person) => ask<Factors>("GET", "/api/auth/factors", person),
    registrationOptions: (person: Person, proof: object = { currentPassword: person.password }) =>
      ask<PasskeyOptions>("POST", "/api/auth/passkeys/registration-options", person, proof),
    proofOptions: (person: Person) =>
      ask<PasskeyOptions>("POST", "/api/auth/passkeys/proof-options", person, {}),
    signInOptions: (json: object = {}) =>
      ask<PasskeyOptions>("POST", "/api/auth/passkeys/sign-in-options", undefined, json),
    async addPasskey(person: Person, key: SoftwareAuthenticator, name = "Chave", proof?: object) {
      const options = await this.registrationOptions(person, proof);
      const json = { name, response: key.register(options) };
      return await ask<PasskeyAnswer>("POST", "/api/auth/passkeys", person, json);
    },
    /** Adds an authenticator app; answers its secret and the recovery codes, if it was the first factor. */
    async addTotp(person: Person, proof: object = { currentPassword: person.password }) {
      const { secret } = await ask<TotpEnrolment>("POST", "/api/auth/totp", person, proof);
      const json = { code: totpAt(secret, t.deps.clock.now()) };
      const answer = await ask<RecoveryCodesAnswer>("POST", "/api/auth/totp/confirm", person, json);
      return { secret, recoveryCodes: answer.recoveryCodes ?? [] };
    },
  };
}
