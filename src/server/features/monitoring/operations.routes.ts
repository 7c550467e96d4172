import { Hono } from "hono";
import {
  dismissDeadLettersCall,
  listDeadLettersCall,
  operationsCall,
  retryDeadLettersCall,
} from "../../../shared/api/operations.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { readDeadLetters } from "./read-dead-letters.ts";
import { createDiskCheck, readOperations } from "./read-operations.ts";
import { dismissDeadLetters, retryDeadLetters } from "./settle-dead-letters.ts";

const admin = { roles: ["admin"] } as const;
const describe = describeIn("Operations");

/** How the installation does, and what in it waits for a person; admins only. */
export function createOperationsRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();
  const takesBytes = createDiskCheck(deps);

  routes.get(
    operationsCall.path,
    guard(admin),
    describe(operationsCall, { summary: "Read how jobs, stored bytes, nodes and disks are" }),
    async (c) => c.json(await readOperations(deps, takesBytes)),
  );

  routes.get(
    listDeadLettersCall.path,
    guard(admin),
    describe(listDeadLettersCall, {
      summary: "List jobs that failed for good",
      details: "Newest first, the latest 500.",
    }),
    async (c) => c.json(await readDeadLetters(deps)),
  );

  routes.post(
    retryDeadLettersCall.path,
    guard(admin),
    describe(retryDeadLettersCall, { summary: "Return failed jobs to their queues" }),
    validate("json", retryDeadLettersCall.body),
    async (c) => {
      const { ids } = c.req.valid("json");
      return c.json(await retryDeadLetters(deps, { ids, admin: c.get("session"), origin: originOf(c) }));
    },
  );

  routes.post(
    dismissDeadLettersCall.path,
    guard(admin),
    describe(dismissDeadLettersCall, { summary: "Delete failed jobs; their work is not done" }),
    validate("json", dismissDeadLettersCall.body),
    async (c) => {
      const { ids } = c.req.valid("json");
      return c.json(await dismissDeadLetters(deps, { ids, admin: c.get("session"), origin: originOf(c) }));
    },
  );

  return routes;
}
