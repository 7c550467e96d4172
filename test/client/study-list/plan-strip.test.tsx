import "../../support/client/dom-globals.ts";
import { describe, expect, spyOn, test } from "bun:test";
import { PHONE } from "../../../src/client/ui/hooks/use-media-query.ts";
import type { Subscription, UsageStats } from "../../../src/shared/api/subscriptions.ts";
import { GIB } from "../../../src/shared/units.ts";
import { cleanup, screen, waitFor, withDom } from "../../support/client/dom.ts";
import { problem, shownView } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";
import { listOf, showList } from "../../support/client/study-list.tsx";

withDom();

const usage: UsageStats = {
  planName: "Família",
  currentExamCount: 37,
  examLimit: 50,
  examsRemaining: 13,
  examUsagePercentage: 74,
  totalActionsThisMonth: 24,
  actionLimit: 30,
  actionsRemaining: 6,
  actionUsagePercentage: 80,
  downloadsThisMonth: 20,
  deletesThisMonth: 4,
  lastResetDate: "2026-11-03T15:00:00.000Z",
  storageBytes: 100 * GIB,
  storageUsedBytes: 12.5 * GIB,
  storageRemainingBytes: 87.5 * GIB,
  storageUsagePercentage: 12,
};
const subscription: Subscription = {
  id: "sub1",
  status: "active",
  plan: {
    id: "p1",
    name: "Família",
    price: 4900,
    examLimit: 50,
    downloadDeleteLimit: 30,
    storageBytes: 100 * GIB,
  },
  startDate: "2026-11-03T15:00:00.000Z",
  expiresAt: "2099-12-18T15:00:00.000Z",
  currentExamCount: 37,
  storageUsedBytes: 12.5 * GIB,
  downloadsThisMonth: 20,
  deletesThisMonth: 4,
  canCancel: true,
  cancelledAt: null,
  removedUntil: null,
  keptUntil: null,
  openPaymentId: null,
};

function answersWith(changes: Partial<UsageStats> = {}, held: Partial<Subscription> = {}) {
  return {
    ...listOf([skull]),
    "GET /api/subscriptions/usage-stats": () => Response.json({ ...usage, ...changes }),
    "GET /api/subscriptions/my-subscription": () => Response.json({ ...subscription, ...held }),
  };
}

