import { afterAll, describe, expect, setSystemTime, test } from "bun:test";
import { noteServerTime, serverNow } from "../../../src/client/calls/server-clock.ts";

const HOUR_MS = 3_600_000;

/** An answer whose `Date` differs from the browser's clock by the given time. */
function answer(aheadMs: number, cacheControl = "private, no-store"): Response {
  const date = new Date(Date.now() + aheadMs).toUTCString();
  return new Response(null, { headers: { Date: date, "Cache-Control": cacheControl } });
}

/** How far the estimated server time is ahead of the browser's, in whole minutes; never negative zero. */
const aheadMinutes = () => Math.round((serverNow() - Date.now()) / 60_000) + 0;

// Test files that follow in the same process count seconds by this clock, so it is reset.
afterAll(() => {
  setSystemTime(new Date("2026-11-21T12:00:00.500Z"));
  noteServerTime(answer(HOUR_MS));
  noteServerTime(answer(0));
  setSystemTime();
});

describe("the server's clock", () => {
  test("equals the browser's while the difference is below the header's precision", () => {
    noteServerTime(answer(-1_000));
    expect(aheadMinutes()).toBe(0);
  });

  test("is learned from an answer, and again after the browser's clock is corrected", () => {
    noteServerTime(answer(-HOUR_MS));
    expect(aheadMinutes()).toBe(-60);
    noteServerTime(answer(0));
    expect(aheadMinutes()).toBe(0);
  });

  test("ignores an answer that may come from the browser's cache", () => {
    noteServerTime(answer(-HOUR_MS, "private, max-age=3600"));
    expect(aheadMinutes()).toBe(0);
  });

  test("stays unchanged after an answer without a date", () => {
    noteServerTime(answer(HOUR_MS));
    noteServerTime(new Response(null, { headers: { "Cache-Control": "no-store" } }));
    expect(aheadMinutes()).toBe(60);
    noteServerTime(answer(0));
  });
});
