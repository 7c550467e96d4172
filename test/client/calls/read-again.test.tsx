import "../../support/client/dom-globals.ts";
import { beforeEach, describe, expect, test } from "bun:test";
import { QueryObserver } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../../../src/client/calls/api.ts";
import { callFile } from "../../../src/client/calls/file-calls.ts";
import { createQueryClient } from "../../../src/client/calls/query-client.ts";
import { MailPanel } from "../../../src/client/features/notifications/mail-panel.tsx";
import PaymentHistoryView from "../../../src/client/features/payments/payment-history-view.tsx";
import { currentPath } from "../../../src/client/features/places/his-location.ts";
import { firstPlaceAtom } from "../../../src/client/features/places/views.ts";
import { ActivityPanel } from "../../../src/client/features/profile/activity-panel.tsx";
import { HistoryDialog } from "../../../src/client/features/receipts/history-dialog.tsx";
import { historySubject } from "../../../src/client/features/receipts/history-state.ts";
import { ReceiversPanel } from "../../../src/client/features/receivers/receivers-panel.tsx";
import { shownReportAtom } from "../../../src/client/features/reports/report-state.ts";
import RequestsView from "../../../src/client/features/requests/requests-view.tsx";
import { SecurityPanel } from "../../../src/client/features/security/security-panel.tsx";
import { LinksTab } from "../../../src/client/features/sharing/links-tab.tsx";
import { PeopleTab } from "../../../src/client/features/sharing/people-tab.tsx";
import { SeriesSheet } from "../../../src/client/features/study-list/open-study/series-sheet.tsx";
import StudyListView from "../../../src/client/features/study-list/study-list-view.tsx";
import { UsageHistory } from "../../../src/client/features/subscriptions/usage-history.tsx";
import UsersView from "../../../src/client/features/users/users-view.tsx";
import { readReportCall } from "../../../src/shared/api/studies.ts";
import { act, cleanup, screen, withDom } from "../../support/client/dom.ts";
import { pass, withFakeClock } from "../../support/client/fake-clock.ts";
import { renderView, shownView } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";
import { samplePdf } from "../../support/pdf/sample-pdf.ts";

withDom();
withFakeClock("2026-11-21T12:00:00.000Z");

// The PDF renderer needs a document when it is imported.
const { default: ReportView } = await import("../../../src/client/features/reports/report-view.tsx");
const { default: LaudoPages } = await import("../../../src/client/features/viewer/laudo-pages.tsx");
const { default: VisitedReport } = await import("../../../src/client/features/visit/visited-report.tsx");

const study = { ...skull, laudo: true };
const visit = {
  ...{ token: "t0ken", owner: "Clínica Boa Vista", recipient: null, expiresAt: "2026-12-01T00:00:00.000Z" },
  ...{ laudo: true, download: true, studies: [{ ...study, series: [] }] },
};
const factors = {
  passkeys: [],
  totp: null,
  recoveryCodesLeft: 0,
  passkeysAvailable: true,
};

/** What the server answers by path once it is back; nothing of anything else. */
const answers: Record<string, () => Response> = {
  "/api/auth/factors": () => Response.json(factors),
  "/api/users/activity": () => Response.json({ events: [], hasMore: false }),
  "/api/subscriptions/my-subscription": () => new Response("", { status: 404 }),
  "/api/subscriptions/usage-stats": () => new Response("", { status: 404 }),
  "/api/studies/s1": () => Response.json(study),
  "/api/studies/laudo/s1": () => new Response(samplePdf()),
  "/api/visits/t0ken/studies/s1/laudo": () => new Response(samplePdf()),
};

/** How the server fails; undefined while it answers. */
let outage: (() => Response) | undefined;
let calls: string[] = [];

const down = () => new Response("", { status: 503 });
beforeEach(() => {
  outage = down;
  calls = [];
  globalThis.fetch = (async (path: string) => {
    const { pathname } = new URL(path, "http://localhost");
    calls.push(pathname);
    return outage?.() ?? answers[pathname]?.() ?? Response.json([]);
  }) as unknown as typeof fetch;
});

const failures = () => document.querySelectorAll(".error-card, .notice.is-bad").length;

const views: Record<string, ReactNode> = {
  "the DICOM receivers": <ReceiversPanel />,
  "the ways to sign in": <SecurityPanel onChangePassword={() => undefined} />,
  "the list of exams": <StudyListView />,
  "the activity": <ActivityPanel />,
  "the users": <UsersView />,
  "the usage of the plan": <UsageHistory />,
  "the payments": <PaymentHistoryView />,
  "the choice of e-mails": <MailPanel />,
  "the requests": <RequestsView />,
  "the links of an exam": <LinksTab study={study} recipient={undefined} onReady={() => undefined} />,
  "who may see an exam": <PeopleTab studyId="s1" onLink={() => undefined} />,
  "the series of an exam": <SeriesSheet study={study} />,
  "the history of an exam": <HistoryDialog />,
  "a report": <ReportView />,
  "a report beside the images": (
    <LaudoPages id="s1" read={(signal) => callFile(readReportCall, { params: { study: "s1" }, signal })} />
  ),
  "a visitor's report": (
    <VisitedReport
      visit={visit}
      study={{ ...study, series: [] }}
      onBack={() => undefined}
      onClosed={() => undefined}
    />
  ),
};

