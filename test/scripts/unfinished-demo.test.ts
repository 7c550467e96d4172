import { expect, test } from "bun:test";
import { unfinishedText } from "../../scripts/demo/unfinished.ts";

test("a demo that is stopped while it fills ends with a line, and shows no error", () => {
  const error = new Error("fetch failed");
  const stopped = "Stopped before the demo's data were complete; the next start completes them.";
  expect(unfinishedText(error, { isFirst: true, isStopped: true })).toBe(stopped);
  expect(unfinishedText(error, { isFirst: false, isStopped: true })).toBe(stopped);
  expect(unfinishedText(error, { isFirst: false, isStopped: false })).toEndWith("be completed: fetch failed");
  expect(unfinishedText(error, { isFirst: true, isStopped: false })).toBeUndefined();
});
