import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { showToast } from "../../../src/client/ui/toast.tsx";
import { act, fireEvent, screen, withDom } from "../../support/client/dom.ts";
import { pass, withFakeClock } from "../../support/client/fake-clock.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

const toasts = () => document.querySelectorAll(".toast");
const tell = (title: string) => act(() => showToast({ tone: "ok", title }));

test("a new toast replaces the current one", async () => {
  await renderClient(null);
  tell("Exame excluído");
  expect(await screen.findByText("Exame excluído")).toBeDefined();
  act(() => showToast({ tone: "bad", title: "Erro no upload" }));
  expect(await screen.findByText("Erro no upload")).toBeDefined();
  expect(toasts()).toHaveLength(1);
});

test("F8 moves the focus to the toasts", async () => {
  await renderClient(null);
  tell("Exame excluído");
  expect(screen.getByRole("region", { name: "Notificação (F8)" })).toBeDefined();
  await act(async () => fireEvent.keyDown(document, { key: "F8", code: "F8" }));
  expect(document.activeElement?.className).toBe("toast-place");
});

test("a swipe of more than 50 px dismisses a toast, and a shorter one does not", async () => {
  await renderClient(null);
  tell("Exame excluído");
  const swipe = async (byPx: number) => {
    const toast = toasts()[0] as HTMLElement;
    const at = (clientX: number) => ({ clientX, clientY: 0, button: 0, pointerId: 1 });
    await act(async () => {
      fireEvent.pointerDown(toast, at(0));
      for (let x = 0; x <= byPx; x += 5) fireEvent.pointerMove(toast, at(x));
      fireEvent.pointerUp(toast, at(byPx));
    });
  };
  await swipe(45);
  expect(toasts()).toHaveLength(1);
  await swipe(55);
  expect(toasts()).toHaveLength(0);
});

describe("a toast", () => {
  withFakeClock("2026-11-21T12:00:00.000Z");

  test("disappears by itself after 5 s", async () => {
    await renderClient(null);
    tell("Exame excluído");
    await pass(4_000);
    expect(toasts()).toHaveLength(1);
    await pass(1_000);
    expect(toasts()).toHaveLength(0);
  });
});
