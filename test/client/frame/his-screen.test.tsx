import "../../support/dom-globals.ts";
import { expect, spyOn, test } from "bun:test";
import { endSession } from "../../../src/client/session.ts";
import { screen, withDom } from "../../support/dom.ts";
import { renderClient } from "../../support/render-client.tsx";
import { answerCalls } from "../../support/render-view.tsx";

withDom();

// The module reads the browser's storage when it is imported.
const { default: HisScreen } = await import("../../../src/client/features/frame/his-screen.tsx");

for (const [why, address] of [
  ["logout", "/"],
  ["expired", "/?expired=true"],
] as const) {
  test(`a person without a session (${why}) is sent from /his to ${address}`, async () => {
    const calls = answerCalls({});
    endSession(why);
    const replace = spyOn(window.location, "replace").mockImplementation(() => undefined);
    await renderClient(<HisScreen productName="Exameteca" maxUploadBytes={1} />);
    expect(replace.mock.calls).toEqual([[address]]);
    expect(screen.getByText("Loading...")).toBeTruthy();
    expect(calls).toEqual([]);
    replace.mockRestore();
  });
}
