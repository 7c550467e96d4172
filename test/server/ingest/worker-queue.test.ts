import { describe, expect, test } from "bun:test";
import { WorkerQueue } from "../../../src/server/features/ingest/worker/worker-queue.ts";

const never = new AbortController().signal;

describe("uploads wait for a worker", () => {
  test("a small upload never waits for a large one", async () => {
    const queue = new WorkerQueue(2, 10);
    const order: string[] = [];
    const leaveLarge = await queue.enter("large", never);
    const second = queue.enter("large", never).then((leave) => {
      order.push("second large");
      return leave;
    });
    const leaveSmall = await queue.enter("small", never);
    order.push("small");
    leaveSmall();
    await Promise.resolve();
    leaveLarge();
    (await second)();
    expect(order).toEqual(["small", "second large"]);
  });

  test("whoever came first goes first, and no more than there are places", async () => {
    const queue = new WorkerQueue(2, 10);
    let inside = 0;
    let most = 0;
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 9 }, async (_, i) => {
        const leave = await queue.enter("small", never);
        order.push(i);
        most = Math.max(most, ++inside);
        await Bun.sleep(1);
        inside--;
        leave();
        leave();
      }),
    );
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(most).toBe(2);
  });

  test("one who gives up leaves his place in the row", async () => {
    const queue = new WorkerQueue(2, 1);
    const leaves = [await queue.enter("small", never), await queue.enter("small", never)];
    const giveUp = new AbortController();
    const waiting = queue.enter("small", giveUp.signal);
    expect(queue.isFull).toBe(true);
    giveUp.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    expect(queue.isFull).toBe(false);
    for (const leave of leaves) leave();
    (await queue.enter("small", never))();
  });
});
