import { afterAll, describe, expect, setSystemTime, test } from "bun:test";
import { noteServerTime, serverNow } from "../../src/client/server-clock.ts";

const HOUR_MS = 3_600_000;

/** An answer that the server dates so far from the browser's clock. */
function answer(aheadMs: number, cacheControl = "private, no-store"): Response {
  const date = new Date(Date.now() + aheadMs).toUTCString();
  return new Response(null, { headers: { Date: date, "Cache-Control": cacheControl } });
}

/** How far the known time is ahead of the browser's, in whole minutes; no negative zero. */
const aheadMinutes = () => Math.round((serverNow() - Date.now()) / 60_000) + 0;

// Files that follow in the same process count seconds by it: they find it exact again.
afterAll(() => {
  setSystemTime(new Date("2026-11-21T12:00:00.500Z"));
  noteServerTime(answer(HOUR_MS));
  noteServerTime(answer(0));
  setSystemTime();
});

describe("the server's clock", () => {
  test("is the browser's while they differ by no more than the header can tell", () => {
    noteServerTime(answer(-1_000));
    expect(Math.abs(serverNow() - Date.now())).toBeLessThan(50);
  });

  test("is learned from an answer, and learned anew when the browser's is set right", () => {
    noteServerTime(answer(-HOUR_MS));
    expect(aheadMinutes()).toBe(-60);
    noteServerTime(answer(0));
    expect(aheadMinutes()).toBe(0);
  });

  test("is not that of an answer which may come out of the browser's cache", () => {
    noteServerTime(answer(-HOUR_MS, "private, max-age=3600"));
    expect(aheadMinutes()).toBe(0);
  });

  test("stays as it was after an answer without a time", () => {
    noteServerTime(answer(HOUR_MS));
    noteServerTime(new Response(null, { headers: { "Cache-Control": "no-store" } }));
    expect(aheadMinutes()).toBe(60);
    noteServerTime(answer(0));
  });
});
