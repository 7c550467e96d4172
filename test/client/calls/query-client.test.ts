import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { MutationObserver, notifyManager, QueryObserver } from "@tanstack/react-query";
import { ApiError } from "../../../src/client/calls/api.ts";
import { createQueryClient } from "../../../src/client/calls/query-client.ts";
import { withDom } from "../../support/client/dom.ts";
import { until } from "../../support/until.ts";

withDom();

test("data stays fresh and is not read again, unless a query sets otherwise", () => {
  expect(createQueryClient().getDefaultOptions()).toMatchObject({
    queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false },
    mutations: { retry: false },
  });
});

test("a mutation is told to have begun before the second click of a double click", async () => {
  const observer = new MutationObserver(createQueryClient(), {
    mutationFn: () => new Promise(() => undefined),
  });
  const told: boolean[] = [];
  // As components subscribe.
  observer.subscribe(notifyManager.batchCalls(() => told.push(observer.getCurrentResult().isPending)));
  const secondClick = new Promise((resolve) => setImmediate(resolve));
  void observer.mutate();
  await secondClick;
  expect(told).toEqual([true]);
});

test("what a mutation changes is read again once it is done, and the mutation goes on until then", async () => {
  const { read, mutate } = changesOf(() => Promise.resolve());
  const reading = Promise.withResolvers<void>();
  const ended = mutate(reading.promise);
  await until(() => read.length > 0);
  expect(read).toEqual(["list"]);
  expect(await Promise.race([ended, nextTurn()])).toBe("goes on");
  reading.resolve();
  expect(await ended).toBe("success");
});

test("what a mutation changes is read again if it failed but was perhaps done, which is told without waiting", async () => {
  for (const status of [0, 200, 404, 409, 503]) {
    const { read, mutate } = changesOf(() => Promise.reject(new ApiError(status, "code", "text")));
    expect(await mutate(new Promise(() => undefined))).toBe("error");
    expect(read).toEqual(["list"]);
  }
});

test("nothing is read again after a mutation that the server refused", async () => {
  for (const status of [400, 401, 403, 429]) {
    const { read, mutate } = changesOf(() => Promise.reject(new ApiError(status, "code", "text")));
    expect(await mutate(Promise.resolve())).toBe("error");
    expect(read).toEqual([]);
  }
});

const nextTurn = () => new Promise((resolve) => setImmediate(() => resolve("goes on")));

/** A mutation that changes one of two things that are shown; `mutate` says how it ended. */
function changesOf(mutationFn: () => Promise<unknown>) {
  const client = createQueryClient();
  const read: string[] = [];
  let answer: Promise<unknown> = Promise.resolve();
  for (const name of ["list", "other"])
    new QueryObserver(client, {
      queryKey: [name],
      initialData: "shown",
      queryFn: () => {
        read.push(name);
        return answer.then(() => "read again");
      },
    }).subscribe(() => undefined);
  const mutate = async (reading: Promise<unknown>) => {
    answer = reading;
    const observer = new MutationObserver(client, { mutationFn, meta: { changes: [["list"]] } });
    await observer.mutate().catch(() => undefined);
    return observer.getCurrentResult().status;
  };
  return { read, mutate };
}
