import { Hono } from "hono";
import { listRemovalsCall, undoRemovalCall } from "../../../shared/api/subscriptions.ts";
import { deleteOwnAccountCall, deleteUserCall } from "../../../shared/api/users.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate, validateId } from "../../http/validate.ts";
import { wrongCurrentPassword } from "../accounts/accounts.errors.ts";
import { visitorOf } from "../accounts/sign-in/browser-cookie.ts";
import { lastAdmin, userNotFound } from "../accounts/users/users.errors.ts";
import { deleteOwnAccount } from "./delete-own-account.ts";
import { deleteUser } from "./delete-user.ts";
import { listOpenRemovals } from "./list-open-removals.ts";
import { removalNotFound, removalOver } from "./removals.errors.ts";
import { undoRemoval } from "./undo-removal.ts";

const admin = { roles: ["admin"] } as const;
const describeUsers = describeIn("Users");
const describeOwn = describeIn("Account");
const describe = describeIn("Subscriptions");

/** Accounts that are deleted, and exams that an admin brings back. */
export function createRemovalsRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post(
    deleteOwnAccountCall.path,
    guard({}),
    describeOwn(deleteOwnAccountCall, {
      summary: "Delete one's own account with everything in it",
      problems: [wrongCurrentPassword, lastAdmin],
    }),
    validate("json", deleteOwnAccountCall.body),
    async (c) => {
      await deleteOwnAccount(deps, c.get("session"), c.req.valid("json").password, visitorOf(c, deps.config));
      return c.json({ deleted: true });
    },
  );

  routes.delete(
    deleteUserCall.path,
    guard(admin),
    describeUsers(deleteUserCall, {
      summary: "Delete an account with everything in it",
      details: "A second time it is 404.",
      problems: [userNotFound, lastAdmin],
    }),
    validateId(userNotFound),
    async (c) => {
      await deleteUser(deps, c.get("session"), c.req.valid("param").id, originOf(c));
      return c.json({ deleted: true });
    },
  );

  routes.get(
    listRemovalsCall.path,
    guard(admin),
    describe(listRemovalsCall, { summary: "List removed exams that can be brought back" }),
    async (c) => c.json(await listOpenRemovals(deps)),
  );

  routes.post(
    undoRemovalCall.path,
    guard(admin),
    describe(undoRemovalCall, {
      summary: "Bring removed exams back",
      problems: [removalNotFound, removalOver],
    }),
    validateId(removalNotFound),
    async (c) => c.json(await undoRemoval(deps, c.get("session"), c.req.valid("param").id, originOf(c))),
  );

  return routes;
}
