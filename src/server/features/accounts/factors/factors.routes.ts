import { Hono } from "hono";
import {
  addPasskeyCall,
  beginTotpCall,
  confirmTotpCall,
  factorsCall,
  identityProofSchema,
  passkeySignInOptionsCall,
  proofOptionsCall,
  registrationOptionsCall,
  removePasskeyCall,
  removeTotpCall,
  renamePasskeyCall,
  renewRecoveryCodesCall,
} from "../../../../shared/api/factors.ts";
import type { Deps } from "../../../deps.ts";
import { describeIn } from "../../../http/describe.ts";
import type { Guard } from "../../../http/guard.ts";
import type { HttpEnv } from "../../../http/http-context.ts";
import { validate, validateId } from "../../../http/validate.ts";
import { wrongCurrentPassword } from "../accounts.errors.ts";
import { visitorOf } from "../sign-in/browser-cookie.ts";
import { beginTotpEnrolment, confirmTotpEnrolment } from "./enrol-totp.ts";
import {
  factorRequired,
  noFactors,
  passkeyKnown,
  passkeyNotFound,
  passkeyRefused,
  passkeysUnavailable,
  tooManyPasskeys,
  totpNotPending,
  totpOff,
  totpOn,
  wrongFactor,
  wrongTotpCode,
} from "./factors.errors.ts";
import { findPendingUserId } from "./find-pending-user.ts";
import { proofOptions, signInOptions } from "./passkey-options.ts";
import { readFactors } from "./present-factors.ts";
import { passkeyRegistrationOptions, registerPasskey } from "./register-passkey.ts";
import { removePasskey, removeTotp } from "./remove-factor.ts";
import { renamePasskey } from "./rename-passkey.ts";
import { renewRecoveryCodes } from "./renew-recovery-codes.ts";

const describe = describeIn("Second factors");
const proof = validate("json", identityProofSchema);

/** Passkeys, authenticator app and recovery codes: their owner's changes. */
export function createFactorsRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.get(
    factorsCall.path,
    guard({}),
    describe(factorsCall, { summary: "Read what second factors the account has" }),
    async (c) => c.json(await readFactors(deps, c.get("session").userId)),
  );

  routes.post(
    passkeySignInOptionsCall.path,
    guard("public"),
    describe(passkeySignInOptionsCall, {
      summary: "Ask for what a passkey signs in with",
      details: "The answer is what `navigator.credentials.get` takes (WebAuthn).",
      problems: [passkeysUnavailable],
    }),
    validate("json", passkeySignInOptionsCall.body),
    async (c) => {
      const { email } = c.req.valid("json");
      const userId =
        email === undefined ? undefined : await findPendingUserId(deps, email, visitorOf(c, deps.config));
      return c.json(await signInOptions(deps, userId));
    },
  );

  routes.post(
    proofOptionsCall.path,
    guard({}),
    describe(proofOptionsCall, {
      summary: "Ask for what a passkey confirms a change with",
      problems: [passkeysUnavailable],
    }),
    async (c) => c.json(await proofOptions(deps, c.get("session"))),
  );

  routes.post(
    registrationOptionsCall.path,
    guard({}),
    describe(registrationOptionsCall, {
      summary: "Begin to add a passkey",
      details: "The answer is what `navigator.credentials.create` takes (WebAuthn).",
      problems: [passkeysUnavailable, tooManyPasskeys, wrongCurrentPassword, factorRequired, wrongFactor],
    }),
    proof,
    async (c) =>
      c.json(
        await passkeyRegistrationOptions(
          deps,
          c.get("session"),
          c.req.valid("json"),
          visitorOf(c, deps.config),
        ),
      ),
  );

  routes.post(
    addPasskeyCall.path,
    guard({}),
    describe(addPasskeyCall, {
      summary: "Add a passkey",
      status: 201,
      details: "`recoveryCodes` come with the first factor, once.",
      problems: [passkeysUnavailable, passkeyRefused, passkeyKnown, tooManyPasskeys],
    }),
    validate("json", addPasskeyCall.body),
    async (c) =>
      c.json(
        await registerPasskey(deps, c.get("session"), c.req.valid("json"), visitorOf(c, deps.config)),
        201,
      ),
  );

  routes.patch(
    renamePasskeyCall.path,
    guard({}),
    describe(renamePasskeyCall, { summary: "Rename a passkey", problems: [passkeyNotFound] }),
    validateId(passkeyNotFound),
    validate("json", renamePasskeyCall.body),
    async (c) => {
      const input = { ...c.req.valid("param"), ...c.req.valid("json") };
      return c.json(await renamePasskey(deps, c.get("session"), input, visitorOf(c, deps.config)));
    },
  );

  routes.post(
    removePasskeyCall.path,
    guard({}),
    describe(removePasskeyCall, {
      summary: "Remove a passkey",
      problems: [passkeyNotFound, wrongCurrentPassword, factorRequired, wrongFactor],
    }),
    validateId(passkeyNotFound),
    proof,
    async (c) => {
      const input = { id: c.req.valid("param").id, proof: c.req.valid("json") };
      await removePasskey(deps, c.get("session"), input, visitorOf(c, deps.config));
      return c.json({ removed: true });
    },
  );

  routes.post(
    beginTotpCall.path,
    guard({}),
    describe(beginTotpCall, {
      summary: "Begin to add an authenticator app",
      status: 201,
      problems: [totpOn, wrongCurrentPassword, factorRequired, wrongFactor],
    }),
    proof,
    async (c) =>
      c.json(
        await beginTotpEnrolment(deps, c.get("session"), c.req.valid("json"), visitorOf(c, deps.config)),
        201,
      ),
  );

  routes.post(
    confirmTotpCall.path,
    guard({}),
    describe(confirmTotpCall, {
      summary: "Add the authenticator app, with its first code",
      problems: [totpNotPending, totpOn, wrongTotpCode],
    }),
    validate("json", confirmTotpCall.body),
    async (c) =>
      c.json(
        await confirmTotpEnrolment(
          deps,
          c.get("session"),
          c.req.valid("json").code,
          visitorOf(c, deps.config),
        ),
      ),
  );

  routes.post(
    removeTotpCall.path,
    guard({}),
    describe(removeTotpCall, {
      summary: "Remove the authenticator app",
      problems: [totpOff, wrongCurrentPassword, factorRequired, wrongFactor],
    }),
    proof,
    async (c) => {
      await removeTotp(deps, c.get("session"), c.req.valid("json"), visitorOf(c, deps.config));
      return c.json({ removed: true });
    },
  );

  routes.post(
    renewRecoveryCodesCall.path,
    guard({}),
    describe(renewRecoveryCodesCall, {
      summary: "Make new recovery codes",
      status: 201,
      details: "The former ones open nothing any more.",
      problems: [noFactors, wrongCurrentPassword, factorRequired, wrongFactor],
    }),
    proof,
    async (c) =>
      c.json(
        await renewRecoveryCodes(deps, c.get("session"), c.req.valid("json"), visitorOf(c, deps.config)),
        201,
      ),
  );

  return routes;
}
