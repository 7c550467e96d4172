import "../../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { type FailedQuery, useFailure } from "../../../../src/client/ui/hooks/use-failure.ts";
import { render, withDom } from "../../../support/client/dom.ts";

withDom();

const down = new Error("down");
const read: FailedQuery = { data: undefined, error: null, errorUpdateCount: 0, isPlaceholderData: false };

function Shown(query: FailedQuery) {
  return <p>{useFailure(query)?.message ?? "none"}</p>;
}

test.each<[string, Partial<FailedQuery>, string]>([
  ["stays while they are read again", { errorUpdateCount: 1 }, "down"],
  [
    "stays over the page before, which is shown meanwhile",
    { errorUpdateCount: 1, data: 1, isPlaceholderData: true },
    "down",
  ],
  ["goes once they are there", { errorUpdateCount: 1, data: 1 }, "none"],
  ["is not that of another page, which is read for the first time", { errorUpdateCount: 0 }, "none"],
])("the failure of data %s", (_, next, shown) => {
  const { container, rerender } = render(<Shown {...read} error={down} errorUpdateCount={1} />);
  rerender(<Shown {...read} {...next} />);
  expect(container.textContent).toBe(shown);
});
