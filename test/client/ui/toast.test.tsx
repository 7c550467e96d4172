import "../../support/dom-globals.ts";
import { expect, test } from "bun:test";
import { showToast } from "../../../src/client/ui/toast.tsx";
import { act, screen, withDom } from "../../support/dom.ts";
import { renderClient } from "../../support/render-client.tsx";

withDom();

test("a new toast takes the place of the one that is up", async () => {
  await renderClient(null);
  act(() => showToast({ tone: "ok", title: "Exame excluído" }));
  expect(await screen.findByText("Exame excluído")).toBeDefined();
  act(() => showToast({ tone: "bad", title: "Erro no upload" }));
  expect(await screen.findByText("Erro no upload")).toBeDefined();
  expect(document.querySelectorAll(".toast")).toHaveLength(1);
});
