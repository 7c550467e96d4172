import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import AdminHome from "../../../src/client/features/operations/admin-home.tsx";
import type { DeadLetter, Operations } from "../../../src/shared/api/operations.ts";
import type { AdminPayment } from "../../../src/shared/api/payments.ts";
import { act, fireEvent, screen, userEvent, waitFor, withDom, within } from "../../support/client/dom.ts";
import {
  type Answer,
  answerCalls,
  helena,
  problem,
  renderView,
  shownView,
} from "../../support/client/render-view.tsx";

withDom();

const GIB = 1024 ** 3;
const calm: Operations = {
  deadLetters: 0,
  queue: { waiting: 7, delayed: 2, active: 3, oldestSeconds: 130 },
  studies: { damaged: 0, missing: 0, transferring: 0, failedTransfers: 0 },
  labExams: { damaged: 0, missing: 0 },
  today: { exams: 42, bytes: 18.3 * GIB, people: 61 },
  lastBackupAt: new Date(Date.now() - 12.5 * 60_000).toISOString(),
  waitingAccounts: 0,
  newAccounts: [],
  nodes: [
    {
      id: "01900000-0000-7000-8000-000000000a01",
      isThis: true,
      state: "up",
      version: "0.2.0",
      startedAt: "2026-11-21T12:00:00.000Z",
      lastBeatAt: "2026-11-21T12:30:00.000Z",
      disk: { state: "ok", freeBytes: 300 * GIB, sizeBytes: 480 * GIB },
      storeRefusal: null,
    },
  ],
};
const letter = (id: string, over: Partial<DeadLetter> = {}): DeadLetter => ({
  id: `01900000-0000-7000-8000-0000000000${id}`,
  kind: "transfer",
  diedAt: "2026-11-21T12:10:00.000Z",
  attempts: 21,
  errorClass: "AppError store.unavailable",
  ...over,
});

async function show(operations: Operations, letters: DeadLetter[], more: Record<string, Answer> = {}) {
  const answered = { operations, letters };
  const calls = answerCalls({
    "GET /api/operations": () => Response.json(answered.operations),
    "GET /api/operations/dead-letters": () => Response.json(answered.letters),
    "GET /api/payments": () => Response.json([]),
    ...more,
  });
  await renderView(<AdminHome />, { user: { role: "admin" }, locale: "pt-BR" });
  return { calls, answered };
}

const renderOlder = (operations: object) => show(operations as Operations, []);

const panel = async (name: string) =>
  within(await screen.findByRole("region", { name: new RegExp(`^${name}`) }));

/** As after a moment without a connection. */
const readAgain = () =>
  act(async () => {
    for (const event of ["offline", "online"]) window.dispatchEvent(new Event(event));
  });

