import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { ViewTitle } from "../../../src/client/features/frame/view-title.tsx";
import { viewAtom } from "../../../src/client/features/places/views.ts";
import { act, screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderView } from "../../support/client/render-view.tsx";

withDom();

function Page() {
  return (
    <>
      <ViewTitle />
      <main id="view" tabIndex={-1} />
    </>
  );
}

test("the browser's title names the view that is shown, in the person's language", async () => {
  await renderView(<Page />);
  expect(document.title).toBe("Início · Exameteca");
  await act(async () => getDefaultStore().set(viewAtom, "support"));
  expect(document.title).toBe("Suporte · Exameteca");
});

test("the first stop of the keyboard leads past the menu", async () => {
  await renderView(<Page />, { locale: "en-US" });
  const user = userEvent.setup();
  await user.tab();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Skip to the content" }));
  await user.keyboard("{Enter}");
  expect(document.activeElement?.id).toBe("view");
});
