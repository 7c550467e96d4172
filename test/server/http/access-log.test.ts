import { expect, test } from "bun:test";
import { Hono } from "hono";
import { accessLog } from "../../../src/server/http/access-log.ts";
import type { HttpEnv } from "../../../src/server/http/http-context.ts";
import { RequestMeter } from "../../../src/server/metrics/request-meter.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";

test("a request is logged by the pattern of the route that answered it, or that its guard kept it from", async () => {
  const routes: string[] = [];
  const log = createLogger({ level: "info", write: (line) => routes.push(JSON.parse(line).route) });
  const app = new Hono<HttpEnv>()
    .use("*", accessLog(log, new RequestMeter()))
    .use("/users/*", async (c, next) => (c.req.header("authorization") ? next() : c.text("who?", 401)))
    .patch("/users/profile", (c) => c.text("own"))
    .patch("/users/:id", (c) => c.text("another's"))
    .notFound((c) => c.text("nothing", 404));
  const headers = { authorization: "yes" };
  for (const [path, asked] of [
    ["/users/profile", { headers }],
    ["/users/1", { headers }],
    ["/users/profile", {}],
    ["/elsewhere/1", {}],
  ] as const)
    await app.request(path, { method: "PATCH", ...asked });
  expect(routes).toEqual(["/users/profile", "/users/:id", "/users/profile", "*"]);
});
