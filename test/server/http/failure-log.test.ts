import { expect, test } from "bun:test";
import { Hono } from "hono";
import { receiptNotReady } from "../../../src/server/features/receipts/receipts.errors.ts";
import { AppError } from "../../../src/server/http/app-error.ts";
import { storeUnavailable } from "../../../src/server/http/http.errors.ts";
import type { HttpEnv } from "../../../src/server/http/http-context.ts";
import { createErrorHandler } from "../../../src/server/http/problem.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";

/** The level and problem of each line that a request's failure leaves in the log. */
async function logOf(failure: Error): Promise<{ level: string; problem: string }[]> {
  const lines: string[] = [];
  const log = createLogger({ level: "warn", write: (line) => lines.push(line) });
  const app = new Hono<HttpEnv>().get("/", () => {
    throw failure;
  });
  app.onError(createErrorHandler(log));
  const answer = await app.request("/");
  expect(answer.status).toBeGreaterThanOrEqual(500);
  expect(answer.headers.has("retry-after")).toBe(answer.status === 503);
  return lines.map((line) => JSON.parse(line));
}

test("an answer to come again later is no error of the log, and a failure is one", async () => {
  expect(await logOf(new AppError(receiptNotReady, { retryAfterSeconds: 2 }))).toEqual([]);
  const cause = new Error("connection refused");
  expect(await logOf(new AppError(storeUnavailable, { retryAfterSeconds: 10, cause }))).toMatchObject([
    { level: "error", problem: "store.unavailable" },
  ]);
  expect(await logOf(new AppError(storeUnavailable, { detail: "the copy differs" }))).toHaveLength(1);
  expect(await logOf(cause)).toMatchObject([{ level: "error", problem: "internal" }]);
});
