import { expect, test } from "bun:test";
import type { ManifestInstance } from "../../../src/server/archive/manifest.ts";
import { openCatalogue } from "../../../src/server/features/dicomweb/catalogue/open-catalogue.ts";
import type { SeriesReader } from "../../../src/server/features/dicomweb/catalogue/series-reader.ts";
import {
  createReadingTurns,
  DEFAULT_READING_LIMITS,
} from "../../../src/server/features/dicomweb/turns/reading-turns.ts";
import { AppError } from "../../../src/server/http/app-error.ts";
import { streamOf } from "../../../src/server/http/stream-of.ts";

async function* pieces() {
  for (let i = 0; i < 3; i++) yield Uint8Array.of(i);
}

test("an account that requests bytes and never takes them does not keep others from reading", async () => {
  const limits = {
    ...DEFAULT_READING_LIMITS,
    openPerAccount: 6,
    turnsPerAccount: 2,
    turns: 3,
    stallMs: 60_000,
  };
  const turns = createReadingTurns(limits);
  const held = Array.from({ length: 6 }, () => turns.inTurn({ callerId: "greedy" }, pieces()));
  const begun = held.map((body) => body.next());
  await Promise.all(begun.slice(0, 2));
  expect(() => turns.assertRoom({ callerId: "greedy" })).toThrow(AppError);
  let other = 0;
  for await (const piece of turns.inTurn({ callerId: "other" }, pieces())) other += piece.length;
  expect(other).toBe(3);
  for (const [i, body] of held.entries()) {
    await begun[i];
    await body.return(undefined);
  }
  turns.assertRoom({ callerId: "greedy" });
});

test("a body whose reader pauses gives its turn to the next, and resumes when the reader does", async () => {
  const turns = createReadingTurns({ ...DEFAULT_READING_LIMITS, turnsPerAccount: 1, stallMs: 1 });
  const stalled = turns.inTurn({ callerId: "account" }, pieces());
  await stalled.next();
  let next = 0;
  for await (const piece of turns.inTurn({ callerId: "account" }, pieces())) next += piece.length;
  expect(next).toBe(3);
  expect((await stalled.next()).value).toEqual(Uint8Array.of(1));
  await stalled.return(undefined);
});

test("bodies that their readers leave lying keep another account out for a moment only", async () => {
  let now = 0;
  const limits = { ...DEFAULT_READING_LIMITS, openPerAccount: 2, openPerProcess: 2, stallMs: 60_000 };
  const turns = createReadingTurns({ ...limits, now: () => now });
  let isEnded = false;
  async function* endless() {
    try {
      for (;;) yield new Uint8Array(1_000);
    } finally {
      isEnded = true;
    }
  }
  const left = turns.inTurn({ callerId: "slow" }, endless());
  await left.next();
  const taken = turns.inTurn({ callerId: "fast" }, pieces());
  await taken.next();
  now += 9_000;
  expect(() => turns.assertRoom({ callerId: "other" })).toThrow(AppError);
  now += 2_000;
  await taken.next();
  turns.assertRoom({ callerId: "other" });
  let other = 0;
  for await (const piece of turns.inTurn({ callerId: "other" }, pieces())) other += piece.length;
  expect(other).toBe(3);
  await Promise.resolve();
  expect(isEnded).toBe(true);
  await expect(left.next()).rejects.toThrow(AppError);
  expect((await taken.next()).value).toEqual(Uint8Array.of(2));
  await taken.return(undefined);
});

test("visitors who never take what they asked for keep neither the host of their link nor each other from reading", async () => {
  const limits = { ...DEFAULT_READING_LIMITS, openPerAccount: 4, openPerProcess: 12, stallMs: 60_000 };
  const series = { openInflated: async () => streamOf(pieces()) } as unknown as SeriesReader;
  const deps = { series, readingTurns: createReadingTurns(limits) } as Parameters<typeof openCatalogue>[0];
  const open = (reader?: string) =>
    openCatalogue(deps, { caller: { userId: "host", role: "user" }, studyIds: [], reader }).openInflated(
      {} as ManifestInstance,
    ) as Promise<ReadableStream<Uint8Array>>;
  const held = await Promise.all(Array.from({ length: 4 }, () => open("link 1")));
  const readers = held.map((body) => body.getReader());
  const begun = readers.map((reader) => reader.read());
  await Promise.all(begun.slice(0, 2));
  await expect(open("link 1")).rejects.toThrow(AppError);
  for (const reader of [undefined, "link 2"])
    expect((await new Response(await open(reader)).bytes()).length).toBe(3);
  for (const [i, reader] of readers.entries()) {
    await begun[i];
    await reader.cancel();
  }
});
