import "../../support/client/dom-globals.ts";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { ViewerFrame } from "../../../src/client/features/viewer/viewer-frame.tsx";
import { screen, withDom } from "../../support/client/dom.ts";
import { pass, settled, withFakeClock } from "../../support/client/fake-clock.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();
withFakeClock("2026-11-27T12:00:00.000Z");

/** The test DOM loads no page into a frame, and logs that each time. */
let complaints: { mockRestore: () => void };
beforeEach(() => {
  complaints = spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => complaints.mockRestore());

test("a viewer that a server could not be reached for opens by itself once the server is back", async () => {
  let isBack = false;
  globalThis.fetch = (async () => {
    if (!isBack) throw new TypeError("the connection was refused");
    return Response.json({});
  }) as unknown as typeof fetch;
  const find = async () =>
    isBack
      ? ({ state: "loading", url: "/viewer/basic" } as const)
      : ({ state: "failed", failure: "connection" } as const);
  await renderClient(<ViewerFrame description="TC" find={find} />);
  await settled();
  screen.getByRole("heading", { name: "Sem conexão" });
  isBack = true;
  await pass(20_000);
  expect(document.querySelector("iframe")?.getAttribute("src")).toBe("/viewer/basic");
});