describe("an admin's home page", () => {
  test("counts none as several, as Portuguese does", async () => {
    await show({ ...calm, queue: { ...calm.queue, active: 0, waiting: 0 } }, []);
    expect(await screen.findByText("0 tarefas em andamento · 0 na fila")).toBeTruthy();
  });

  test("takes the answer of an older node, which does not tell who waits", async () => {
    const { waitingAccounts: _, newAccounts: __, ...older } = calm;
    const ana = { id: "01900000-0000-7000-8000-0000000000f1", name: "Ana Antiga", role: "user" };
    await renderOlder({ ...older, newAccounts: [{ ...ana, createdAt: new Date().toISOString() }] });
    const accounts = await panel("Contas novas");
    expect(accounts.getByText("Ana Antiga")).toBeDefined();
    expect(accounts.queryByRole("button", { name: /Autorizar/ })).toBeNull();
    expect(screen.getByText("exames hoje")).toBeDefined();
  });

  test("says in one line each that nothing waits, beside four numbers", async () => {
    await show(calm, []);
    await screen.findByText("Nenhuma tarefa espera por você");
    expect(await screen.findByText("Todos os exames chegam ao armazenamento")).toBeTruthy();
    expect(screen.getByText("Nenhum exame danificado que se saiba")).toBeTruthy();
    const numbers = screen.getAllByRole("definition").map((number) => number.textContent);
    expect(numbers).toEqual(["42", "18,3 GB", "61", "12 min"]);
    expect(screen.getByText("3 tarefas em andamento · 7 na fila")).toBeTruthy();
    const nodes = await panel("Servidores e discos");
    expect(nodes.getByRole("heading").textContent?.trim()).toBe("Servidores e discos");
    const meter = nodes.getByRole("meter", { name: "Disco" });
    expect(meter.getAttribute("aria-valuetext")).toBe("180 GB / 480 GB");
  });

  test("counts every Pix that waits, also those that no row has room for", async () => {
    const pix = (n: number): AdminPayment => ({
      ...{
        id: `01900000-0000-7000-8000-0000000001${String(n).padStart(2, "0")}`,
        status: "pending",
        amount: 1990,
      },
      ...{ planId: "01900000-0000-7000-8000-0000000000b1", planName: "Essencial", periodDays: 30 },
      ...{ pixQrcode: null, pixCopyPaste: null, paymentDate: null, periodStart: null, periodEnd: null },
      ...{ createdAt: "2026-11-21T12:00:00.000Z", expiresAt: "2026-11-21T12:30:00.000Z", refundedAt: null },
      ...{
        amountReturned: 0,
        devolucoes: [],
        txid: `tx${n}`,
        provider: "local",
        refundStatus: null,
        failure: null,
      },
      user: { id: "01900000-0000-7000-8000-0000000000c1", name: "Ana", email: "ana@exemplo.com.br" },
      ...{ canConfirm: true, canRefund: false },
    });
    await show(calm, [], {
      "GET /api/payments": () =>
        Response.json(
          Array.from({ length: 20 }, (_, n) => pix(n)),
          { headers: { "X-Total-Count": "45" } },
        ),
    });
    expect(await screen.findByRole("heading", { name: "Pix a confirmar 45" })).toBeTruthy();
  });

  test("lets an account in that waits, before everything calm", async () => {
    const id = "01900000-0000-7000-8000-0000000000d1";
    const ana = { id, name: "Ana Nova", role: "user", createdAt: "2026-11-21T12:00:00.000Z" } as const;
    const sent: unknown[] = [];
    const bia = {
      ...ana,
      id: `${id.slice(0, -1)}2`,
      name: "Bia Nova",
      createdAt: "2026-11-21T11:00:00.000Z",
    };
    const biaWaits = { ...bia, isWaiting: true };
    const { answered } = await show(
      { ...calm, waitingAccounts: 2, newAccounts: [{ ...ana, isWaiting: true }, biaWaits] },
      [],
      {
        [`PATCH /api/users/${id}`]: ({ body }) => {
          sent.push(body);
          answered.operations = {
            ...calm,
            waitingAccounts: 1,
            newAccounts: [biaWaits, { ...ana, isWaiting: false }],
          };
          return Response.json({ ...helena, ...ana });
        },
      },
    );
    const [first] = await screen.findAllByRole("heading", { level: 2 });
    expect(first?.textContent).toBe("Contas novas 2");
    const accounts = await panel("Contas novas");
    expect(accounts.getAllByText(/espera por você/)).toHaveLength(2);
    await userEvent.setup().click(accounts.getByRole("button", { name: "Autorizar Ana Nova" }));
    await waitFor(() => expect(accounts.queryAllByRole("button", { name: /^Autorizar/ }).length).toBe(1));
    expect(sent).toEqual([{ isAuthorized: true }]);
    const names = accounts.getAllByText(/ Nova$/).map(({ textContent }) => textContent);
    expect(names).toEqual(["Ana Nova", "Bia Nova"]);
    fireEvent.click(accounts.getByRole("button", { name: "Autorizar Bia Nova" }), { detail: 2 });
    expect(sent).toHaveLength(1);
  });

  test("keeps an account that is let in at its place, also where the server names another that waits instead", async () => {
    const waiting = ["Ana", "Bia", "Caio", "Davi", "Eva", "Fábio"].map((name, index) => ({
      id: `01900000-0000-7000-8000-0000000000e${index}`,
      name: `${name} Nova`,
      role: "user" as const,
      createdAt: `2026-11-21T1${9 - index}:00:00.000Z`,
      isWaiting: true,
    }));
    const [, bia] = waiting;
    const { answered } = await show({ ...calm, waitingAccounts: 6, newAccounts: waiting.slice(0, 5) }, [], {
      [`PATCH /api/users/${bia?.id}`]: () => {
        answered.operations = {
          ...calm,
          waitingAccounts: 5,
          newAccounts: waiting.filter((account) => account !== bia),
        };
        return Response.json({ ...helena, id: bia?.id });
      },
    });
    const accounts = await panel("Contas novas");
    const button = await accounts.findByRole("button", { name: "Autorizar Bia Nova" });
    button.focus();
    await userEvent.setup().keyboard("{Enter}");
    await accounts.findByText("Fábio Nova");
    const rows = accounts.getAllByRole("listitem");
    expect(rows).toHaveLength(6);
    expect(rows[1]?.textContent).toContain("Bia Nova");
    expect(rows[1]?.textContent).not.toContain("espera por você");
    expect(document.activeElement).toBe(rows[1] ?? null);
  });

  test("shows failed jobs of one kind and error as one row, and retries all of them", async () => {
    const sent: unknown[] = [];
    const { answered } = await show(
      calm,
      [letter("a1"), letter("a2"), letter("b1", { kind: "mail.send", errorClass: "Error ECONNREFUSED" })],
      {
        "POST /api/operations/dead-letters/retry": ({ body }) => {
          sent.push(body);
          answered.letters = [letter("b1", { kind: "mail.send", errorClass: "Error ECONNREFUSED" })];
          return Response.json({ retried: 2, stuck: 0 });
        },
      },
    );
    const failed = await panel("Tarefas com falha");
    expect(await failed.findByText(/2 tarefas/)).toBeTruthy();
    expect(failed.getAllByRole("listitem")).toHaveLength(2);
    await userEvent.click(
      failed.getByRole("button", { name: "Tentar novamente: Transferir para o armazenamento" }),
    );
    await waitFor(() => expect(failed.getAllByRole("listitem")).toHaveLength(1));
    expect(sent).toEqual([{ ids: [letter("a1").id, letter("a2").id] }]);
  });

  test("dismisses a job only after a question, whose harmless answer has the focus", async () => {
    const { calls, answered } = await show(calm, [letter("a1")], {
      "POST /api/operations/dead-letters/dismiss": () => {
        answered.letters = [];
        return Response.json({ dismissed: 1 });
      },
    });
    const name = "Descartar: Transferir para o armazenamento";
    await userEvent.click(await screen.findByRole("button", { name }));
    expect(document.activeElement?.textContent).toBe("Manter");
    await userEvent.keyboard("{Enter}");
    expect(calls).not.toContain("POST /api/operations/dead-letters/dismiss");
    expect(document.activeElement?.getAttribute("aria-label")).toBe(name);
    await userEvent.click(screen.getByRole("button", { name }));
    await userEvent.click(screen.getByRole("button", { name: "Descartar" }));
    expect(await screen.findByText("Nenhuma tarefa espera por você")).toBeTruthy();
  });

  test.each([
    ["retry", { retried: 0, stuck: 0 }],
    ["dismiss", { dismissed: 0 }],
  ] as const)("does not claim what another admin was first to do: %s", async (what, nothing) => {
    const { answered } = await show(calm, [letter("a1")], {
      [`POST /api/operations/dead-letters/${what}`]: () => {
        answered.letters = [];
        return Response.json(nothing);
      },
    });
    if (what === "retry") {
      await userEvent.click(await screen.findByRole("button", { name: /^Tentar novamente/ }));
    } else {
      await userEvent.click(await screen.findByRole("button", { name: /^Descartar/ }));
      await userEvent.click(screen.getByRole("button", { name: "Descartar" }));
    }
    expect(await screen.findByText("Estas tarefas já estavam resolvidas")).toBeTruthy();
  });

  test("says so when nothing works on a job any more", async () => {
    await show(calm, [letter("a1")], {
      "POST /api/operations/dead-letters/retry": () => Response.json({ retried: 0, stuck: 1 }),
    });
    await userEvent.click(await screen.findByRole("button", { name: /^Tentar novamente/ }));
    expect(await screen.findByText("Ninguém mais faz estas tarefas")).toBeTruthy();
  });

  test("names damaged exams, failed transfers, silent nodes and full disks, and leads to the findings", async () => {
    const [node] = calm.nodes;
    if (!node) throw new Error("no node");
    const disk = { state: "full" as const, freeBytes: GIB, sizeBytes: 480 * GIB };
    await show(
      {
        ...calm,
        studies: { damaged: 2, missing: 1, transferring: 0, failedTransfers: 1 },
        labExams: { damaged: 1, missing: 4 },
        nodes: [
          { ...node, disk },
          { ...node, id: "01900000-0000-7000-8000-000000000b02", isThis: false, state: "silent", disk: null },
        ],
      },
      [],
    );
    expect(await screen.findByText("3 exames não conferem com o que foi recebido")).toBeTruthy();
    const integrity = await panel("Integridade");
    expect(integrity.getByText("5 PDFs de laboratório não conferem com o que foi recebido")).toBeTruthy();
    expect(integrity.getByRole("heading").textContent).toBe("Integridade 8");
    expect(screen.getByText("1 exame não está no armazenamento")).toBeTruthy();
    const nodes = await panel("Servidores e discos");
    expect(nodes.getByText(/Novos envios são recusados/)).toBeTruthy();
    expect(nodes.getByText("Servidor 000b02")).toBeTruthy();
    expect(nodes.getByText(/^sem resposta desde/)).toBeTruthy();
    expect(nodes.getByRole("heading").textContent).toBe("Servidores e discos 2");
    await userEvent.click((await panel("Integridade")).getByRole("button", { name: "Achados" }));
    expect(shownView()).toBe("integrity");
  });

  test("names a store that refuses uploads, and what to look at", async () => {
    const [node] = calm.nodes;
    if (!node) throw new Error("no node");
    const other = { ...node, id: "01900000-0000-7000-8000-000000000b02", isThis: false };
    await show(
      {
        ...calm,
        nodes: [
          { ...node, storeRefusal: "full" },
          { ...other, storeRefusal: "read_only" },
        ],
      },
      [],
    );
    const nodes = await panel("Servidores e discos");
    expect(nodes.getByText(/está cheio ou chegou à cota/)).toBeTruthy();
    expect(nodes.getByText(/Verifique a cota e se a chave pode gravar/)).toBeTruthy();
    expect(nodes.getByRole("heading").textContent).toBe("Servidores e discos 2");
  });

  test("offers another try for a panel that could not be loaded, while the others stay", async () => {
    let isDown = true;
    await show(calm, [], {
      "GET /api/operations/dead-letters": () =>
        isDown ? problem(503, "database.unavailable", "O banco de dados não responde.") : Response.json([]),
    });
    const failed = await panel("Tarefas com falha");
    expect(await failed.findByText("O banco de dados não responde.")).toBeTruthy();
    expect(screen.getByText("Todos os exames chegam ao armazenamento")).toBeTruthy();
    isDown = false;
    await userEvent.click(failed.getByRole("button", { name: "Tentar novamente" }));
    expect(await failed.findByText("Nenhuma tarefa espera por você")).toBeTruthy();
  });

  test("says that its figures are old while they can't be read again, and why", async () => {
    let isDown = false;
    await show(calm, [], {
      "GET /api/operations": () =>
        isDown ? problem(503, "database.unavailable", "O banco de dados não responde.") : Response.json(calm),
    });
    expect(await screen.findByText("Todos os exames chegam ao armazenamento")).toBeTruthy();
    isDown = true;
    await readAgain();
    const notice = await screen.findByText(/O banco de dados não responde\./);
    expect(notice.textContent).toMatch(
      /^Isto é de \d\d-\d\d-\d{4} \d\d:\d\d; não foi possível ler de novo\. /,
    );
    expect(screen.getByText("Todos os exames chegam ao armazenamento")).toBeTruthy();
    isDown = false;
    await readAgain();
    await waitFor(() => expect(screen.queryByText(/não foi possível ler de novo/)).toBeNull());
  });
});