describe("after an outage", () => {
  test.each(Object.keys(views))(
    "%s: comes by itself, and its failure stays in its place until then",
    async (name) => {
      await renderView(views[name], {
        user: { role: name === "the users" ? "admin" : "user" },
        open: (store) => {
          if (name === "a report") store.set(shownReportAtom, study);
          if (name === "the history of an exam") store.set(historySubject.valueAtom, study);
        },
      });
      await pass(5_000);
      const shown = failures();
      expect(shown).toBeGreaterThan(0);
      const reading = Promise.withResolvers<Response>();
      outage = () => reading.promise as unknown as Response;
      await pass(16_000);
      expect(failures()).toBe(shown);
      await act(async () => reading.resolve(down()));
      outage = undefined;
      await pass(20_000);
      expect(failures()).toBe(0);
    },
  );

  test("of which a reload falls into, an exam comes by itself", async () => {
    await reloadReport();
    await pass(1_000);
    screen.getByText("Não conseguimos ler o exame");
    outage = undefined;
    await pass(20_000);
    expect(screen.queryByText("Não conseguimos ler o exame")).toBeNull();
    screen.getByRole("button", { name: "Voltar para a lista" });
  });
});

/** Opens the page where a report was shown, whose exam is not known yet. */
async function reloadReport(): Promise<void> {
  const id = `s${++reloads}`;
  answers[`/api/studies/${id}`] = () => Response.json({ ...study, id });
  answers[`/api/studies/laudo/${id}`] = () => new Response(samplePdf());
  await renderView(<ReportView />, {
    open: (store) => {
      window.history.replaceState({ place: `/laudo/of/${id}` }, "", "/his");
      store.set(firstPlaceAtom, currentPath());
    },
  });
}
let reloads = 100;

describe("a reloaded exam", () => {
  test("that can't be read offers another try", async () => {
    outage = () => new Response("", { status: 500 });
    await reloadReport();
    await pass(1_000);
    outage = undefined;
    screen.getByRole("button", { name: "Tentar novamente" }).click();
    await pass(1_000);
    screen.getByRole("button", { name: "Voltar para a lista" });
  });

  test("that is gone leads back without a failure", async () => {
    outage = () => new Response("", { status: 404 });
    await reloadReport();
    await pass(1_000);
    expect(failures()).toBe(0);
    expect(shownView()).toBe("listaExames");
    await pass(60_000);
    expect(calls).toHaveLength(1);
  });
});

/** Reads with the client's defaults until it is disposed; counts the reads. */
function reader(fail: () => Error) {
  let count = 0;
  const observer = new QueryObserver(createQueryClient(), {
    queryKey: ["read"],
    queryFn: () => {
      count++;
      throw fail();
    },
  });
  const stop = observer.subscribe(() => undefined);
  return { count: () => count, [Symbol.dispose]: stop };
}

const outageError = (status: number, retryAfterMs?: number) =>
  new ApiError(status, "x", "text", [], undefined, undefined, retryAfterMs);

describe("data that could not be read", () => {
  test.each([
    [0, 3],
    [502, 3],
    [503, 3],
    [504, 3],
    [400, 1],
    [401, 1],
    [403, 1],
    [404, 1],
    [422, 1],
    [429, 1],
    [500, 1],
  ])("with status %d is read %d times in 40 s", async (status, times) => {
    using read = reader(() => outageError(status));
    await pass(40_000);
    expect(read.count()).toBe(times);
  });

  test("is read again after the pause that the server asks for", async () => {
    using read = reader(() => outageError(503, 60_000));
    await pass(59_000);
    expect(read.count()).toBe(1);
    await pass(3_000);
    expect(read.count()).toBe(2);
  });

  test("is not read again while the page is hidden, or once its view is left", async () => {
    const read = reader(() => outageError(503));
    await pass(1_000);
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    await pass(120_000);
    expect(read.count()).toBe(1);
    Reflect.deleteProperty(document, "visibilityState");
    await pass(20_000);
    expect(read.count()).toBe(2);
    read[Symbol.dispose]();
    await pass(120_000);
    expect(read.count()).toBe(2);
  });
});

test("a file that breaks off is not read again by itself", async () => {
  const cut = () => new ReadableStream({ pull: (stream) => stream.error(new TypeError("network error")) });
  outage = () => new Response(cut());
  await renderView(views["a report beside the images"]);
  await pass(60_000);
  expect(calls).toEqual(["/api/studies/laudo/s1"]);
  outage = undefined;
  screen.getByRole("button", { name: "Tentar novamente" }).click();
  await pass(1_000);
  expect(failures()).toBe(0);
  cleanup();
});
