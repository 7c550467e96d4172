import { Hono } from "hono";
import {
  chooseMailCall,
  listMailChoicesCall,
  readNotificationsCall,
} from "../../../shared/api/notifications.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { validate } from "../../http/validate.ts";
import { readMailChoices } from "./mail-choices.ts";
import { markRead, saveMailChoice } from "./notifications.repo.ts";

const describe = describeIn("Notifications");

/** Which notifications were read, and which are mailed. */
export function createNotificationsRoutes({ db, clock }: Pick<Deps, "db" | "clock">, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post(
    readNotificationsCall.path,
    guard({}),
    describe(readNotificationsCall, {
      summary: "Mark notifications as read",
      details: "Without `ids`, all of them.",
    }),
    validate("json", readNotificationsCall.body),
    async (c) => {
      await markRead(db, c.get("session").userId, c.req.valid("json").ids, clock.now());
      return c.json({ read: true });
    },
  );

  routes.get(
    listMailChoicesCall.path,
    guard({}),
    describe(listMailChoicesCall, { summary: "Read which events are mailed" }),
    async (c) => c.json(await readMailChoices(db, c.get("session"))),
  );

  routes.patch(
    chooseMailCall.path,
    guard({}),
    describe(chooseMailCall, { summary: "Choose whether an event is mailed" }),
    validate("json", chooseMailCall.body),
    async (c) => {
      const session = c.get("session");
      await saveMailChoice(db, session.userId, c.req.valid("json"));
      return c.json(await readMailChoices(db, session));
    },
  );

  return routes;
}
