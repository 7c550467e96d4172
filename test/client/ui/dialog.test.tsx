import "../../support/client/dom-globals.ts";
import { expect, mock, spyOn, test } from "bun:test";
import { Dialog as RadixDialog } from "radix-ui";
import { useState } from "react";
import { ConfirmDialog, Dialog } from "../../../src/client/ui/dialog.tsx";
import { Dropdown, DropdownItem } from "../../../src/client/ui/dropdown.tsx";
import { showToast } from "../../../src/client/ui/toast.tsx";
import {
  act,
  cleanup,
  drawn,
  fireEvent,
  screen,
  untilGone,
  userEvent,
  waitFor,
  withDom,
} from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

/** A dialog that a button opens; in the end `returnTo` gets the focus. */
function Opened({ returnTo }: { returnTo?: Element }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Abrir
      </button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Exame"
        {...(returnTo && { returnTo: { current: returnTo } })}
      >
        <input aria-label="Para quem" />
      </Dialog>
    </>
  );
}

/** A dialog that takes the button away that opened it. */
function Discarding() {
  const [step, setStep] = useState<"kept" | "asked" | "gone">("kept");
  return (
    <main id="view" tabIndex={-1}>
      {step !== "gone" && (
        <button type="button" onClick={() => setStep("asked")}>
          Descartar
        </button>
      )}
      <Dialog open={step === "asked"} onOpenChange={() => setStep("gone")} title="Exame">
        {null}
      </Dialog>
    </main>
  );
}

/** A question over a dialog. */
function Asked() {
  const [open, setOpen] = useState(false);
  const question = { title: "Excluir?", text: "Não volta.", confirmLabel: "Sim", onConfirm: () => {} };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Excluir
      </button>
      <ConfirmDialog {...question} open={open} onOpenChange={setOpen} />
    </>
  );
}

async function openAndClose(returnTo?: Element): Promise<Element | null> {
  const user = userEvent.setup();
  await renderClient(<Opened {...(returnTo && { returnTo })} />);
  await user.click(screen.getByRole("button", { name: "Abrir" }));
  await screen.findByRole("dialog");
  await user.keyboard("{Escape}");
  await untilGone(() => screen.queryByRole("dialog"));
  return document.activeElement;
}

test("the second press of a double one does nothing either if another dialog was closed shortly before", async () => {
  await renderClient(<Opened />);
  const opener = screen.getByRole("button", { name: "Abrir" });
  const user = userEvent.setup();
  for (const pauseMs of [300, 250]) {
    fireEvent.click(opener, { detail: 1 });
    await screen.findByRole("dialog");
    await user.keyboard("{Escape}");
    await untilGone(() => screen.queryByRole("dialog"));
    await Bun.sleep(pauseMs);
  }
  fireEvent.click(opener, { detail: 2 });
  expect(screen.queryByRole("dialog") === null).toBe(true);
});

test("the second press of a double one that closes a dialog does nothing to what stands below", async () => {
  await renderClient(<Opened />);
  const opener = screen.getByRole("button", { name: "Abrir" });
  const user = userEvent.setup();
  await user.click(opener);
  await screen.findByRole("dialog");
  await user.keyboard("{Escape}");
  await untilGone(() => screen.queryByRole("dialog"));
  fireEvent.click(opener, { detail: 2 });
  expect(screen.queryByRole("dialog") === null).toBe(true);
  fireEvent.click(opener, { detail: 1 });
  expect(await screen.findByRole("dialog")).toBeDefined();
});

test("a dialog returns the focus where it is told to", async () => {
  const opener = document.body.appendChild(document.createElement("button"));
  expect(await openAndClose(opener)).toBe(opener);
  opener.remove();
});

test("a dialog returns the focus to what opened it where the place that it is told is gone", async () => {
  const entry = document.createElement("button");
  expect(await openAndClose(entry)).toBe(screen.getByRole("button", { name: "Abrir" }));
});

test("a dialog that ends what its button stood for hands the focus to the view", async () => {
  const user = userEvent.setup();
  await renderClient(<Discarding />);
  await user.click(screen.getByRole("button", { name: "Descartar" }));
  await screen.findByRole("dialog");
  await user.keyboard("{Escape}");
  await untilGone(() => screen.queryByRole("dialog"));
  await waitFor(() => expect(document.activeElement?.id).toBe("view"));
});

