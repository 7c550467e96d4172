import { describe, expect, test } from "bun:test";
import { createUploadSlots, type UploadSlot } from "../../../src/server/features/ingest/upload-slots.ts";
import { AppError } from "../../../src/server/http/app-error.ts";

const paying = (accountId: string) => ({ accountId, isTrial: false });
const trial = (accountId: string) => ({ accountId, isTrial: true });

function withClock(limits: { perAccount: number; perProcess: number }) {
  const clock = { ms: 0 };
  return { clock, slots: createUploadSlots({ ...limits, now: () => clock.ms }) };
}

function refusal(take: () => UploadSlot): unknown {
  try {
    take();
  } catch (error) {
    return error instanceof AppError ? error.kind.code : error;
  }
  return undefined;
}

const evicted = (slots: UploadSlot[]) =>
  slots.flatMap(({ signal }, index) => (signal.aborted ? [index] : []));

describe("places for uploads", () => {
  test("trial accounts that fill the process yield to paying accounts one by one, the slowest first", () => {
    const { clock, slots } = withClock({ perAccount: 2, perProcess: 6 });
    const held = ["t1", "t1", "t2", "t2", "t3", "t3"].map((name) => slots.take(trial(name)));
    clock.ms = 11_000;
    for (const [index, slot] of held.entries()) slot.countReceived(index === 1 ? 10 : 1_000_000);
    clock.ms = 12_000;
    const first = slots.take(paying("a"));
    expect(evicted(held)).toEqual([1]);
    expect(held[1]?.signal.reason).toMatchObject({ kind: { code: "upload.too_many" } });
    slots.take(paying("b"));
    slots.take(paying("b"));
    expect(evicted(held).length).toBe(3);
    expect(first.signal.aborted).toBe(false);
    slots.take(paying("c"));
    slots.take(paying("d"));
    expect(evicted(held).length).toBe(5);
    // They hold no more than others now, and the last is theirs.
    expect(refusal(() => slots.take(trial("t9")))).toBe("upload.too_many");
    slots.take(paying("e"));
    expect(evicted(held).length).toBe(5);
  });

  test("a new trial account displaces trial uploads that trickle, but not those that send", () => {
    const { clock, slots } = withClock({ perAccount: 3, perProcess: 6 });
    const held = ["t1", "t1", "t1", "t2", "t2", "t3"].map((name) => slots.take(trial(name)));
    for (let second = 1; second <= 30; second++) {
      clock.ms = second * 1000;
      for (const [index, slot] of held.entries()) if (index !== 4) slot.countReceived(100_000);
    }
    slots.take(trial("t4")).countReceived(1);
    expect(evicted(held)).toEqual([4]);
    expect(refusal(() => slots.take(trial("t5")))).toBe("upload.too_many");
  });

  test("a trial upload that waits for a worker may yield, one that is being read never does", () => {
    const { slots } = withClock({ perAccount: 2, perProcess: 3 });
    const held = ["t1", "t1", "t2"].map((name) => slots.take(trial(name)));
    for (const slot of held) slot.received();
    held[1]?.started();
    using _first = slots.take(paying("a"));
    expect(evicted(held).length).toBe(1);
    expect(held[1]?.signal.aborted).toBe(false);
    expect(refusal(() => slots.take(paying("b")))).toBe("upload.too_many");
    for (const slot of held) slot[Symbol.dispose]();
    expect(refusal(() => slots.take(paying("b")))).toBeUndefined();
  });

  test("an account whose connection broke regains a place from its own idle upload", () => {
    const { clock, slots } = withClock({ perAccount: 2, perProcess: 9 });
    const held = [slots.take(paying("a")), slots.take(paying("a"))];
    clock.ms = 29_000;
    held[0]?.countReceived(1);
    expect(refusal(() => slots.take(paying("a")))).toBe("upload.too_many");
    clock.ms = 31_000;
    slots.take(paying("a"));
    expect(evicted(held)).toEqual([1]);
    for (const slot of held) slot[Symbol.dispose]();
    expect(refusal(() => slots.take(paying("a")))).toBeUndefined();
    expect(refusal(() => slots.take(paying("a")))).toBe("upload.too_many");
  });
});
