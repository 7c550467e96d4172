import "../../support/client/dom-globals.ts";
import { afterEach, expect, test } from "bun:test";
import DeliveryScreen from "../../../src/client/features/delivery/delivery-screen.tsx";
import { keepDelivery } from "../../../src/client/features/delivery/kept-delivery.ts";
import { lendToken } from "../../../src/client/session.ts";
import { act, cleanup, screen, withDom } from "../../support/client/dom.ts";
import { pass, settled, withFakeClock } from "../../support/client/fake-clock.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls, problem } from "../../support/client/render-view.tsx";

withDom();
withFakeClock("2026-11-27T12:00:00.000Z");
// The page of a request has its document, and so this token, to itself.
afterEach(() => lendToken(undefined));

const request = { label: "Hospital", shownName: "Marina G.", expiresAt: "2026-12-01T00:00:00.000Z" };

test("a page that is not shown any more asks no longer what became of the upload", async () => {
  keepDelivery("r", { token: "dlv_x", from: "Hospital", request });
  const upload = { id: "u", filename: "exame.zip", sizeBytes: 1, offset: 1, state: "processing" };
  const times = { createdAt: "2026-11-27T12:00:00.000Z", expiresAt: "2026-12-04T12:00:00.000Z" };
  const calls = answerCalls({
    "GET /api/uploads": () => Response.json([{ ...upload, ...times }]),
    "GET /api/uploads/u": () => Response.json({ ...upload, ...times }),
  });
  await renderClient(<DeliveryScreen productName="Exameteca" request="r" maxUploadBytes={1_000_000} />);
  await pass(10_000);
  const asked = calls.length;
  expect(asked).toBeGreaterThan(2);
  cleanup();
  await pass(60_000);
  expect(calls.length).toBe(asked);
});

test("a request that did not open is opened by the whole address, pasted into the same tab", async () => {
  const secrets: unknown[] = [];
  answerCalls({
    "POST /api/requests/open": ({ body }) => {
      secrets.push((body as { secret: string }).secret);
      return secrets.length === 1 ? problem(404, "request.not_found", "Não abre.") : Response.json(request);
    },
  });
  const paste = async (secret: string) => {
    await act(async () => {
      window.location.hash = secret;
    });
    await settled();
  };
  await paste("cut");
  await renderClient(<DeliveryScreen productName="Exameteca" request="s" maxUploadBytes={1_000_000} />);
  await settled();
  screen.getByRole("alert");
  await paste("whole");
  screen.getByLabelText("Quem entrega");
  expect(secrets).toEqual(["cut", "whole"]);
});

test("the whole address that is pasted while the cut one is still being opened opens the request", async () => {
  const late = Promise.withResolvers<Response>();
  const secrets: unknown[] = [];
  answerCalls({
    "POST /api/requests/open": ({ body }) => {
      secrets.push((body as { secret: string }).secret);
      return secrets.length === 1 ? late.promise : Response.json(request);
    },
  });
  const paste = async (secret: string) => {
    await act(async () => {
      window.location.hash = secret;
    });
    await settled();
  };
  await paste("cut");
  await renderClient(<DeliveryScreen productName="Exameteca" request="t" maxUploadBytes={1_000_000} />);
  await settled();
  await paste("whole");
  late.resolve(problem(404, "request.not_found", "Não abre."));
  await settled();
  screen.getByLabelText("Quem entrega");
  expect(secrets).toEqual(["cut", "whole"]);
});
