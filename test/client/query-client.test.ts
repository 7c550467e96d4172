import "../support/dom-globals.ts";
import { expect, test } from "bun:test";
import { MutationObserver, notifyManager } from "@tanstack/react-query";
import { createQueryClient } from "../../src/client/query-client.ts";
import { withDom } from "../support/dom.ts";

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