describe("the status of the subscription", () => {
  test("shows the plan, its end, and the used and remaining exams and actions", async () => {
    await showList(answersWith());
    expect(await screen.findByText("Plano Família")).toBeTruthy();
    expect(screen.getByText("Ativo até 18-12-2099")).toBeTruthy();
    const exams = screen.getByRole("meter", { name: "Exames" });
    expect([exams.getAttribute("aria-valuenow"), exams.getAttribute("aria-valuemax")]).toEqual(["37", "50"]);
    expect(screen.getByText("37 / 50")).toBeTruthy();
    expect(screen.getByText("restam 13")).toBeTruthy();
    expect(screen.getByText("24 / 30")).toBeTruthy();
    expect(screen.getByText("restam 6")).toBeTruthy();
    const storage = screen.getByRole("meter", { name: "Armazenamento" });
    expect(storage.getAttribute("aria-valuetext")).toBe("12,5 GB / 100 GB");
    expect(screen.getByText("restam 87,5 GB")).toBeTruthy();
  });

  test("comes by itself once the usage can be read", async () => {
    let isDown = true;
    const { "GET /api/subscriptions/usage-stats": read, ...others } = answersWith();
    const usageAnswer = () =>
      isDown ? problem(503, "database.unavailable", "O banco de dados não responde.") : read();
    const { calls } = await showList({ ...others, "GET /api/subscriptions/usage-stats": usageAnswer });
    await waitFor(() => expect(calls).toContain("GET /api/subscriptions/usage-stats"));
    await waitFor(() => expect(screen.queryByLabelText("Situação da assinatura")).toBeNull());
    isDown = false;
    expect(await screen.findByText("Plano Família")).toBeTruthy();
  });

  test("groups the thousands of a large plan", async () => {
    await showList(
      answersWith({ currentExamCount: 1900, examLimit: 2000, totalActionsThisMonth: 9, actionLimit: 2000 }),
    );
    expect(await screen.findByText("1.900 / 2.000")).toBeTruthy();
    expect(screen.getByText("9 / 2.000")).toBeTruthy();
    expect(screen.getByText("restam 1.991")).toBeTruthy();
    expect(screen.getByText("Você guarda 1.900 dos 2.000 exames do seu plano.")).toBeTruthy();
  });

  test("is one line on a phone until a limit is near", async () => {
    const onPhone = spyOn(window, "matchMedia").mockImplementation(
      (media) => Object.assign(new EventTarget(), { media, matches: media === PHONE }) as MediaQueryList,
    );
    await showList(answersWith({ totalActionsThisMonth: 4, actionUsagePercentage: 13 }));
    expect((await screen.findByText("37 de 50 exames · 4 de 30 ações")).parentElement?.textContent).toContain(
      "Plano Família",
    );
    expect(screen.queryByRole("meter")).toBeNull();
    cleanup();
    await showList(answersWith());
    await screen.findByText("Você usou 80% das ações deste mês. A contagem recomeça em 03-12-2026.");
    expect(screen.getAllByRole("meter")).toHaveLength(3);
    onPhone.mockRestore();
  });

  test("warns from 80 % of the storage on, and links to the plans", async () => {
    const low = { totalActionsThisMonth: 1, actionUsagePercentage: 3 };
    await showList(answersWith({ ...low, storageUsedBytes: 80 * GIB, storageUsagePercentage: 80 }));
    expect(
      await screen.findByText(
        "Você usa 80 GB dos 100 GB do seu plano. Acima disso, nenhum exame pode ser enviado.",
      ),
    ).toBeTruthy();
    expect(screen.getByRole("link", { name: "Ver planos" })).toBeTruthy();
    cleanup();
    await showList(answersWith({ ...low, storageUsedBytes: 79.9 * GIB, storageUsagePercentage: 79 }));
    await screen.findByText("Plano Família");
    expect(screen.queryByRole("link", { name: "Ver planos" })).toBeNull();
  });

  test("warns from 80 % of the actions on, and says when the count is reset", async () => {
    await showList(answersWith());
    expect(
      await screen.findByText("Você usou 80% das ações deste mês. A contagem recomeça em 03-12-2026."),
    ).toBeTruthy();
  });

  for (const [what, near] of [
    ["actions", {}],
    ["exams", { totalActionsThisMonth: 1, actionUsagePercentage: 3, currentExamCount: 40 }],
  ] as const) {
    test(`near the limit of ${what} links to the plans`, async () => {
      const { user } = await showList(answersWith(near));
      await user.click(await screen.findByRole("link", { name: "Ver planos" }));
      expect(shownView()).toBe("subscription");
    });
  }

  test("does not warn at 79 %", async () => {
    await showList(answersWith({ totalActionsThisMonth: 79, actionLimit: 100, actionUsagePercentage: 79 }));
    await screen.findByText("Plano Família");
    expect(screen.queryByText(/A contagem recomeça/)).toBeNull();
    expect(screen.queryByRole("link", { name: "Ver planos" })).toBeNull();
  });

  test("says that a subscription has no end, or when it ended", async () => {
    await showList(answersWith({}, { expiresAt: null }));
    expect(await screen.findByText("Ativo, sem data de término")).toBeTruthy();
    cleanup();
    await showList(answersWith({}, { expiresAt: "2026-01-02T15:00:00.000Z" }));
    expect(await screen.findByText("Encerrado em 02-01-2026")).toBeTruthy();
  });

  test("is neither shown to an admin nor requested", async () => {
    const { calls } = await showList(answersWith(), "admin");
    await screen.findByText("Tomografia de crânio");
    expect(calls).toEqual(["GET /api/studies"]);
    expect(screen.queryByRole("meter")).toBeNull();
  });

  for (const role of ["doctor", "lab"] as const) {
    test(`is shown to ${role} with a plan, without a link to plans that only an admin assigns`, async () => {
      await showList(answersWith(), role);
      expect(await screen.findByText("Plano Família")).toBeTruthy();
      expect(screen.getByText("24 / 30")).toBeTruthy();
      expect(screen.getByText(/^Você usou 80% das ações/)).toBeTruthy();
      expect(screen.queryByRole("link", { name: "Ver planos" })).toBeNull();
    });

    test(`is hidden for ${role} without a plan, and no usage is requested`, async () => {
      const { calls } = await showList(listOf([skull]), role);
      await screen.findByText("Tomografia de crânio");
      expect(document.querySelector(".plan-strip")).toBeNull();
      expect(calls).not.toContain("GET /api/subscriptions/usage-stats");
    });
  }

  test("is hidden without a subscription, while the list is shown", async () => {
    await showList(listOf([skull]));
    await screen.findByText("Tomografia de crânio");
    expect(screen.queryByRole("meter")).toBeNull();
  });
});
