import { Hono } from "hono";
import { emailOnlySchema } from "../../../shared/api/account-fields.ts";
import {
  linkTokenSchema,
  loginSchema,
  resetPasswordSchema,
  verifyCodeSchema,
} from "../../../shared/api/auth.ts";
import { registerSchema } from "../../../shared/api/register.ts";
import type { Deps } from "../../deps.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { stopEmailChange } from "../accounts/addresses/stop-email-change.ts";
import { forgotPassword, resetPassword } from "../accounts/passwords/reset-password.ts";
import { signOut } from "../accounts/sessions/sign-out.ts";
import { keepBrowser, visitorOf } from "../accounts/sign-in/browser-cookie.ts";
import { readDeviceCookie, writeDeviceCookie } from "../accounts/sign-in/device-cookie.ts";
import { resendCode } from "../accounts/sign-in/send-code.ts";
import { signIn } from "../accounts/sign-in/sign-in.ts";
import { verifyCode } from "../accounts/sign-in/verify-code.ts";
import { readCurrentUser } from "./read-current-user.ts";
import { registerUser } from "./register-user.ts";

export function createAuthRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post("/auth/register", guard("public"), validate("json", registerSchema), async (c) =>
    c.json(await registerUser(deps, { ...c.req.valid("json"), locale: c.get("locale") }, originOf(c)), 201),
  );

  routes.post("/auth/login", guard("public"), validate("json", loginSchema), async (c) => {
    const device = { deviceToken: readDeviceCookie(c), locale: c.get("locale") };
    const visitor = visitorOf(c, deps.config);
    const answer = await signIn(deps, { ...c.req.valid("json"), ...device }, visitor);
    keepBrowser(c, visitor, deps.config);
    return c.json(answer);
  });

  routes.post("/auth/verify-2fa", guard("public"), validate("json", verifyCodeSchema), async (c) => {
    const input = { ...c.req.valid("json"), locale: c.get("locale") };
    const visitor = visitorOf(c, deps.config);
    const { user, deviceToken } = await verifyCode(deps, input, visitor);
    if (deviceToken) writeDeviceCookie(c, deviceToken);
    keepBrowser(c, visitor, deps.config);
    return c.json(user);
  });

  routes.post("/auth/resend-code", guard("public"), validate("json", emailOnlySchema), async (c) => {
    await resendCode(deps, { ...c.req.valid("json"), locale: c.get("locale") }, visitorOf(c, deps.config));
    return c.json({ sent: true });
  });

  routes.post("/auth/forgot-password", guard("public"), validate("json", emailOnlySchema), async (c) => {
    await forgotPassword(
      deps,
      { ...c.req.valid("json"), locale: c.get("locale") },
      visitorOf(c, deps.config),
    );
    return c.json({ sent: true });
  });

  routes.post("/auth/reset-password", guard("public"), validate("json", resetPasswordSchema), async (c) => {
    const visitor = visitorOf(c, deps.config);
    await resetPassword(deps, c.req.valid("json"), visitor);
    keepBrowser(c, visitor, deps.config);
    return c.json({ reset: true });
  });

  routes.post("/auth/stop-email-change", guard("public"), validate("json", linkTokenSchema), async (c) =>
    c.json(await stopEmailChange(deps, c.req.valid("json").token, originOf(c))),
  );

  routes.post("/auth/logout", guard({}), async (c) => {
    await signOut(deps, c.get("session"), originOf(c));
    return c.json({ signedOut: true });
  });

  routes.get("/auth/me", guard({}), async (c) => c.json(await readCurrentUser(deps, c.get("session"))));

  return routes;
}
