import { Hono } from "hono";
import * as z from "zod/mini";
import {
  identityProofSchema,
  newPasskeySchema,
  passkeyChangeSchema,
  passkeySignInOptionsSchema,
  passkeySignInSchema,
  totpConfirmationSchema,
} from "../../../../shared/api/factors.ts";
import type { Deps } from "../../../deps.ts";
import type { Guard } from "../../../http/guard.ts";
import type { HttpEnv } from "../../../http/http-context.ts";
import { validate } from "../../../http/validate.ts";
import { keepBrowser, visitorOf } from "../sign-in/browser-cookie.ts";
import { beginTotpEnrolment, confirmTotpEnrolment } from "./enrol-totp.ts";
import { findPendingUserId } from "./find-pending-user.ts";
import { proofOptions, signInOptions } from "./passkey-options.ts";
import { readFactors } from "./present-factors.ts";
import { passkeyRegistrationOptions, registerPasskey } from "./register-passkey.ts";
import { removePasskey, removeTotp } from "./remove-factor.ts";
import { renamePasskey } from "./rename-passkey.ts";
import { renewRecoveryCodes } from "./renew-recovery-codes.ts";
import { signInWithPasskey } from "./sign-in-with-passkey.ts";

const idSchema = z.object({ id: z.string().check(z.uuid()) });
const proof = validate("json", identityProofSchema);

/** Passkeys, authenticator app and recovery codes: signing in with them, and their owner's changes. */
export function createFactorsRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.get("/auth/factors", guard({}), async (c) =>
    c.json(await readFactors(deps, c.get("session").userId)),
  );

  routes.post(
    "/auth/passkeys/sign-in-options",
    guard("public"),
    validate("json", passkeySignInOptionsSchema),
    async (c) => {
      const { email } = c.req.valid("json");
      const userId =
        email === undefined ? undefined : await findPendingUserId(deps, email, visitorOf(c, deps.config));
      return c.json(await signInOptions(deps, userId));
    },
  );

  routes.post("/auth/passkeys/sign-in", guard("public"), validate("json", passkeySignInSchema), async (c) => {
    const input = { ...c.req.valid("json"), locale: c.get("locale") };
    const visitor = visitorOf(c, deps.config);
    const user = await signInWithPasskey(deps, input, visitor);
    keepBrowser(c, visitor, deps.config);
    return c.json(user);
  });

  routes.post("/auth/passkeys/proof-options", guard({}), async (c) =>
    c.json(await proofOptions(deps, c.get("session"))),
  );

  routes.post("/auth/passkeys/registration-options", guard({}), proof, async (c) =>
    c.json(
      await passkeyRegistrationOptions(
        deps,
        c.get("session"),
        c.req.valid("json"),
        visitorOf(c, deps.config),
      ),
    ),
  );

  routes.post("/auth/passkeys", guard({}), validate("json", newPasskeySchema), async (c) =>
    c.json(
      await registerPasskey(deps, c.get("session"), c.req.valid("json"), visitorOf(c, deps.config)),
      201,
    ),
  );

  routes.patch(
    "/auth/passkeys/:id",
    guard({}),
    validate("param", idSchema),
    validate("json", passkeyChangeSchema),
    async (c) => {
      const input = { ...c.req.valid("param"), ...c.req.valid("json") };
      return c.json(await renamePasskey(deps, c.get("session"), input, visitorOf(c, deps.config)));
    },
  );

  routes.post("/auth/passkeys/:id/remove", guard({}), validate("param", idSchema), proof, async (c) => {
    const input = { id: c.req.valid("param").id, proof: c.req.valid("json") };
    await removePasskey(deps, c.get("session"), input, visitorOf(c, deps.config));
    return c.json({ removed: true });
  });

  routes.post("/auth/totp", guard({}), proof, async (c) =>
    c.json(
      await beginTotpEnrolment(deps, c.get("session"), c.req.valid("json"), visitorOf(c, deps.config)),
      201,
    ),
  );

  routes.post("/auth/totp/confirm", guard({}), validate("json", totpConfirmationSchema), async (c) =>
    c.json(
      await confirmTotpEnrolment(deps, c.get("session"), c.req.valid("json").code, visitorOf(c, deps.config)),
    ),
  );

  routes.post("/auth/totp/remove", guard({}), proof, async (c) => {
    await removeTotp(deps, c.get("session"), c.req.valid("json"), visitorOf(c, deps.config));
    return c.json({ removed: true });
  });

  routes.post("/auth/recovery-codes", guard({}), proof, async (c) =>
    c.json(
      await renewRecoveryCodes(deps, c.get("session"), c.req.valid("json"), visitorOf(c, deps.config)),
      201,
    ),
  );

  return routes;
}
