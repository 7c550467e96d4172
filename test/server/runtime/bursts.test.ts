import { describe, expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { Bursts } from "../../../src/server/runtime/bursts.ts";

const FOREVER_MS = 2 ** 30;
const never = new AbortController().signal;

describe("work behind a burst", () => {
  test("waits until the last of it is over", async () => {
    const bursts = new Bursts();
    await bursts.quiet(FOREVER_MS, never);
    const [first, second] = [bursts.enter(), bursts.enter()];
    let isQuiet = false;
    const quiet = bursts.quiet(FOREVER_MS, never).then(() => {
      isQuiet = true;
    });
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    await Promise.resolve();
    expect(isQuiet).toBe(false);
    second[Symbol.dispose]();
    await quiet;
  });

  test("waits although for a moment none of it runs, as when all senders have their answers", async () => {
    const bursts = new Bursts();
    const first = bursts.enter();
    let isQuiet = false;
    const quiet = bursts.quiet(FOREVER_MS, never).then(() => {
      isQuiet = true;
    });
    first[Symbol.dispose]();
    const second = bursts.enter();
    await setImmediate();
    expect(isQuiet).toBe(false);
    second[Symbol.dispose]();
    await quiet;
  });

  test("waits no longer than it may, and not when it is ended", async () => {
    const bursts = new Bursts();
    using _ = bursts.enter();
    await bursts.quiet(1, never);
    await bursts.quiet(0, never);
    const ended = new AbortController();
    const waiting = bursts.quiet(FOREVER_MS, ended.signal);
    ended.abort();
    await waiting;
    await bursts.quiet(FOREVER_MS, ended.signal);
    // A job that has waited long enough does not wait again.
    await bursts.letPass({ enqueuedAt: new Date(0), signal: never }, new Date());
  });
});
