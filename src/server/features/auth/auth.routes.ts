import { Hono } from "hono";
import {
  emailOnlySchema,
  loginSchema,
  registerSchema,
  resetPasswordSchema,
  verifyCodeSchema,
} from "../../../shared/api/auth.ts";
import type { Deps } from "../../deps.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { readCurrentUser } from "../users/read-current-user.ts";
import { readDeviceCookie, writeDeviceCookie } from "./device-cookie.ts";
import { registerUser } from "./register-user.ts";
import { forgotPassword, resetPassword } from "./reset-password.ts";
import { resendCode } from "./send-code.ts";
import { signIn } from "./sign-in.ts";
import { signOut } from "./sign-out.ts";
import { verifyCode } from "./verify-code.ts";

export function createAuthRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post("/auth/register", guard("public"), validate("json", registerSchema), async (c) =>
    c.json(await registerUser(deps, { ...c.req.valid("json"), locale: c.get("locale") }, originOf(c)), 201),
  );

  routes.post("/auth/login", guard("public"), validate("json", loginSchema), async (c) => {
    const device = { deviceToken: readDeviceCookie(c), locale: c.get("locale") };
    return c.json(await signIn(deps, { ...c.req.valid("json"), ...device }, originOf(c)));
  });

  routes.post("/auth/verify-2fa", guard("public"), validate("json", verifyCodeSchema), async (c) => {
    const input = { ...c.req.valid("json"), locale: c.get("locale") };
    const { user, deviceToken } = await verifyCode(deps, input, originOf(c));
    if (deviceToken) writeDeviceCookie(c, deviceToken);
    return c.json(user);
  });

  routes.post("/auth/resend-code", guard("public"), validate("json", emailOnlySchema), async (c) => {
    await resendCode(deps, { ...c.req.valid("json"), locale: c.get("locale") });
    return c.json({ sent: true });
  });

  routes.post("/auth/forgot-password", guard("public"), validate("json", emailOnlySchema), async (c) => {
    await forgotPassword(deps, { ...c.req.valid("json"), locale: c.get("locale") }, originOf(c));
    return c.json({ sent: true });
  });

  routes.post("/auth/reset-password", guard("public"), validate("json", resetPasswordSchema), async (c) => {
    await resetPassword(deps, c.req.valid("json"), originOf(c));
    return c.json({ reset: true });
  });

  routes.post("/auth/logout", guard({}), async (c) => {
    await signOut(deps, c.get("session"), originOf(c));
    return c.json({ signedOut: true });
  });

  routes.get("/auth/me", guard({}), async (c) => c.json(await readCurrentUser(deps, c.get("session"))));

  return routes;
}
