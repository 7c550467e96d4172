import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { PhoneTabs } from "../../../src/client/features/frame/phone-menu.tsx";
import { screen, userEvent, waitFor, withDom, within } from "../../support/client/dom.ts";
import { renderView, shownView } from "../../support/client/render-view.tsx";

withDom();

test("the drawer of a phone hands the focus to the view that was chosen, and else back to its button", async () => {
  await renderView(
    <>
      <main id="view" tabIndex={-1} />
      <PhoneTabs />
    </>,
  );
  const user = userEvent.setup();
  const opener = screen.getByRole("button", { name: "Menu" });
  await user.click(opener);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(document.activeElement === opener).toBe(true));
  for (const [name, view] of [
    ["Assinatura", "subscription"],
    ["Perfil", "profile"],
  ] as const) {
    await user.click(opener);
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name }));
    await waitFor(() => expect(document.activeElement?.id).toBe("view"));
    expect(shownView()).toBe(view);
  }
});
