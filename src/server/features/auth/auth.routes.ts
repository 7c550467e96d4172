import { Hono } from "hono";
import { loginSchema, registerSchema } from "../../../shared/api/auth.ts";
import type { Deps } from "../../deps.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { readCurrentUser } from "../users/read-current-user.ts";
import { registerUser } from "./register-user.ts";
import { signIn } from "./sign-in.ts";
import { signOut } from "./sign-out.ts";

export function createAuthRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post("/auth/register", guard("public"), validate("json", registerSchema), async (c) =>
    c.json(await registerUser(deps, c.req.valid("json"), originOf(c)), 201),
  );

  routes.post("/auth/login", guard("public"), validate("json", loginSchema), async (c) =>
    c.json(await signIn(deps, c.req.valid("json"), originOf(c))),
  );

  routes.post("/auth/logout", guard({}), async (c) => {
    await signOut(deps, c.get("session"), originOf(c));
    return c.json({ signedOut: true });
  });

  routes.get("/auth/me", guard({}), async (c) => {
    c.header("Cache-Control", "private, no-store");
    return c.json(await readCurrentUser(deps, c.get("session")));
  });

  return routes;
}
