import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { readAgainAfterFailure } from "../../../src/client/calls/read-again.ts";
import { ageOf } from "../../../src/client/features/home/shared-row.tsx";
import { shownPaymentAtom } from "../../../src/client/features/payments/shown-payment.ts";
import { sharedStudyAtom } from "../../../src/client/features/sharing/share-state.ts";
import { shownStudyAtom } from "../../../src/client/features/viewer/shown-study.ts";
import type { SharedWithMe } from "../../../src/shared/api/shared-studies.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import {
  act,
  cleanup,
  drawn,
  screen,
  untilGone,
  userEvent,
  waitFor,
  withDom,
  within,
} from "../../support/client/dom.ts";
import {
  type Answer,
  answerCalls,
  problem,
  renderView,
  shownView,
} from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";
import { subscriptionAnswers } from "../../support/client/subscriptions.ts";

withDom();

// It reads the browser's storage when it is imported.
const { WelcomeView } = await import("../../../src/client/features/frame/welcome-view.tsx");

const nothingShared: SharedWithMe = { total: 0, freshTotal: 0, fresh: [], seen: [], awaiting: [] };
const payment = {
  ...{ id: "01900000-0000-7000-8000-0000000000f1", status: "pending", amount: 3990, planId: "p1" },
  ...{ planName: "Família", periodDays: 30, pixQrcode: null, pixCopyPaste: null, paymentDate: null },
  ...{ periodStart: null, periodEnd: null, refundedAt: null, amountReturned: 0, devolucoes: [] },
  createdAt: "2026-11-22T12:00:00.000Z",
  expiresAt: new Date(Date.now() + 28.5 * 60_000).toISOString(),
};

interface Home {
  locale?: "en-US";
  isActive?: boolean;
  studies?: Study[];
  total?: number;
  shared?: SharedWithMe;
  told?: unknown[];
  more?: Record<string, Answer>;
}

async function show({
  studies = [skull],
  total = studies.length,
  shared = nothingShared,
  told = [],
  more,
  locale,
  isActive = true,
}: Home) {
  const searches: string[] = [];
  const calls = answerCalls({
    "GET /api/studies": ({ search }) => {
      searches.push(String(search));
      return Response.json(studies, { headers: { "X-Total-Count": String(total) } });
    },
    "GET /api/studies/s1/thumbnail": () => new Response(null, { status: 204 }),
    "GET /api/studies/s2/thumbnail": () => new Response(null, { status: 204 }),
    "GET /api/shared-with-me": () => Response.json(shared),
    "GET /api/links": () => Response.json([]),
    "GET /api/notifications": () => Response.json({ unread: told.length, notifications: told }),
    "POST /api/notifications/read": () => Response.json({ read: true }),
    "GET /api/studies/s1": () => Response.json({ ...skull, laudo: true }),
    "GET /api/subscriptions/my-subscription": () => problem(404, "subscription.none", "x"),
    "GET /api/subscriptions/usage-stats": () => problem(404, "subscription.none", "x"),
    ...more,
  });
  await renderView(<WelcomeView />, { isActive, ...(locale && { locale }) });
  return { searches, calls };
}

const film = () => screen.findByRole("button", { name: /Tomografia de crânio$/ });

test("the home view shows one's own exams that came last, and one press opens the images", async () => {
  const { searches } = await show({ total: 6 });
  await userEvent.setup().click(await film());
  expect(searches).toEqual(["limit=4&sort=createdAt&order=desc&whose=own"]);
  expect([shownView(), getDefaultStore().get(shownStudyAtom)?.id]).toEqual(["viewer", "s1"]);
});

test("an exam on its way to the store leads to the list, where its state is shown", async () => {
  await show({ studies: [{ ...skull, storageStatus: "local" }], total: 6 });
  expect(await screen.findByRole("button", { name: "Ver os 6 exames" })).toBeTruthy();
  await userEvent.setup().click(await film());
  expect(shownView()).toBe("listaExames");
});

test("somebody without exams is welcomed with three steps, and nothing says that nothing waits", async () => {
  await show({ studies: [] });
  await screen.findByText("Três passos, uns cinco minutos.");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Boas-vindas, Helena");
  expect(screen.queryByText("Recentes")).toBeNull();
  expect(screen.queryByText("Esperando por você")).toBeNull();
  expect(screen.queryByText("Compartilhados comigo")).toBeNull();
  await userEvent.setup().click(screen.getByRole("button", { name: "Enviar o primeiro exame" }));
  expect(shownView()).toBe("uploadExames");
});

