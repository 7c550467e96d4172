import "../../support/client/dom-globals.ts";
import { afterEach, expect, test } from "bun:test";
import DeliveryScreen from "../../../src/client/features/delivery/delivery-screen.tsx";
import { lendToken } from "../../../src/client/session.ts";
import { screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls } from "../../support/client/render-view.tsx";
import { zipFile } from "../../support/client/upload-files.ts";
import { sampleInstance } from "../../support/zip/sample-zip.ts";

withDom();
afterEach(() => lendToken(undefined));

const request = { label: "Hospital", shownName: "Marina G.", expiresAt: "2999-12-01T00:00:00.000Z" };

test("a page on which what was picked is looked at asks before it is left", async () => {
  answerCalls({
    "POST /api/requests/open": () => Response.json(request),
    "POST /api/deliveries": () => Response.json({ token: "dlv_x" }),
    "GET /api/uploads": () => Response.json([]),
  });
  await renderClient(<DeliveryScreen productName="Exameteca" request="back" maxUploadBytes={1_000_000} />);
  await userEvent.type(await screen.findByLabelText("Quem entrega"), "Hospital");
  await userEvent.click(screen.getByRole("button", { name: "Continuar" }));
  const zip = zipFile({ IM1: sampleInstance({}) }, { name: "outra-pessoa.zip" });
  const input = await waitFor(() => {
    const found = document.querySelector<HTMLInputElement>("input[type=file]:not([webkitdirectory])");
    if (!found) throw new Error("no place for files yet");
    return found;
  });
  await userEvent.upload(input, zip);
  await screen.findByRole("button", { name: "Entregar mesmo assim" });
  // The page begins to ask a moment after it shows what was found.
  await waitFor(() =>
    expect(window.dispatchEvent(new Event("beforeunload", { cancelable: true }))).toBe(false),
  );
});
