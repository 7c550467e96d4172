import "../../support/client/dom-globals.ts";
import { beforeEach, describe, expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import {
  MAX_SELECTED,
  startSelectingAtom,
  stopSelectingAtom,
} from "../../../src/client/features/study-list/selection/selection.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import { screen, untilGone, waitFor, withDom, within } from "../../support/client/dom.ts";
import { type Answer, problem } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";
import { listOf, showList } from "../../support/client/study-list.tsx";
import { usage } from "../../support/client/subscriptions.ts";
import { travel } from "../../support/client/travel.ts";

withDom();
beforeEach(() => getDefaultStore().set(stopSelectingAtom));

const studyOf = (n: number, changed: Partial<Study> = {}): Study => ({
  ...skull,
  id: `s${n}`,
  studyDescription: `Exame ${n}`,
  ...changed,
});
const three = [1, 2, 3].map((n) => studyOf(n));
const stats = (actionsRemaining: number) => ({
  "GET /api/subscriptions/usage-stats": () => Response.json({ ...usage, actionsRemaining }),
});

async function choose(studies: Study[], names: string[], answers: Record<string, Answer> = {}) {
  const shown = await showList({ ...listOf(studies), ...stats(10), ...answers });
  await screen.findByText(studies[0]?.studyDescription ?? "");
  shown.user.click(screen.getByRole("button", { name: "Selecionar exames" }));
  await screen.findByRole("region", { name: "Exames selecionados" });
  for (const name of names)
    await shown.user.click(screen.getByRole("checkbox", { name: `Selecionar ${name}` }));
  const bar = within(screen.getByRole("region", { name: "Exames selecionados" }));
  return { ...shown, bar };
}

describe("several exams at once", () => {
  test("are chosen one by one or as a page, and at most as many as one download holds", async () => {
    const many = Array.from({ length: MAX_SELECTED + 1 }, (_, n) => studyOf(n));
    const { bar, user } = await choose(many, ["Exame 0"]);
    expect(bar.getByRole("status").textContent).toBe("1 exame selecionado");
    await user.click(screen.getByRole("checkbox", { name: "Selecionar todos os exames desta página" }));
    expect(bar.getByRole("status").textContent).toBe("50 exames selecionados É o máximo de uma vez.");
    const last = screen.getByRole<HTMLInputElement>("checkbox", { name: "Selecionar Exame 50" });
    expect([last.checked, last.disabled]).toEqual([false, true]);
    await user.click(bar.getByRole("button", { name: "Concluir" }));
    expect(screen.queryByRole("checkbox")).toBeNull();
  });

  test("get a column of boxes that takes no room from the descriptions: the table grows by its width", async () => {
    const leastPx = () => Number.parseInt(document.querySelector("table")?.style.minWidth ?? "", 10);
    const { bar, user } = await choose(three, []);
    const selecting = leastPx();
    await user.click(bar.getByRole("button", { name: "Concluir" }));
    expect(selecting - leastPx()).toBe(44);
  });

  test("have that column also while the list is read again, such as after another page was open", async () => {
    getDefaultStore().set(startSelectingAtom);
    const { promise, resolve } = Promise.withResolvers<Response>();
    await showList({ ...listOf(three), "GET /api/studies": () => promise });
    const [heads, ...rows] = (await screen.findAllByRole("row")) as HTMLTableRowElement[];
    expect(screen.getByRole("table").getAttribute("aria-busy")).toBe("true");
    expect([...new Set(rows.map(({ cells }) => cells.length))]).toEqual([heads?.cells.length ?? 0]);
    resolve(Response.json(three, { headers: { "X-Total-Count": "3" } }));
    await screen.findByText("Exame 1");
  });

  test("are deleted after one question, which tells the actions; one that fails is told and stays chosen", async () => {
    const removed: string[] = [];
    const remove = (id: string, answer: () => Response) => ({
      [`DELETE /api/studies/${id}`]: () => {
        removed.push(id);
        return answer();
      },
    });
    const { bar, user } = await choose(three, ["Exame 1", "Exame 2", "Exame 3"], {
      ...remove("s1", () => Response.json({ deleted: true })),
      ...remove("s2", () => problem(503, "study.node_gone", "O servidor deste exame parou.")),
      ...remove("s3", () => Response.json({ deleted: true })),
    });
    await user.click(bar.getByRole("button", { name: "Excluir" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Excluir 3 exames?" });
    expect(
      await within(dialog).findByText(/Conta como 3 ações do mês\. Depois disso restam 7\./),
    ).toBeTruthy();
    expect(removed).toEqual([]);
    await user.click(within(dialog).getByRole("button", { name: "Excluir" }));
    const left = await within(dialog).findByText("1 exame ficou como estava");
    expect(left.parentElement?.textContent).toContain("Exame 2 O servidor deste exame parou.");
    expect(removed).toEqual(["s1", "s2", "s3"]);
    expect(await screen.findByText("2 exames excluídos")).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "Cancelar" }));
    expect(bar.getByRole("status").textContent).toBe("1 exame selecionado");
  });

  test("leave the list also if the answer to their deletion was lost", async () => {
    let kept = three;
    const { bar, user } = await choose(three, ["Exame 1"], {
      "GET /api/studies": () => Response.json(kept, { headers: { "X-Total-Count": String(kept.length) } }),
      "DELETE /api/studies/s1": () => {
        kept = three.slice(1);
        throw new TypeError("Failed to fetch");
      },
    });
    await user.click(bar.getByRole("button", { name: "Excluir" }));
    const dialog = await screen.findByRole("alertdialog");
    await user.click(within(dialog).getByRole("button", { name: "Excluir" }));
    await within(dialog).findByText("1 exame ficou como estava");
    await waitFor(() => expect(document.querySelectorAll("tr.study-row")).toHaveLength(2));
  });

  test("are as deleted as the others if another tab deleted them before", async () => {
    const { bar, user } = await choose(three, ["Exame 1", "Exame 2"], {
      "DELETE /api/studies/s1": () => problem(404, "study.not_found", "Exame não encontrado."),
      "DELETE /api/studies/s2": () => Response.json({ deleted: true }),
    });
    await user.click(bar.getByRole("button", { name: "Excluir" }));
    const dialog = await screen.findByRole("alertdialog");
    await user.click(within(dialog).getByRole("button", { name: "Excluir" }));
    expect(await screen.findByText("2 exames excluídos")).toBeTruthy();
    await untilGone(() => screen.queryByRole("alertdialog"));
  });

  const GONE = "1 exame selecionado não existe mais: foi excluído ou deixou de ser compartilhado com você";

  test("are no longer chosen, and told as gone, if another tab deleted them before they are shared", async () => {
    const { bar, user } = await choose(three, ["Exame 1", "Exame 2"], {
      "POST /api/studies/s1/share": () => problem(404, "study.not_found", "Exame não encontrado."),
      "POST /api/studies/s2/share": () => problem(503, "x", "Agora não."),
    });
    await user.click(bar.getByRole("button", { name: "Compartilhar" }));
    const dialog = await screen.findByRole("dialog", { name: "Compartilhar 2 exames" });
    await user.click(within(dialog).getByRole("tab", { name: "Com um médico que tem conta" }));
    await user.type(within(dialog).getByLabelText("E-mail do médico"), "l@x.br{Enter}");
    expect(await screen.findByText(GONE)).toBeTruthy();
    expect(within(dialog).getByText("1 exame ficou como estava")).toBeTruthy();
    expect(bar.getByText("1 exame selecionado")).toBeTruthy();
  });

  test("are downloaded without one that is gone, which is told and no longer chosen", async () => {
    const { bar, user } = await choose(three, ["Exame 1", "Exame 2"], {
      "POST /api/studies/download-ticket": () =>
        Response.json(
          {
            url: "/api/downloads/x",
            fileName: "Silva_HIS.zip",
            sizeBytes: 9,
            leftOut: [{ id: "s1", code: "study.not_found", message: "Exame não encontrado." }],
          },
          { status: 201 },
        ),
    });
    await user.click(bar.getByRole("button", { name: "Baixar" }));
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Baixar" }));
    expect(await screen.findByText(GONE)).toBeTruthy();
    await untilGone(() => screen.queryByRole("alertdialog"));
    expect(screen.queryByRole("region", { name: "Exames selecionados" })).toBeNull();
  });

  test("are no longer chosen once they were deleted alone", async () => {
    let kept = three;
    const { bar, user } = await choose(three, ["Exame 1", "Exame 2"], {
      "GET /api/studies": () => Response.json(kept, { headers: { "X-Total-Count": String(kept.length) } }),
      "DELETE /api/studies/s1": () => {
        kept = three.slice(1);
        return Response.json({ deleted: true });
      },
    });
    await user.click(screen.getByRole("button", { name: "Excluir exame: Exame 1" }));
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Excluir" }));
    await untilGone(() => screen.queryByText("Exame 1"));
    expect(bar.getByRole("status").textContent).toBe("1 exame selecionado");
  });

  test("stay in sight while they are deleted: Back waits for the end, and Stop stops", async () => {
    const answers = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
    const asked: string[] = [];
    const remove = (n: number) => () => {
      asked.push(`s${n + 1}`);
      return answers[n]?.promise ?? Response.error();
    };
    const { bar, user } = await choose(three, ["Exame 1", "Exame 2"], {
      "DELETE /api/studies/s1": remove(0),
      "DELETE /api/studies/s2": remove(1),
    });
    await user.click(bar.getByRole("button", { name: "Excluir" }));
    const dialog = await screen.findByRole("alertdialog");
    await user.click(within(dialog).getByRole("button", { name: "Excluir" }));
    await within(dialog).findByText("0 de 2");
    await travel("back");
    expect(screen.getByText("0 de 2")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Parar" }));
    answers[0]?.resolve(Response.json({ deleted: true }));
    expect(await screen.findByText("1 exame ficou como estava")).toBeTruthy();
    expect(asked).toEqual(["s1"]);
    await travel("back");
    await untilGone(() => screen.queryByRole("alertdialog"));
  });

  test("keep their bar while a filter shows none of them", async () => {
    const { user } = await choose(three, ["Exame 1"], {
      "GET /api/studies": ({ search }) =>
        search.get("search") === null
          ? Response.json(three, { headers: { "X-Total-Count": "3" } })
          : Response.json([], { headers: { "X-Total-Count": "0" } }),
    });
    await user.type(screen.getByRole("searchbox", { name: "Buscar" }), "nada");
    await screen.findByText("Nenhum exame corresponde a estes filtros.");
    const bar = within(screen.getByRole("region", { name: "Exames selecionados" }));
    expect(bar.getByRole("status").textContent).toBe("1 exame selecionado");
  });

  test("are not asked for beyond the actions that are left", async () => {
    const { bar, user } = await choose(three, ["Exame 1", "Exame 2"], stats(1));
    await user.click(bar.getByRole("button", { name: "Excluir" }));
    const dialog = await screen.findByRole("alertdialog");
    expect((await within(dialog).findByRole("alert")).textContent).toBe(
      "Seu plano tem mais 1 ação este mês. Tire 1 exame da seleção.",
    );
    expect(within(dialog).getByRole<HTMLButtonElement>("button", { name: "Excluir" }).disabled).toBe(true);
  });

  test.each([
    [403, "quota.actions", "Limite mensal de ações atingido"],
    [429, "too_many_requests", "Muitas tentativas"],
  ])("stop at a limit that the others would meet too (%d %s)", async (status, code, message) => {
    const asked: string[] = [];
    const answers = Object.fromEntries(
      ["s1", "s2", "s3"].map((id) => [
        `DELETE /api/studies/${id}`,
        () => {
          asked.push(id);
          return problem(status, code, message);
        },
      ]),
    );
    const { bar, user } = await choose(three, ["Exame 1", "Exame 2", "Exame 3"], answers);
    await user.click(bar.getByRole("button", { name: "Excluir" }));
    const dialog = await screen.findByRole("alertdialog");
    await user.click(within(dialog).getByRole("button", { name: "Excluir" }));
    expect(await within(dialog).findByText("3 exames ficaram como estavam")).toBeTruthy();
    expect(asked).toEqual(["s1"]);
  });

  test("are downloaded as one file; those of others that may not be taken along are named before", async () => {
    const others = studyOf(4, { access: { ...skull.access, download: false, share: false, delete: false } });
    const asked: unknown[] = [];
    const { bar, user } = await choose([...three, others], ["Exame 1", "Exame 3", "Exame 4"], {
      "POST /api/studies/download-ticket": ({ body }) => {
        asked.push(body);
        return Response.json(
          { url: "/api/downloads/x", fileName: "Silva_HIS.zip", sizeBytes: 9, leftOut: [] },
          { status: 201 },
        );
      },
    });
    await user.click(bar.getByRole("button", { name: "Baixar" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Baixar 2 exames?" });
    expect(within(dialog).getByText(/1 exame selecionado foi compartilhado com você/)).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "Baixar" }));
    await untilGone(() => screen.queryByRole("alertdialog"));
    expect(asked).toEqual([{ studyIds: ["s1", "s3"] }]);
    expect(screen.queryByRole("region", { name: "Exames selecionados" })).toBeNull();
  });

  test("stay as they were, with a reason, if the page itself fails at their download", async () => {
    const { bar, user } = await choose(three, ["Exame 1", "Exame 3"], {
      "POST /api/studies/download-ticket": () => Promise.reject(new Error("not of the server")),
    });
    await user.click(bar.getByRole("button", { name: "Baixar" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Baixar 2 exames?" });
    await user.click(within(dialog).getByRole("button", { name: "Baixar" }));
    expect(await within(dialog).findByText("2 exames ficaram como estavam")).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "Cancelar" }));
    await untilGone(() => screen.queryByRole("alertdialog"));
  });

  test("are shared with one doctor, and an unknown doctor is looked up once", async () => {
    const asked: unknown[] = [];
    let isKnown = false;
    const answer: Answer = ({ body }) => {
      asked.push(body);
      return isKnown
        ? Response.json({
            userId: "d",
            name: "Lívia",
            email: "l@x.br",
            role: "doctor",
            createdAt: "2026-11-20T00:00:00Z",
          })
        : problem(404, "doctor.not_found", "Não encontramos um médico com este e-mail.");
    };
    const { bar, user } = await choose(three, ["Exame 1", "Exame 2"], {
      "POST /api/studies/s1/share": answer,
      "POST /api/studies/s2/share": answer,
    });
    await user.click(bar.getByRole("button", { name: "Compartilhar" }));
    const dialog = await screen.findByRole("dialog", { name: "Compartilhar 2 exames" });
    await user.click(within(dialog).getByRole("tab", { name: "Com um médico que tem conta" }));
    await user.type(within(dialog).getByLabelText("E-mail do médico"), "l@x.br{Enter}");
    expect(await within(dialog).findByText("2 exames ficaram como estavam")).toBeTruthy();
    expect(asked).toHaveLength(1);
    isKnown = true;
    await user.click(within(dialog).getByRole("button", { name: "Dar acesso" }));
    await untilGone(() => screen.queryByRole("dialog"));
    expect(asked).toHaveLength(3);
  });

  test("are opened by one link, which is shown with its QR code and passcode", async () => {
    const asked: unknown[] = [];
    const { bar, user } = await choose(three, ["Exame 1", "Exame 3"], {
      "POST /api/links": ({ body }) => {
        asked.push(body);
        const link = { id: "l1", url: "https://x.br/v/l1#s", qrCode: "data:image/svg+xml,x" };
        return Response.json(
          { ...link, passcode: "123456", expiresAt: "2026-12-01T00:00:00Z" },
          { status: 201 },
        );
      },
    });
    await user.click(bar.getByRole("button", { name: "Compartilhar" }));
    const dialog = await screen.findByRole("dialog", { name: "Compartilhar 2 exames" });
    await user.click(within(dialog).getByRole("button", { name: "Criar link" }));
    const ready = await screen.findByRole("dialog", { name: "Link pronto" });
    expect(within(ready).getByRole("img", { name: "QR Code do link" })).toBeTruthy();
    expect(within(ready).getByText("123 456")).toBeTruthy();
    expect(within(ready).getByText(/^2 exames, até/)).toBeTruthy();
    expect(asked).toMatchObject([{ studyIds: ["s1", "s3"] }]);
    await user.click(within(ready).getByRole("button", { name: "Pronto" }));
    await untilGone(() => screen.queryByRole("dialog"));
  });

  test("are not offered to a doctor, who can do nothing with them", async () => {
    await showList(listOf(three), "doctor");
    await screen.findByText("Exame 1");
    expect(screen.queryByRole("button", { name: "Selecionar exames" })).toBeNull();
  });
});
