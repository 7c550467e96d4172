import { describe, expect, test } from "bun:test";
import { type Lane, WorkerQueue } from "../../../src/server/features/ingest/worker/worker-queue.ts";

const by = (account: string, lane: Lane, kind = account) => ({ account, kind, lane });
const never = new AbortController().signal;

describe("uploads wait for a worker", () => {
  test("a small upload never waits for a large one", async () => {
    const queue = new WorkerQueue(2, 10);
    const order: string[] = [];
    const firstLarge = await queue.enter(by("a", "large"), never);
    const second = queue.enter(by("a", "large"), never).then((place) => {
      order.push("second large");
      return place;
    });
    const small = await queue.enter(by("a", "small"), never);
    order.push("small");
    small.leave();
    await Promise.resolve();
    firstLarge.leave();
    (await second).leave();
    expect(order).toEqual(["small", "second large"]);
  });

  test("uploads are served in order of arrival, and never more than there are places", async () => {
    const queue = new WorkerQueue(2, 10);
    let inside = 0;
    let most = 0;
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 9 }, async (_, i) => {
        const place = await queue.enter(by("a", "small"), never);
        order.push(i);
        most = Math.max(most, ++inside);
        await Bun.sleep(1);
        inside--;
        place.leave();
        place.leave();
      }),
    );
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(most).toBe(2);
  });

  test("a large upload begins at once while more small ones wait than may run", async () => {
    const queue = new WorkerQueue(3, 10, 2);
    const first = await queue.enter(by("a", "small"), never);
    const second = await queue.enter(by("a", "small"), never);
    const order: string[] = [];
    const third = queue.enter(by("b", "small"), never).then((place) => {
      order.push("third small");
      return place;
    });
    const large = await queue.enter(by("c", "large"), never);
    order.push("large");
    large.leave();
    // Work that turned out slow counts as small no longer.
    first.moveTo("large");
    for (const place of [await third, first, second]) place.leave();
    expect(order).toEqual(["large", "third small"]);
  });

  test("an upload that is given up leaves the queue", async () => {
    const queue = new WorkerQueue(2, 1);
    const places = [await queue.enter(by("a", "small"), never), await queue.enter(by("a", "small"), never)];
    const giveUp = new AbortController();
    const waiting = queue.enter(by("a", "small"), giveUp.signal);
    expect(queue.isFull).toBe(true);
    giveUp.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    expect(queue.isFull).toBe(false);
    for (const place of places) place.leave();
    (await queue.enter(by("a", "small"), never)).leave();
  });

  test("a flood of one account, or of many trial accounts, delays others by one turn", async () => {
    const queue = new WorkerQueue(2, 1000);
    const places = [await queue.enter(by("t0", "small", "trial"), never)];
    places.push(await queue.enter(by("t0", "small", "trial"), never));
    const order: string[] = [];
    const enter = (account: string, kind?: string) =>
      queue.enter(by(account, "small", kind), never).then((place) => {
        order.push(account);
        return place;
      });
    const flood = Array.from({ length: 50 }, (_, n) => enter(`t${n}`, "trial"));
    const others = [enter("a"), enter("a"), enter("b")];
    const all = [...flood, ...others];
    const leaving = Promise.all(all.map((entering) => entering.then((place) => place.leave())));
    for (const place of places) place.leave();
    await leaving;
    expect(order.slice(0, 2).sort()).toEqual(["a", "b"]);
    expect(order.indexOf("a", 2)).toBeLessThan(6);
  });

  test("long work gives its place to others only if they wait", async () => {
    const queue = new WorkerQueue(2, 10);
    let told = 0;
    const long = async (account: string) =>
      await queue.enter(
        {
          ...by(account, "small"),
          onOverdue: (place) => {
            told++;
            place.moveTo("large");
          },
        },
        never,
      );
    const held = [await long("a"), await long("b")];
    await Bun.sleep(450);
    expect(told).toBe(0);
    // It would wait for ever if no place were given up, since the work itself never ends.
    const third = await queue.enter(by("c", "small"), never);
    expect(held.map(({ lane }) => lane)).toEqual(["large", "large"]);
    for (const place of [...held, third]) place.leave();
  });

  test("huge work leaves a place for large work, and both leave one for small work", async () => {
    const queue = new WorkerQueue(3, 10);
    const huge = await queue.enter(by("a", "huge"), never);
    const order: string[] = [];
    const later = (lane: Lane, name: string) =>
      queue.enter(by(name, lane), never).then((place) => {
        order.push(name);
        place.leave();
      });
    const waiting = [later("huge", "second huge")];
    const large = await queue.enter(by("b", "large"), never);
    waiting.push(later("large", "second large"));
    await later("small", "small");
    large.leave();
    await Promise.resolve();
    huge.leave();
    await Promise.all(waiting);
    expect(order).toEqual(["small", "second large", "second huge"]);
  });
});