test("nothing is shown before all is known, so that nothing moves away from a finger", async () => {
  const shared = Promise.withResolvers<Response>();
  await show({ more: { "GET /api/shared-with-me": () => shared.promise } });
  await act(async () => {});
  expect(screen.queryByText("Recentes")).toBeNull();
  await act(async () => shared.resolve(Response.json(nothingShared)));
  expect(await screen.findByText("Recentes")).toBeTruthy();
});

test("a part that could not be loaded offers another try, is read again by itself, and leaves the others", async () => {
  let isDown = true;
  await show({
    shared: { ...nothingShared, total: 1, seen: [sharedBy("João Gonçalves")] },
    more: {
      "GET /api/studies": () =>
        isDown
          ? problem(403, "database.unavailable", "O banco de dados não responde.")
          : Response.json([skull], { headers: { "X-Total-Count": "1" } }),
    },
  });
  await screen.findByText("O banco de dados não responde.");
  expect(screen.getByText("Compartilhados comigo")).toBeTruthy();
  isDown = false;
  await userEvent.setup().click(screen.getByRole("button", { name: "Tentar novamente" }));
  expect(await screen.findByRole("button", { name: "Ver o exame" })).toBeTruthy();
  // The button that had the focus is gone.
  await waitFor(() => expect(document.activeElement?.textContent).toStartWith("Recentes"));
  expect(
    ["error", "success", "pending"].map((status) =>
      readAgainAfterFailure({ state: { status, error: null } }),
    ),
  ).toEqual([15_000, false, false]);
});

/** Until it is disposed the browser has no connection. */
function offline(): Disposable {
  Object.defineProperty(navigator, "onLine", { value: false, configurable: true });
  return { [Symbol.dispose]: () => Reflect.deleteProperty(navigator, "onLine") };
}

test("without a connection one message stands for all that is missing, and what was read before stays", async () => {
  let isCut = true;
  const unless =
    (answer: Answer): Answer =>
    (call) =>
      isCut ? Promise.reject(new TypeError("failed to fetch")) : answer(call);
  using _offline = offline();
  await show({
    shared: { ...nothingShared, total: 1, seen: [sharedBy("João Gonçalves")] },
    more: {
      "GET /api/studies": unless(() => Response.json([skull], { headers: { "X-Total-Count": "1" } })),
      "GET /api/links": unless(() => Response.json([])),
      "GET /api/notifications": unless(() => Response.json({ unread: 0, notifications: [] })),
      "GET /api/subscriptions/usage-stats": unless(() => problem(404, "subscription.none", "x")),
    },
  });
  expect((await screen.findByRole("alert")).textContent).toContain("Sem conexão");
  expect(screen.getByText("Compartilhados comigo")).toBeTruthy();
  expect(screen.queryByText("Recentes")).toBeNull();
  expect(screen.queryByText("Seu plano")).toBeNull();
  isCut = false;
  await userEvent.setup().click(screen.getByRole("button", { name: "Tentar novamente" }));
  expect(await screen.findByRole("button", { name: "Ver o exame" })).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
});

const withOpenPix = {
  ...{ id: "x", status: "pending", startDate: "2026-11-01T00:00:00.000Z", expiresAt: null },
  plan: { id: "p1", name: "Família", price: 3990, examLimit: 50, downloadDeleteLimit: 60, storageBytes: 1 },
  ...{ currentExamCount: 0, storageUsedBytes: 0, downloadsThisMonth: 0, deletesThisMonth: 0 },
  ...{
    canCancel: false,
    cancelledAt: null,
    removedUntil: null,
    keptUntil: null,
    openPaymentId: payment.id,
  },
};

/** Shows the home view with an open Pix; `become` changes the status of that Pix. */
async function showOpenPix() {
  let status = "pending";
  await show({
    more: {
      "GET /api/subscriptions/my-subscription": () => Response.json(withOpenPix),
      [`GET /api/payments/${payment.id}`]: () => Response.json({ ...payment, status }),
    },
  });
  const waiting = within(await screen.findByRole("region", { name: /^Esperando por você/ }));
  expect(waiting.getByText("Pix de R$ 39,90 aguardando")).toBeTruthy();
  const become = async (changed: string) => {
    status = changed;
    await act(async () => window.dispatchEvent(new Event("visibilitychange")));
  };
  return { waiting, become };
}

