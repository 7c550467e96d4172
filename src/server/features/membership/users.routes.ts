import { Hono, type HonoRequest } from "hono";
import {
  acceptTermsCall,
  addUserCall,
  changeProfileCall,
  changeUserCall,
  clearFactorsCall,
  listUsersCall,
} from "../../../shared/api/users.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { sayTotal, totalCount } from "../../http/total-count.ts";
import { validate, validateId } from "../../http/validate.ts";
import { emailTaken, wrongCurrentPassword } from "../accounts/accounts.errors.ts";
import { confirmEmail } from "../accounts/addresses/confirm-email.ts";
import { listUsersWithFactors } from "../accounts/factors/factors.repo.ts";
import { keepBrowser, visitorOf } from "../accounts/sign-in/browser-cookie.ts";
import { acceptTerms } from "../accounts/users/accept-terms.ts";
import { changeProfile } from "../accounts/users/change-profile.ts";
import { clearSecondFactors } from "../accounts/users/clear-second-factors.ts";
import { presentUser } from "../accounts/users/present-user.ts";
import { lastAdmin, newAdmin, ownEmail, ownFactors, userNotFound } from "../accounts/users/users.errors.ts";
import { addUser } from "./add-user.ts";
import { changeUser } from "./change-user.ts";
import { readCurrentUser } from "./read-current-user.ts";
import { listUsers } from "./user-list.repo.ts";

const admin = { roles: ["admin"] } as const;
const describe = describeIn("Users");
const describeOwn = describeIn("Account");

export function createUsersRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post(
    acceptTermsCall.path,
    guard({}),
    describeOwn(acceptTermsCall, { summary: "Accept the terms of use" }),
    async (c) => {
      const input = { userId: c.get("session").userId, locale: c.get("locale") };
      return c.json(await acceptTerms(deps, input, originOf(c)));
    },
  );

  routes.patch(
    changeProfileCall.path,
    guard({}),
    describeOwn(changeProfileCall, {
      summary: "Change name, e-mail or password",
      details:
        "A new password ends every session and access token, and answers a new `token`. A new e-mail takes effect when the link mailed to it is opened.",
      problems: [emailTaken, wrongCurrentPassword],
    }),
    validate("json", changeProfileCall.body),
    async (c) => {
      const change = { ...c.req.valid("json"), locale: c.get("locale") };
      const visitor = visitorOf(c, deps.config);
      const answer = await changeProfile(deps, c.get("session"), change, visitor);
      if (answer.token) keepBrowser(c, visitor, deps.config);
      return c.json({ user: await readCurrentUser(deps, c.get("session")), ...answer });
    },
  );

  routes.get(
    listUsersCall.path,
    guard(admin),
    describe(listUsersCall, {
      summary: "List accounts",
      details: "Newest first. Without `limit` all come, up to 10,000.",
      headers: totalCount,
    }),
    validate("query", listUsersCall.query),
    async (c) => {
      const { rows, total } = await listUsers(deps.db, c.req.valid("query"));
      const withFactors = await listUsersWithFactors(
        deps.db,
        rows.map(({ user }) => user.id),
      );
      sayTotal(c, total);
      return c.json(
        rows.map(({ user, expiresAt }) => ({
          ...presentUser(user, expiresAt),
          hasSecondFactor: withFactors.has(user.id),
        })),
      );
    },
  );

  routes.post(
    addUserCall.path,
    guard(admin),
    describe(addUserCall, {
      summary: "Invite somebody",
      status: 201,
      details: "A link to choose a password is mailed; without a mail server it is in the answer.",
      problems: [emailTaken],
    }),
    validate("json", addUserCall.body),
    async (c) => {
      const input = { ...c.req.valid("json"), locale: c.get("locale") };
      return c.json(await addUser(deps, c.get("session"), input, originOf(c)), 201);
    },
  );

  routes.patch(
    changeUserCall.path,
    guard(admin),
    describe(changeUserCall, {
      summary: "Change an account",
      problems: [userNotFound, emailTaken, lastAdmin, ownEmail],
    }),
    validateId(userNotFound),
    validate("json", changeUserCall.body),
    async (c) => {
      const input = { id: c.req.valid("param").id, change: c.req.valid("json") };
      return c.json(await changeUser(deps, c.get("session"), input, originOf(c)));
    },
  );

  routes.post(
    clearFactorsCall.path,
    guard(admin),
    describe(clearFactorsCall, {
      summary: "Take away somebody's lost second factors",
      problems: [userNotFound, ownFactors, newAdmin, wrongCurrentPassword],
    }),
    validateId(userNotFound),
    validate("json", clearFactorsCall.body),
    async (c) => {
      const input = { ...c.req.valid("param"), ...c.req.valid("json") };
      await clearSecondFactors(deps, c.get("session"), input, visitorOf(c, deps.config));
      return c.json({ cleared: true });
    },
  );

  return routes;
}

/**
 * The page behind a mailed link, outside `/api`. Opening it confirms the address. A HEAD request or a prefetch, by a program
 * that only checks or preloads the link, does not confirm it.
 */
export function createConfirmEmailRoutes(deps: Deps, guard: Guard) {
  return new Hono<HttpEnv>().get(
    "/confirm-email/:token",
    guard("public"),
    describeOwn(
      {},
      {
        summary: "Open the link of a new e-mail",
        details: "Leads to the start page, which says whether the address was taken.",
        status: 303,
        also: { 503: "A browser asked ahead of its person: nothing was opened." },
        params: { token: "Of the mailed link." },
      },
    ),
    async (c) => {
      c.header("Cache-Control", "no-store");
      if (c.req.method === "HEAD") return c.body(null, 204);
      // The browser repeats the request when the user really opens the page.
      if (isFetchedAhead(c.req)) return c.body(null, 503);
      const isConfirmed = await confirmEmail(deps, c.req.param("token"), originOf(c));
      return c.redirect(isConfirmed ? "/?email=confirmed" : "/?email=dead", 303);
    },
  );
}

/** `Sec-Purpose` (Fetch standard), and what older browsers sent instead. */
function isFetchedAhead(request: HonoRequest): boolean {
  const purposes = ["sec-purpose", "purpose", "x-moz"].map((name) => request.header(name) ?? "");
  return purposes.some((purpose) => /\b(prefetch|preview|prerender)\b/i.test(purpose));
}
