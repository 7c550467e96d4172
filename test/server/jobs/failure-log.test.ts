import { expect, test } from "bun:test";
import { createFailureLog } from "../../../src/server/jobs/failure-log.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";

const CLOSED = { code: "CONNECTION_CLOSED" };

test("failures of one kind are one line in ten seconds, and the next one says how many were left out", () => {
  const t = watch();
  for (const at of [0, 1, 9_999]) t.failAt(at, { ...CLOSED, queue: `queue-${at}` });
  expect(t.lines).toEqual([line({ ...CLOSED, queue: "queue-0" })]);
  t.failAt(10_000, { ...CLOSED, queue: "uploads" });
  expect(t.lines.slice(1)).toEqual([line({ ...CLOSED, queue: "uploads", leftOut: 2 })]);
  t.failAt(20_000, CLOSED);
  expect(t.lines.slice(2)).toEqual([line(CLOSED)]);
});

test("failures of another kind are told at once", () => {
  const t = watch();
  for (const failure of [CLOSED, { code: "57P03" }, new TypeError("no"), "gone"]) t.failAt(0, failure);
  expect(t.lines.map(({ error, code }) => ({ error, code }))).toEqual([
    { error: "Error", ...CLOSED },
    { error: "Error", code: "57P03" },
    { error: "TypeError", code: undefined },
    { error: "string", code: undefined },
  ]);
});

/** A log of failures, and the lines it wrote. */
function watch() {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const log = createLogger({ level: "error", write: (text) => lines.push(JSON.parse(text)) });
  const fail = createFailureLog(log, () => now);
  const failAt = (at: number, failure: unknown) => {
    now = at;
    fail(failure);
  };
  return { lines, failAt };
}

function line(fields: Record<string, unknown>) {
  return expect.objectContaining({ event: "jobs.error", error: "Error", ...fields });
}