test("an open Pix waits at the top and opens its dialog; once it is paid its row stays, without a button", async () => {
  const { waiting, become } = await showOpenPix();
  expect(waiting.getByText(/o código expira em 29 min/)).toBeTruthy();
  await userEvent.setup().click(waiting.getByRole("button", { name: /^Pagar Pix de R\$.39,90 aguardando$/ }));
  expect(getDefaultStore().get(shownPaymentAtom)).toBe(payment.id);
  await become("paid");
  await waitFor(() => expect(waiting.getByText("Pix de R$ 39,90 confirmado")).toBeTruthy());
  expect(waiting.queryByRole("button")).toBeNull();
});

test.each([
  ["expired", "Pix de R$ 39,90 expirado"],
  ["failed", "Pix de R$ 39,90 não deu certo"],
  ["refunded", "Pix de R$ 39,90 devolvido"],
])("a Pix that was open and is %s says so, and waits no more", async (over, title) => {
  const { waiting, become } = await showOpenPix();
  await become(over);
  await waitFor(() => expect(waiting.getByText(title)).toBeTruthy());
  expect(waiting.queryByRole("button")).toBeNull();
});

test("a new report waits until it is read; an event of a newer server is left out", async () => {
  const report = {
    ...{ id: "01900000-0000-7000-8000-0000000000e1", event: "report.attached", readAt: null, details: {} },
    ...{ at: new Date().toISOString(), actorName: "Dra. Inês Leão" },
    study: { id: "s1", studyDescription: "Tomografia de crânio" },
  };
  const { calls } = await show({ told: [{ ...report, id: "x", event: "study.praised" }, report] });
  const waiting = within(await screen.findByRole("region", { name: "Esperando por você 1" }));
  expect(waiting.getByText("Laudo novo: Tomografia de crânio")).toBeTruthy();
  await userEvent
    .setup()
    .click(waiting.getByRole("button", { name: "Ler laudo Laudo novo: Tomografia de crânio" }));
  await waitFor(() => expect(shownView()).toBe("laudo"));
  expect(calls).toContain("POST /api/notifications/read");
});

test("what a clinic delivered waits until it is looked at, and a button leads to the requests", async () => {
  const delivery = {
    ...{ id: "01900000-0000-7000-8000-0000000000e2", event: "delivery.received", readAt: null },
    ...{ at: new Date().toISOString(), actorName: null, details: { from: "Clínica São João" } },
    study: { id: "s1", studyDescription: "Tomografia de crânio" },
  };
  const { calls } = await show({ told: [delivery] });
  const waiting = within(await screen.findByRole("region", { name: "Esperando por você 1" }));
  expect(waiting.getByText("Entregue a você: Tomografia de crânio")).toBeTruthy();
  expect(waiting.getByText(/^Clínica São João · /)).toBeTruthy();
  const user = userEvent.setup();
  await user.click(waiting.getByRole("button", { name: "Ver Entregue a você: Tomografia de crânio" }));
  await waitFor(() => expect(shownView()).toBe("viewer"));
  expect(calls).toContain("POST /api/notifications/read");
  await user.click(screen.getByRole("button", { name: "Receber de uma clínica" }));
  expect(shownView()).toBe("receber");
});

test("in English too, the button of a row that waits names its row", async () => {
  const at = new Date().toISOString();
  const study = { id: "s1", studyDescription: "Head CT" };
  const told = ["e3", "e4"].map((end) => ({
    ...{ id: `01900000-0000-7000-8000-0000000000${end}`, event: "report.attached", readAt: null, at },
    ...{ actorName: null, details: {}, study: { ...study, studyDescription: `Head CT ${end}` } },
  }));
  await show({ told, locale: "en-US" });
  const waiting = within(await screen.findByRole("region", { name: "Waiting for you 2" }));
  for (const { study } of told)
    waiting.getByRole("button", { name: `Read report New report: ${study.studyDescription}` });
});

test("a home that breaks says so and leaves the rest of the view", async () => {
  await show({ shared: { ...nothingShared, seen: [{ study: null }] as never } });
  expect(await screen.findByText("Armazenamento seguro")).toBeTruthy();
  await screen.findByText("Compartilhados comigo");
  expect(await film()).toBeTruthy();
});

