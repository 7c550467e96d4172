import { Hono, type HonoRequest } from "hono";
import * as z from "zod/mini";
import {
  factorClearingSchema,
  newUserSchema,
  ownDeletionSchema,
  profileChangeSchema,
  userChangeSchema,
} from "../../../shared/api/users.ts";
import type { Deps } from "../../deps.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { confirmEmail } from "../accounts/addresses/confirm-email.ts";
import { listUsersWithFactors } from "../accounts/factors/factors.repo.ts";
import { keepBrowser, visitorOf } from "../accounts/sign-in/browser-cookie.ts";
import { acceptTerms } from "../accounts/users/accept-terms.ts";
import { changeProfile } from "../accounts/users/change-profile.ts";
import { clearSecondFactors } from "../accounts/users/clear-second-factors.ts";
import { presentUser } from "../accounts/users/present-user.ts";
import { listUsers } from "../accounts/users/users.repo.ts";
import { deleteOwnAccount } from "../removals/delete-own-account.ts";
import { deleteUser } from "../removals/delete-user.ts";
import { addUser } from "./add-user.ts";
import { changeUser } from "./change-user.ts";

const admin = { roles: ["admin"] } as const;
const idSchema = z.object({ id: z.string().check(z.uuid()) });

export function createUsersRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post("/users/accept-terms", guard({}), async (c) => {
    const input = { userId: c.get("session").userId, locale: c.get("locale") };
    return c.json(await acceptTerms(deps, input, originOf(c)));
  });

  routes.patch("/users/profile", guard({}), validate("json", profileChangeSchema), async (c) => {
    const change = { ...c.req.valid("json"), locale: c.get("locale") };
    const visitor = visitorOf(c, deps.config);
    const answer = await changeProfile(deps, c.get("session"), change, visitor);
    if (answer.token) keepBrowser(c, visitor, deps.config);
    return c.json(answer);
  });

  routes.post("/users/delete-own", guard({}), validate("json", ownDeletionSchema), async (c) => {
    await deleteOwnAccount(deps, c.get("session"), c.req.valid("json").password, visitorOf(c, deps.config));
    return c.json({ deleted: true });
  });

  routes.get("/users", guard(admin), async (c) => {
    const [rows, withFactors] = await Promise.all([listUsers(deps.db), listUsersWithFactors(deps.db)]);
    return c.json(
      rows.map(({ user, expiresAt }) => ({
        ...presentUser(user, expiresAt),
        hasSecondFactor: withFactors.has(user.id),
      })),
    );
  });

  routes.post("/users", guard(admin), validate("json", newUserSchema), async (c) => {
    const input = { ...c.req.valid("json"), locale: c.get("locale") };
    return c.json(await addUser(deps, c.get("session"), input, originOf(c)), 201);
  });

  routes.patch(
    "/users/:id",
    guard(admin),
    validate("param", idSchema),
    validate("json", userChangeSchema),
    async (c) => {
      const input = { id: c.req.valid("param").id, change: c.req.valid("json"), locale: c.get("locale") };
      return c.json(await changeUser(deps, c.get("session"), input, originOf(c)));
    },
  );

  routes.post(
    "/users/:id/clear-factors",
    guard(admin),
    validate("param", idSchema),
    validate("json", factorClearingSchema),
    async (c) => {
      const input = { ...c.req.valid("param"), ...c.req.valid("json") };
      await clearSecondFactors(deps, c.get("session"), input, visitorOf(c, deps.config));
      return c.json({ cleared: true });
    },
  );

  routes.delete("/users/:id", guard(admin), validate("param", idSchema), async (c) => {
    await deleteUser(deps, c.get("session"), c.req.valid("param").id, originOf(c));
    return c.json({ deleted: true });
  });

  return routes;
}

/**
 * The page a mailed link opens; it is no part of `/api`. Opening it confirms. A program that only looks whether the link
 * is alive (HEAD), or fetches it in case somebody opens it, opens nothing.
 */
export function createConfirmEmailRoutes(deps: Deps, guard: Guard) {
  return new Hono<HttpEnv>().get("/confirm-email/:token", guard("public"), async (c) => {
    c.header("Cache-Control", "no-store");
    if (c.req.method === "HEAD") return c.body(null, 204);
    // A browser asks again once the page is really wanted.
    if (isFetchedAhead(c.req)) return c.body(null, 503);
    const isConfirmed = await confirmEmail(deps, c.req.param("token"), originOf(c));
    return c.redirect(isConfirmed ? "/?email=confirmed" : "/?email=dead", 303);
  });
}

/** `Sec-Purpose` (Fetch standard), and what older browsers sent instead. */
function isFetchedAhead(request: HonoRequest): boolean {
  const purposes = ["sec-purpose", "purpose", "x-moz"].map((name) => request.header(name) ?? "");
  return purposes.some((purpose) => /\b(prefetch|preview|prerender)\b/i.test(purpose));
}
