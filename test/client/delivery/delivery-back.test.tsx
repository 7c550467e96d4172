import "../../support/dom-globals.ts";
import { afterEach, expect, test } from "bun:test";
import DeliveryScreen from "../../../src/client/features/delivery/delivery-screen.tsx";
import { lendToken } from "../../../src/client/session.ts";
import { screen, userEvent, waitFor, withDom } from "../../support/dom.ts";
import { renderClient } from "../../support/render-client.tsx";
import { answerCalls } from "../../support/render-view.tsx";
import { sampleInstance } from "../../support/sample-zip.ts";
import { travel } from "../../support/travel.ts";
import { zipFile } from "../../support/upload-files.ts";

withDom();
afterEach(() => lendToken(undefined));

const request = { label: "Hospital", shownName: "Marina G.", expiresAt: "2999-12-01T00:00:00.000Z" };

test("Back from the look at what was picked leads to the files and Forward to the picks, which are read once", async () => {
  answerCalls({
    "POST /api/requests/open": () => Response.json(request),
    "POST /api/deliveries": () => Response.json({ token: "dlv_x" }),
    "GET /api/uploads": () => Response.json([]),
  });
  const before = window.history.length;
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
  const anyway = () => screen.findByRole("button", { name: "Entregar mesmo assim" });
  await anyway();
  expect(window.history.length).toBe(before + 1);
  expect(window.dispatchEvent(new Event("beforeunload", { cancelable: true }))).toBe(false);
  await travel("back");
  expect(document.querySelector("input[type=file]")).not.toBeNull();
  expect(screen.queryByRole("button", { name: "Entregar mesmo assim" })).toBeNull();
  await travel("forward");
  await anyway();
  await travel("back");
});
