import { Hono } from "hono";
import { endReceiverCall, makeReceiverCall, receiversCall } from "../../../shared/api/receivers.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { endReceiver } from "./end-receiver.ts";
import { makeReceiver } from "./make-receiver.ts";
import { presentReceiver } from "./present-receiver.ts";
import { aeTitleTaken, receiverNotFound, tooManyReceivers } from "./receivers.errors.ts";
import { listReceivers } from "./receivers.repo.ts";
import type { ReceiverRow } from "./receivers.table.ts";

const describe = describeIn("DICOM receivers");

/** AE titles of an account; their owner makes, sees and ends them, in a session. */
export function createReceiversRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();
  const present = (row: ReceiverRow) => presentReceiver(row, deps.dimse.port, deps.config);

  routes.get(
    receiversCall.path,
    guard({}),
    describe(receiversCall, { summary: "List the account's DICOM receivers" }),
    async (c) => c.json((await listReceivers(deps.db, c.get("session").userId)).map(present)),
  );

  routes.post(
    makeReceiverCall.path,
    guard({ subscription: "own" }),
    describe(makeReceiverCall, {
      summary: "Make a DICOM receiver",
      status: 201,
      details:
        "An AE title, unique on this server, to which DICOM senders store with C-STORE. Without a list, any sender is accepted. A title to which something was sent stays with its account for a year after its receiver ended: senders may still have it.",
      problems: [tooManyReceivers, aeTitleTaken],
    }),
    validate("json", makeReceiverCall.body),
    async (c) => {
      const input = { ...c.req.valid("json"), locale: c.get("locale") };
      return c.json(present(await makeReceiver(deps, c.get("session"), input, originOf(c))), 201);
    },
  );

  routes.delete(
    endReceiverCall.path,
    guard({}),
    describe(endReceiverCall, {
      summary: "End a DICOM receiver",
      details: "A second time it is 404.",
      problems: [receiverNotFound],
    }),
    async (c) => {
      await endReceiver(deps, c.get("session"), c.req.param("id"), originOf(c));
      return c.json({ ended: true });
    },
  );

  return routes;
}
