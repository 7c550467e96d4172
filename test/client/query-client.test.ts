import "../support/dom-globals.ts";
import { expect, test } from "bun:test";
import { createQueryClient } from "../../src/client/query-client.ts";
import { withDom } from "../support/dom.ts";

withDom();

test("data stays fresh and is not read again, unless a query sets otherwise", () => {
  expect(createQueryClient().getDefaultOptions()).toMatchObject({
    queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false },
    mutations: { retry: false },
  });
});
