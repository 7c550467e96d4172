import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { DeliveryReceipt } from "../../../src/client/features/delivery/delivery-receipt.tsx";
import type { Delivered } from "../../../src/client/features/delivery/delivery-state.ts";
import { cleanup, fireEvent, screen, withDom } from "../../support/client/dom.ts";
import { pass, settled, withFakeClock } from "../../support/client/fake-clock.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls, problem } from "../../support/client/render-view.tsx";

withDom();
withFakeClock("2026-11-27T12:00:00.000Z");

const request = { label: "Hospital", shownName: "Marina G.", expiresAt: "2026-12-01T00:00:00.000Z" };
const study = (id: string) => ({ id, studyInstanceUID: `2.25.${id}`, imagesReceived: 1, duplicates: 0 });
const delivered = [
  { uploadId: "u", answer: { studies: [study("1"), study("2")] } },
] as unknown as Delivered[];

const receiptOf = (id: string) =>
  Response.json({
    receipt: {
      ...{ version: 1, studyInstanceUID: `2.25.${id}`, receivedAt: "2026-11-27T12:00:00.000Z" },
      instances: [{ sopInstanceUID: `2.25.${id}.1`, sha256: "0".repeat(64), sizeBytes: 9 }],
      root: id.repeat(64),
    },
    jws: "a.b.c",
  });

interface Server {
  first?: () => Promise<Response>;
  /** Of the second exam. */
  second: () => Response;
  paper?: () => Response;
}

/** Returns the calls that are made. */
async function showReceipt(server: Server): Promise<string[]> {
  const calls = answerCalls({
    "GET /api/uploads/u/receipt": ({ search }) => {
      const asked = search.get("study");
      if (asked === null) return server.paper?.() ?? new Response("%PDF-");
      return asked === "2" ? server.second() : (server.first?.() ?? receiptOf(asked));
    },
  });
  await renderClient(
    <DeliveryReceipt
      productName="Exameteca"
      request={request}
      from="Hospital"
      delivered={delivered}
      onMore={() => undefined}
    />,
  );
  await settled();
  return calls;
}

const exams = () => screen.queryAllByRole("rowheader").map(({ textContent }) => textContent);
const lost = (): Response => {
  throw new TypeError("the connection was lost");
};

test("a receipt that an outage keeps from being read whole is not shown in part, and is read again on request", async () => {
  const server: Server = { second: lost };
  await showReceipt(server);
  await pass(70_000);
  expect(exams()).toEqual([]);
  expect(screen.getByRole("alert").textContent).toContain("Não foi possível falar com o servidor");
  server.second = () => receiptOf("2");
  fireEvent.click(screen.getByRole("button", { name: "Tentar novamente" }));
  await settled();
  expect(exams()).toEqual(["Exame 1", "Exame 2", "Total"]);
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a receipt without an exam of which nothing was new says nothing of it; without a refused one, it says why", async () => {
  await showReceipt({ second: () => problem(404, "receipt.not_found", "Não há recibo.") });
  expect(exams()).toEqual(["Exame 1", "Total"]);
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a receipt that is left while it is read is read no further", async () => {
  const held = Promise.withResolvers<void>();
  const asked: string[] = [];
  await showReceipt({
    first: async () => {
      await held.promise;
      return receiptOf("1");
    },
    second() {
      asked.push("2");
      return receiptOf("2");
    },
  });
  cleanup();
  held.resolve();
  await settled();
  expect(asked).toEqual([]);
});

test("a receipt names why an exam is not in it", async () => {
  await showReceipt({ second: () => problem(422, "receipt.too_large", "Há imagens demais.") });
  expect(exams()).toEqual(["Exame 1", "Total"]);
  expect(screen.getByRole("alert").textContent).toContain("Há imagens demais.");
});

test("a paper that can't be downloaded says so, and is not asked for twice meanwhile", async () => {
  const calls = await showReceipt({ second: () => receiptOf("2"), paper: lost });
  const before = calls.length;
  for (let presses = 0; presses < 2; presses++)
    fireEvent.click(screen.getByRole("button", { name: "Baixar PDF" }));
  await settled();
  expect(calls.length - before).toBe(1);
  expect(screen.getByRole("alert").textContent).toContain("Não foi possível falar com o servidor");
});
