import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { viewAtom } from "../../../src/client/features/places/views.ts";
import { RequestReady } from "../../../src/client/features/requests/request-ready.tsx";
import RequestsView from "../../../src/client/features/requests/requests-view.tsx";
import { endSession } from "../../../src/client/session.ts";
import type { Request } from "../../../src/shared/api/deliveries.ts";
import { DAY_MS } from "../../../src/shared/units.ts";
import {
  act,
  cleanup,
  drawn,
  screen,
  userEvent,
  waitFor,
  withDom,
  within,
} from "../../support/client/dom.ts";
import { answerCalls, renderView, shownView } from "../../support/client/render-view.tsx";
import { withServerClock } from "../../support/client/server-clock.ts";
import { skull } from "../../support/client/skull-study.ts";
import { usage } from "../../support/client/subscriptions.ts";
import { travel, write } from "../../support/client/travel.ts";

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

const delivery = {
  id: "01900000-0000-7000-8000-0000000000d1",
  from: "Hospital Santa Clara",
  createdAt: "2026-01-21T12:00:00.000Z",
  receivedAt: "2026-01-21T12:00:00.000Z",
  studyIds: [skull.id],
  images: 1284,
};

async function show(...requests: Partial<Request>[]) {
  const ended: string[] = [];
  const deleted: string[] = [];
  answerCalls({
    "GET /api/studies/s1": () => Response.json(skull),
    "GET /api/studies/s1/picture": () => new Response(null, { status: 204 }),
    "GET /api/subscriptions/usage-stats": () => Response.json({ ...usage, actionsRemaining: 10 }),
    "DELETE /api/studies/s1": () => {
      deleted.push("s1");
      return new Response(null, { status: 204 });
    },
    "GET /api/requests": () =>
      Response.json(requests.map((one, index) => ({ ...request, id: `${request.id}${index}`, ...one }))),
    [`DELETE /api/requests/${request.id}0`]: () => {
      ended.push("0");
      return new Response(null, { status: 204 });
    },
  });
  await renderView(<RequestsView />);
  await screen.findAllByText("Hospital Santa Clara");
  return { user: userEvent.setup(), ended, deleted };
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

test("Escape keeps a request that is being asked about", async () => {
  const { user } = await show({});
  const menu = { name: "Mais ações: Hospital Santa Clara" };
  await user.click(screen.getByRole("button", menu));
  await user.click(await screen.findByRole("menuitem", { name: "Encerrar" }));
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Manter"));
  await user.keyboard("{Escape}");
  expect(document.activeElement).toBe(screen.getByRole("button", menu));
});

test("a new request is shown despite Back while it is made", async () => {
  const { user } = await show({ state: "ended" });
  await write(() => getDefaultStore().set(viewAtom, "receber"));
  const made = Promise.withResolvers<Response>();
  answerCalls({ "GET /api/requests": () => Response.json([]), "POST /api/requests": () => made.promise });
  await user.click(screen.getByRole("button", { name: "Novo pedido" }));
  await user.type(screen.getByLabelText("Quem vai entregar"), "Clínica Aurora");
  await user.click(screen.getByRole("button", { name: "Criar pedido" }));
  await screen.findByRole("button", { name: "Criando…" });
  await travel("back");
  expect(shownView()).toBe("receber");
  made.resolve(
    Response.json({ ...request, url: "https://exames.example.com/e/1", qrCode: "data:," }, { status: 201 }),
  );
  expect(await screen.findAllByText("https://exames.example.com/e/1")).not.toBeEmpty();
});

test("a request is valid from the server's time on, whatever the browser's clock says", async () => {
  const { user } = await show({ state: "ended" });
  using _clock = withServerClock(-3 * DAY_MS);
  const asked: unknown[] = [];
  answerCalls({
    "GET /api/requests": () => Response.json([]),
    "POST /api/requests": ({ body }) => {
      asked.push(body);
      const made = { ...request, url: "https://exames.example.com/e/1", qrCode: "data:," };
      return Response.json(made, { status: 201 });
    },
  });
  await user.click(screen.getByRole("button", { name: "Novo pedido" }));
  await user.type(screen.getByLabelText("Quem vai entregar"), "Clínica Aurora");
  await user.click(screen.getByRole("button", { name: "Criar pedido" }));
  await waitFor(() => expect(asked).toHaveLength(1));
  const [{ expiresAt }] = asked as [{ expiresAt: string }];
  expect(Math.round((Date.parse(expiresAt) - Date.now()) / DAY_MS)).toBe(7 - 3);
});

test("after the first request the focus is in the view, although the button that had asked for it is gone", async () => {
  const requests: Request[] = [];
  answerCalls({
    "GET /api/requests": () => Response.json(requests),
    "POST /api/requests": () => {
      requests.push(request);
      return Response.json(
        { ...request, url: "https://exames.example.com/e/1", qrCode: "data:," },
        { status: 201 },
      );
    },
  });
  await renderView(
    <main id="view" tabIndex={-1}>
      <RequestsView />
    </main>,
  );
  await screen.findByText("Sem CD, sem pen drive");
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Novo pedido" }));
  await user.type(screen.getByLabelText("Quem vai entregar"), "Clínica Aurora");
  await user.click(screen.getByRole("button", { name: "Criar pedido" }));
  await user.click(await screen.findByRole("button", { name: "Pronto" }));
  await waitFor(() => expect(document.activeElement?.id).toBe("view"));
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

test("a request can't be kept any more while it is being ended", async () => {
  const { user } = await show({});
  const ended = Promise.withResolvers<Response>();
  answerCalls({
    "GET /api/requests": () => Response.json([{ ...request, state: "ended" }]),
    [`DELETE /api/requests/${request.id}0`]: () => ended.promise,
  });
  await user.click(screen.getByRole("button", { name: "Mais ações: Hospital Santa Clara" }));
  await user.click(await screen.findByRole("menuitem", { name: "Encerrar" }));
  await user.click(await screen.findByRole("button", { name: "Encerrar agora" }));
  await user.click(screen.getByRole("button", { name: "Manter" }));
  expect(screen.getByRole("button", { name: "Encerrar agora" })).toBeDefined();
  ended.resolve(new Response(null, { status: 204 }));
  await screen.findByRole("button", { name: "Renovar: Hospital Santa Clara" });
});

test("a delivered exam is deleted only after a question that names it and begins at the safe answer", async () => {
  const receivedAt = new Date().toISOString();
  const { user, deleted } = await show({ state: "received", deliveries: [{ ...delivery, receivedAt }] });
  await user.click(screen.getByRole("button", { name: /^Recusar e excluir: / }));
  const question = within(await screen.findByRole("alertdialog", { name: "Recusar este exame?" }));
  await question.findByText(/Tomografia de crânio/);
  expect(question.getByText(/não usa uma ação/)).toBeDefined();
  expect(document.activeElement?.textContent).toBe("Cancelar");
  expect(deleted).toEqual([]);
  await user.click(question.getByRole("button", { name: "Recusar e excluir" }));
  await waitFor(() => expect(deleted).toEqual(["s1"]));
});

test("after 7 days the question says that refusing uses an action", async () => {
  const { user } = await show({ state: "received", deliveries: [delivery] });
  await user.click(screen.getByRole("button", { name: /^Recusar e excluir: / }));
  const question = within(await screen.findByRole("alertdialog"));
  await question.findByText(/Conta como 1 ação do mês\. Depois disso restam 9/);
  expect(question.queryByText(/não usa uma ação/)).toBeNull();
});

test("'Ver' opens the exam that a request brought", async () => {
  const { user } = await show({ state: "received", deliveries: [delivery] });
  await user.click(screen.getByRole("button", { name: "Ver: Hospital Santa Clara" }));
  await waitFor(() => expect(shownView()).toBe("viewer"));
});

test("a request that is over is made anew from its own row, under its own name", async () => {
  const { user } = await show({ state: "ended" }, { state: "expired", label: "Outra Clínica" });
  await user.click(screen.getByRole("button", { name: "Renovar: Outra Clínica" }));
  expect(await screen.findByDisplayValue("Outra Clínica")).toBeDefined();
});

test("what was typed to renew one request, when the session expired, is not asked for to renew another", async () => {
  const ended = [
    { state: "ended" },
    { state: "expired", label: "Outra Clínica" },
  ] satisfies Partial<Request>[];
  const { user } = await show(...ended);
  await user.click(screen.getByRole("button", { name: "Renovar: Hospital Santa Clara" }));
  await user.type(await screen.findByDisplayValue("Hospital Santa Clara"), " Norte");
  await act(async () => endSession("expired"));
  cleanup();
  await drawn();
  const again = await show(...ended);
  await again.user.click(screen.getByRole("button", { name: "Renovar: Outra Clínica" }));
  expect(await screen.findByDisplayValue("Outra Clínica")).toBeDefined();
  await again.user.click(screen.getByRole("button", { name: "Cancelar" }));
  await again.user.click(screen.getByRole("button", { name: "Renovar: Hospital Santa Clara" }));
  expect(await screen.findByDisplayValue("Hospital Santa Clara Norte")).toBeDefined();
});

test("'Ver' leads to the list if a request brought several exams", async () => {
  const several = { ...delivery, studyIds: ["s1", "s2"] };
  const { user } = await show({ state: "received", deliveries: [several] });
  await user.click(screen.getByRole("button", { name: /^Ver: / }));
  await waitFor(() => expect(shownView()).toBe("listaExames"));
});

test("once the exam has arrived, the way to it takes the place of the request's QR code and address", async () => {
  const arrival = Promise.withResolvers<Response>();
  answerCalls({
    "GET /api/requests": () => arrival.promise,
    "GET /api/studies/s1": () => Response.json(skull),
  });
  const made = { ...request, url: "https://exemplo.com.br/entregar/r#s", qrCode: "data:image/png;base64," };
  await renderView(<RequestReady request={made} returnTo={{ current: null }} onClose={() => undefined} />);
  expect(screen.getByRole("img", { name: "QR Code do pedido" })).toBeDefined();
  arrival.resolve(Response.json([{ ...request, state: "received", deliveries: [delivery] }]));
  const arrived = within(await screen.findByRole("dialog", { name: "O exame chegou" }));
  expect(arrived.queryByRole("img")).toBeNull();
  expect(arrived.queryByRole("button", { name: "Copiar link" })).toBeNull();
  const view = arrived.getByRole("button", { name: "Ver exame" });
  expect(view.className).toContain("is-lit");
  await userEvent.setup().click(view);
  await waitFor(() => expect(shownView()).toBe("viewer"));
});