test("a dialog focuses its first field, but not on a touch screen, where a keyboard would cover it", async () => {
  const user = userEvent.setup();
  const { matchMedia } = window;
  for (const isCoarse of [false, true]) {
    using asked = spyOn(window, "matchMedia");
    asked.mockImplementation((query) => {
      const list = matchMedia.call(window, query);
      return query.includes("coarse") ? Object.defineProperty(list, "matches", { value: isCoarse }) : list;
    });
    await renderClient(<Opened />);
    await user.click(screen.getByRole("button", { name: "Abrir" }));
    await screen.findByRole("dialog");
    expect(document.activeElement === screen.getByLabelText("Para quem")).toBe(!isCoarse);
    cleanup();
  }
});

test("one press of Escape closes a dialog under a toast, wherever the focus is", async () => {
  const user = userEvent.setup();
  await renderClient(<Opened />);
  await user.click(screen.getByRole("button", { name: "Abrir" }));
  act(() => showToast({ tone: "bad", title: "Erro ao fazer upload" }));
  // A button that was disabled while it worked gave the focus up.
  (document.activeElement as HTMLElement).blur();
  let isTaken: boolean | undefined;
  window.addEventListener("keydown", (event) => (isTaken = event.defaultPrevented), { once: true });
  await user.keyboard("{Escape}");
  await untilGone(() => screen.queryByRole("dialog"));
  // Browsers render between two listeners, so that one which runs later would find the dialog gone and close what is beneath.
  expect(isTaken).toBe(true);
});

test("one press of Escape under a toast closes the question or list that stands over a dialog, not the dialog", async () => {
  const user = userEvent.setup();
  const left = mock(() => undefined);
  await renderClient(
    <Dialog open onOpenChange={left} title="Exame">
      <Asked />
      <Dropdown trigger={<button type="button">Opções</button>}>
        <DropdownItem onSelect={() => {}}>Girar</DropdownItem>
      </Dropdown>
    </Dialog>,
  );
  await user.click(screen.getByRole("button", { name: "Excluir" }));
  await screen.findByRole("alertdialog");
  const fail = () => act(() => showToast({ tone: "bad", title: "Erro ao excluir exame" }));
  fail();
  await user.keyboard("{Escape}");
  await untilGone(() => screen.queryByRole("alertdialog"));
  expect(left).not.toHaveBeenCalled();
  await user.click(screen.getByRole("button", { name: "Opções" }));
  await screen.findByRole("menu");
  fail();
  await user.keyboard("{Escape}");
  await untilGone(() => screen.queryByRole("menu"));
  expect(left).not.toHaveBeenCalled();
  fail();
  await user.keyboard("{Escape}");
  expect(left).toHaveBeenCalledTimes(1);
});

test("one press of Escape closes an overlay of another kind under a toast, and leaves the toast alone that has the focus", async () => {
  const user = userEvent.setup();
  const left = mock(() => undefined);
  const beneath = mock((event: KeyboardEvent) => event.defaultPrevented);
  document.addEventListener("keydown", beneath);
  await renderClient(
    <RadixDialog.Root open modal={false} onOpenChange={left}>
      <RadixDialog.Content aria-describedby={undefined} onInteractOutside={(event) => event.preventDefault()}>
        <RadixDialog.Title>Visor</RadixDialog.Title>
      </RadixDialog.Content>
    </RadixDialog.Root>,
  );
  const tell = () => act(() => showToast({ tone: "ok", title: "Exame baixado" }));
  tell();
  // The dialog of an earlier test gives its focus up a moment after it.
  await drawn();
  screen.getByRole("button", { name: "Fechar" }).focus();
  await user.keyboard("{Escape}");
  await untilGone(() => screen.queryByText("Exame baixado"));
  expect(left).not.toHaveBeenCalled();
  tell();
  screen.getByRole("dialog").focus();
  await user.keyboard("{Escape}");
  expect(left).toHaveBeenCalledTimes(1);
  expect(screen.queryByText("Exame baixado")).toBeNull();
  expect(beneath.mock.results.at(-1)?.value).toBe(true);
  document.removeEventListener("keydown", beneath);
});