test("an age is whole years, and none where the day of birth can't be right", () => {
  const now = new Date(2026, 10, 22);
  expect(ageOf("1966-11-22", now)).toBe(60);
  expect(ageOf("1966-11-23", now)).toBe(59);
  expect(["", "1850-01-01", "2030-01-01"].map((day) => ageOf(day, now))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

function sharedBy(ownerName: string) {
  return { study: { ...skull, id: "s2", ownerName }, sharedAt: "2026-11-20T12:00:00.000Z", seenAt: null };
}

const link = {
  ...{
    studyIds: ["s1"],
    state: "active",
    hasPasscode: true,
    laudo: true,
    download: false,
    maxOpenings: null,
  },
  ...{ openings: 0, wrongPasscodes: 0, createdAt: "2026-11-20T12:00:00.000Z", endedAt: null },
  expiresAt: "2099-11-29T12:00:00.000Z",
};

test("the links that still open something stand beside the plan, with what came of each; a press shows its exam's links", async () => {
  await show({
    more: {
      "GET /api/links": () =>
        Response.json([
          { ...link, id: "l1", recipient: "Dr. Paulo, ortopedista", lastOpenedAt: null },
          {
            ...link,
            id: "l2",
            recipient: "Minha irmã",
            lastOpenedAt: "2026-10-21T12:00:00.000Z",
            openings: 2,
          },
          { ...link, id: "l3", recipient: "Encerrado", lastOpenedAt: null, state: "ended" },
        ]),
      "GET /api/links/l1/openings": () => Response.json([]),
      "GET /api/links/l2/openings": () => Response.json([]),
    },
  });
  const panel = await screen.findByRole("region", { name: "Links ativos" });
  const rows = await within(panel).findAllByRole("listitem");
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    "Dr. Paulo, ortopedistaninguém abriu · até 29-11-2099Ver",
    "Minha irmãaberto em 21-10-2026 · até 29-11-2099Ver",
  ]);
  await userEvent.setup().click(screen.getByRole("button", { name: "Ver o link: Minha irmã" }));
  await screen.findByRole("dialog", { name: "Compartilhar exame" });
});

describe("a press at a link whose exam", () => {
  const showLink = (read: Answer) =>
    show({
      more: {
        "GET /api/links": () =>
          Response.json([{ ...link, id: "l1", recipient: "Minha irmã", lastOpenedAt: null }]),
        "GET /api/links/l1/openings": () => Response.json([]),
        "GET /api/studies/s1": read,
      },
    });
  const press = async () =>
    userEvent.setup().click(await screen.findByRole("button", { name: "Ver o link: Minha irmã" }));

  test("can't be read says so", async () => {
    await showLink(() => problem(404, "study.not_found", "O exame não foi encontrado."));
    await press();
    await screen.findByText("O exame não foi encontrado.");
  });

  test("is read late opens nothing over the view that the person has gone to meanwhile", async () => {
    const late = Promise.withResolvers<Response>();
    await showLink(() => late.promise);
    await press();
    cleanup();
    late.resolve(Response.json(skull));
    await drawn();
    expect(getDefaultStore().get(sharedStudyAtom)?.id).toBeUndefined();
  });

  test("is read late opens nothing over the exam of a link that was pressed after it", async () => {
    const late = Promise.withResolvers<Response>();
    const links = [
      { ...link, id: "l1", recipient: "Minha irmã", lastOpenedAt: null },
      { ...link, id: "l2", recipient: "Meu pai", lastOpenedAt: null, studyIds: ["s2"] },
    ];
    await show({
      more: {
        "GET /api/links": () => Response.json(links),
        "GET /api/studies/s1": () => late.promise,
        "GET /api/studies/s2": () => Response.json({ ...skull, id: "s2" }),
      },
    });
    await press();
    await userEvent.setup().click(screen.getByRole("button", { name: "Ver o link: Meu pai" }));
    await screen.findByRole("dialog", { name: "Compartilhar exame" });
    late.resolve(Response.json(skull));
    await drawn();
    expect(getDefaultStore().get(sharedStudyAtom)?.id).toBe("s2");
  });
});

test("nothing is said of links where none is active", async () => {
  await show({ more: { "GET /api/links": () => Response.json([]) } });
  await film();
  await untilGone(() => screen.queryByText("Links ativos"));
});

test("somebody whose subscription ended is told that their exams are kept, and until when", async () => {
  const over = {
    status: "expired",
    expiresAt: "2026-11-02T15:00:00.000Z",
    keptUntil: "2027-11-02T15:00:00.000Z",
  } as const;
  await show({ isActive: false, more: subscriptionAnswers(over) });
  expect(await screen.findByText("Seus exames continuam guardados")).toBeTruthy();
});
