import "../../support/client/dom-globals.ts";
import { afterEach, expect, test } from "bun:test";
import { I18nProvider } from "@lingui/react";
import { getDefaultStore } from "jotai";
import { DiscScreen } from "../../../src/client/features/disc/disc-screen.tsx";
import { activateLocale, i18n } from "../../../src/client/i18n.ts";
import { shownToastAtom } from "../../../src/client/ui/toast.tsx";
import { saveImage } from "../../../src/client/visor/view/save-image.ts";
import { act, render, screen, withDom } from "../../support/client/dom.ts";

withDom();

afterEach(() => getDefaultStore().set(shownToastAtom, undefined));

test("an image that the browser makes no file of says so, on the page of a disc as well", async () => {
  await activateLocale("pt-BR");
  await act(async () => {
    render(
      <I18nProvider i18n={i18n}>
        <DiscScreen />
      </I18nProvider>,
    );
  });
  const canvas = document.createElement("canvas");
  canvas.toBlob = (take) => take(null);
  await act(() => saveImage(canvas, "Tórax"));
  expect(await screen.findByText("A imagem não pôde ser salva")).toBeTruthy();
});
