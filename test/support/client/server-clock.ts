import { setSystemTime } from "bun:test";
import { noteServerTime } from "../../../src/client/calls/server-clock.ts";

/** Tells the client that the server's clock is ahead of the browser's by so much (2 s at least), until it is disposed of. */
export function withServerClock(aheadMs: number): Disposable {
  tell(aheadMs);
  return {
    [Symbol.dispose]() {
      // Exactly as before: tests that follow in the same process count seconds by this clock.
      setSystemTime(new Date("2026-11-21T12:00:00.500Z"));
      tell(0);
      setSystemTime();
    },
  };
}

function tell(aheadMs: number): void {
  const headers = { Date: new Date(Date.now() + aheadMs).toUTCString(), "Cache-Control": "no-store" };
  noteServerTime(new Response(null, { headers }));
}
