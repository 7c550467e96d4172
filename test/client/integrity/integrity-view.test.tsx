import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import IntegrityView from "../../../src/client/features/integrity/integrity-view.tsx";
import { studyFiltersAtom } from "../../../src/client/features/study-list/filters/study-filters.ts";
import type { IntegrityFinding, IntegritySummary } from "../../../src/shared/api/integrity.ts";
import { act, screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import {
  type Answer,
  answerCalls,
  problem,
  renderView,
  shownView,
} from "../../support/client/render-view.tsx";

withDom();

const GIB = 1024 ** 3;
const round = {
  startedAt: "2026-11-01T12:00:00.000Z",
  finishedAt: null,
  dueAt: "2026-12-01T12:00:00.000Z",
  objectsRead: 148_210,
  objectsTotal: 300_000,
  bytesRead: 66 * GIB,
  bytesTotal: 132 * GIB,
  findings: 0,
};
const quiet: IntegritySummary = { scrubDays: 30, round, pastRounds: [], openFindings: 0 };
const finding: IntegrityFinding = {
  id: "01900000-0000-7000-8000-00000000000f",
  kind: "volume",
  found: "damaged",
  foundAt: "2026-11-20T12:00:00.000Z",
  checkedAt: "2026-11-21T12:00:00.000Z",
  object: "0190/0191.zip",
  sizeBytes: 3 * GIB,
  study: {
    id: "01900000-0000-7000-8000-0000000000aa",
    description: "TC de crânio",
    studyDate: "2026-08-17",
    modality: "CT",
    patientName: "Silva^João",
    patientID: "PAC-0001",
  },
  closedAt: null,
  healedBy: null,
};

function serve(answers: Record<string, Answer>) {
  return answerCalls({
    "GET /api/integrity": () => Response.json(quiet),
    "GET /api/integrity/findings": () => Response.json({ findings: [], total: 0 }),
    ...answers,
  });
}

const show = () => renderView(<IntegrityView />, { user: { role: "admin" } });
const withFinding: Record<string, Answer> = {
  "GET /api/integrity": () => Response.json({ ...quiet, openFindings: 1 }),
  "GET /api/integrity/findings": ({ search }) =>
    Response.json(
      search.get("state") === "open"
        ? { findings: [finding], total: 1 }
        : { findings: [{ ...finding, closedAt: "2026-11-22T12:00:00.000Z", healedBy: "copy" }], total: 1 },
    ),
};

describe("the view of the archive's integrity", () => {
  test("shows how far this round is and that nothing changed", async () => {
    serve({});
    await show();
    expect(await screen.findByText("Nenhuma alteração")).toBeTruthy();
    const progress = screen.getByRole("progressbar");
    expect(progress.getAttribute("aria-valuenow")).toBe("50");
    expect(progress.getAttribute("aria-valuetext")).toBe("50 % desta rodada · 66 GB de 132 GB");
    expect(screen.getByText(/conferidos desde 01-11-2026: 148\.210 arquivos/)).toBeTruthy();
    expect(await screen.findByText("Todos os arquivos conferem com o que foi guardado")).toBeTruthy();
  });

  test("says that reading again is off", async () => {
    serve({ "GET /api/integrity": () => Response.json({ ...quiet, scrubDays: 0, round: null }) });
    await show();
    expect(await screen.findByText(/SCRUB_DAYS é 0/)).toBeTruthy();
  });

  test("says that the first round is to come", async () => {
    serve({ "GET /api/integrity": () => Response.json({ ...quiet, round: null }) });
    await show();
    expect(await screen.findByText(/primeira rodada/)).toBeTruthy();
  });

  test("has each finding checked again or restored by its buttons", async () => {
    const started = () => Response.json({ started: true });
    const calls = serve({
      ...withFinding,
      [`POST /api/integrity/findings/${finding.id}/recheck`]: started,
      [`POST /api/integrity/findings/${finding.id}/restore`]: started,
    });
    await show();
    expect(await screen.findByText(/TC de crânio/)).toBeTruthy();
    expect(screen.getByText("1 arquivo precisa de atenção")).toBeTruthy();
    const user = userEvent.setup();
    await user.click(
      screen.getByRole("button", {
        name: "Verificar de novo: Imagens de um exame, TC de crânio, Silva, 17-08-2026",
      }),
    );
    await user.click(screen.getByRole("button", { name: /^Buscar outra cópia: / }));
    await waitFor(() =>
      expect(calls.filter((call) => call.startsWith("POST")).map((call) => call.split("/").at(-1))).toEqual([
        "recheck",
        "restore",
      ]),
    );
  });

  test("leads to the exam in the list", async () => {
    serve(withFinding);
    await show();
    await userEvent.setup().click(await screen.findByRole("button", { name: /^Ver na lista: / }));
    expect(shownView()).toBe("listaExames");
    expect(getDefaultStore().get(studyFiltersAtom)).toMatchObject({
      patientID: "PAC-0001",
      startDate: "2026-08-17",
      endDate: "2026-08-17",
    });
  });

  test("says that a page of findings could not be read also while it is tried again", async () => {
    let tries = 0;
    serve({
      ...withFinding,
      "GET /api/integrity/findings": ({ search }) => {
        if (Number(search.get("offset") ?? 0) === 0)
          return Response.json({ findings: [finding], total: 1_000 });
        return tries++ === 0 ? problem(503, "x", "Agora não.") : new Promise<Response>(() => {});
      },
    });
    await show();
    const user = userEvent.setup();
    await user.click(await screen.findByRole("button", { name: "Próximo" }));
    await user.click(await screen.findByRole("button", { name: "Tentar novamente" }));
    await waitFor(() => expect(tries).toBe(2));
    expect(screen.getByText("Agora não.")).toBeTruthy();
    expect(screen.queryByText(/TC de crânio/)).toBeNull();
  });

  test("tells how settled findings ended, and when rounds ended", async () => {
    const ended = { ...round, finishedAt: "2026-11-25T12:00:00.000Z", findings: 2 };
    serve({
      ...withFinding,
      "GET /api/integrity": () => Response.json({ ...quiet, pastRounds: [ended] }),
    });
    await show();
    const user = userEvent.setup();
    await user.click(await screen.findByRole("tab", { name: "Resolvidos" }));
    expect(await screen.findByText(/Restaurado de outra cópia/)).toBeTruthy();
    await user.click(screen.getByRole("tab", { name: "Rodadas" }));
    expect(await screen.findByText("01-11-2026 a 25-11-2026")).toBeTruthy();
    expect(screen.getByText("2 achados")).toBeTruthy();
  });

  test("says that it could not be loaded, and tries again", async () => {
    let isUp = false;
    serve({
      "GET /api/integrity": () => (isUp ? Response.json(quiet) : problem(503, "unavailable", "Fora do ar")),
    });
    await show();
    expect(await screen.findByText("Fora do ar")).toBeTruthy();
    isUp = true;
    await userEvent.setup().click(screen.getByRole("button", { name: "Tentar novamente" }));
    expect(await screen.findByText("Nenhuma alteração")).toBeTruthy();
  });

  test("says that what it shows is old while it can't be read again", async () => {
    let isUp = true;
    serve({
      "GET /api/integrity": () => (isUp ? Response.json(quiet) : problem(503, "unavailable", "Fora do ar")),
    });
    await show();
    expect(await screen.findByText("Nenhuma alteração")).toBeTruthy();
    isUp = false;
    await act(async () => {
      for (const event of ["offline", "online"]) window.dispatchEvent(new Event(event));
    });
    expect(await screen.findByText(/não foi possível ler de novo\. Fora do ar/)).toBeTruthy();
    expect(screen.getByText("Nenhuma alteração")).toBeTruthy();
  });

  test("is for admins only", async () => {
    serve({});
    await renderView(<IntegrityView />, { user: { role: "user" } });
    await waitFor(() => expect(shownView()).toBe("welcome"));
  });
});
