import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import {
  BoundedTurns,
  DEFAULT_DRAWING_LIMITS,
} from "../../../src/server/features/dicomweb/turns/bounded-turns.ts";
import { AppError } from "../../../src/server/http/app-error.ts";

const forever = new AbortController().signal;

/** A picture that is drawn until `finish` is called. */
function picture(turns: BoundedTurns, callerId: string, signal = forever, isTrial = false) {
  const drawn = Promise.withResolvers<void>();
  let isBegun = false;
  const done = turns.run({ callerId, isTrial }, signal, async () => {
    isBegun = true;
    await drawn.promise;
  });
  return { done, finish: drawn.resolve, isBegun: () => isBegun };
}

async function kindOf(done: Promise<unknown>) {
  const error = await done.catch((thrown) => thrown);
  expect(error).toBeInstanceOf(AppError);
  const { kind, options } = error as AppError;
  // What has a cause is logged as a failure.
  expect(options.cause).toBeUndefined();
  return [kind.status, options.retryAfterSeconds];
}

test("three pictures of a caller are drawn at once, 16 wait, and another is told to come again", async () => {
  const turns = new BoundedTurns();
  const asked = Array.from({ length: 19 }, () => picture(turns, "ana"));
  await setImmediate();
  expect(asked.filter(({ isBegun }) => isBegun())).toHaveLength(3);
  expect(await kindOf(picture(turns, "ana").done)).toEqual([503, 2]);
  const other = picture(turns, "bia");
  await setImmediate();
  expect(other.isBegun()).toBe(true);
  for (const { finish } of [other, ...asked]) finish();
  await Promise.all([other, ...asked].map(({ done }) => done));
});

test("a client that leaves while it waits has nothing drawn, and keeps no place", async () => {
  const limits = { ...DEFAULT_DRAWING_LIMITS, turns: 1, asked: { all: 2, own: 2 } };
  const turns = new BoundedTurns(limits);
  const first = picture(turns, "ana");
  const leaving = new AbortController();
  const left = picture(turns, "ana", leaving.signal);
  leaving.abort();
  expect(await kindOf(left.done)).toEqual([503, 2]);
  const next = picture(turns, "ana");
  first.finish();
  await first.done;
  next.finish();
  await next.done;
  expect([left, next].map(({ isBegun }) => isBegun())).toEqual([false, true]);
  const last = picture(turns, "ana");
  last.finish();
  await last.done;
});

test("a picture waits no longer than it may", async () => {
  const turns = new BoundedTurns({ ...DEFAULT_DRAWING_LIMITS, turns: 1, waitMs: 1 });
  const first = picture(turns, "ana");
  expect(await kindOf(picture(turns, "bia").done)).toEqual([503, 2]);
  first.finish();
  await first.done;
});

test("trial accounts that fill their half of the places with a picture each keep no other account out, whose turn is next", async () => {
  const turns = new BoundedTurns();
  const crowd = Array.from({ length: 96 }, (_, n) => picture(turns, `trial ${n}`, forever, true));
  const refused = crowd.map(({ done }) =>
    done.then(
      () => "drawn",
      () => "503",
    ),
  );
  await setImmediate();
  const asked = Array.from({ length: 3 }, () => picture(turns, "ana"));
  crowd[0]?.finish();
  await crowd[0]?.done;
  await setImmediate();
  expect(asked.map(({ isBegun }) => isBegun())).toEqual([true, false, false]);
  for (const { finish } of [...asked, ...crowd]) finish();
  await Promise.all(asked.map(({ done }) => done));
  expect((await Promise.all(refused)).filter((became) => became === "503")).toHaveLength(48);
});
