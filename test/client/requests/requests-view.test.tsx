import "../../support/dom-globals.ts";
import { expect, test } from "bun:test";
import RequestsView from "../../../src/client/features/requests/requests-view.tsx";
import type { Request } from "../../../src/shared/api/deliveries.ts";
import { screen, userEvent, waitFor, withDom } from "../../support/dom.ts";
import { answerCalls, renderView } from "../../support/render-view.tsx";

withDom();

const request: Request = {
  id: "01900000-0000-7000-8000-0000000000c1",
  label: "Hospital Santa Clara",
  shownName: "Maria A. S.",
  state: "open",
  uses: 1,
  used: 0,
  createdAt: "2026-01-20T12:00:00.000Z",
  expiresAt: "2026-02-20T12:00:00.000Z",
  endedAt: null,
  openedAt: null,
  percent: null,
  deliveries: [],
};

async function show(...requests: Partial<Request>[]) {
  const ended: string[] = [];
  answerCalls({
    "GET /api/requests": () =>
      Response.json(requests.map((one, index) => ({ ...request, id: `${request.id}${index}`, ...one }))),
    [`DELETE /api/requests/${request.id}0`]: () => {
      ended.push("0");
      return new Response(null, { status: 204 });
    },
  });
  await renderView(<RequestsView />);
  await screen.findAllByText("Hospital Santa Clara");
  return { user: userEvent.setup(), ended };
}

test("each request of an account names its state", async () => {
  await show(
    { state: "open" },
    { state: "sending", percent: 62 },
    { state: "received" },
    { state: "expired" },
    { state: "ended" },
  );
  for (const state of ["Aberto", "Enviando", "Recebido", "Venceu", "Encerrado"])
    expect(screen.getByText(state, { selector: ".state-chip" })).toBeDefined();
});

test("an open request ends from its menu, only after a question that begins at the safe answer", async () => {
  const { user, ended } = await show({});
  await user.click(screen.getByRole("button", { name: "Mais ações: Hospital Santa Clara" }));
  await user.click(await screen.findByRole("menuitem", { name: "Encerrar" }));
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Manter"));
  expect(ended).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Encerrar agora" }));
  await waitFor(() => expect(ended).toEqual(["0"]));
});
