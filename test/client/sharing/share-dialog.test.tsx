import "../../support/dom-globals.ts";
import { beforeEach, describe, expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { ShareButton } from "../../../src/client/features/sharing/share-actions.tsx";
import { ShareDialog } from "../../../src/client/features/sharing/share-dialog.tsx";
import { sharedStudyAtom } from "../../../src/client/features/sharing/share-state.ts";
import { screen, userEvent, waitFor, withDom } from "../../support/dom.ts";
import { type Answer, answerCalls, problem, renderView } from "../../support/render-view.tsx";
import { skull } from "../../support/skull-study.ts";

withDom();
beforeEach(() => getDefaultStore().set(sharedStudyAtom, undefined));

const doctor = { userId: "u2", name: "Dr. André Passos", email: "andre@exemplo.com.br", role: "doctor" };
const grant = { ...doctor, createdAt: "2026-11-14T12:00:00.000Z" };
const seen = {
  at: "2026-11-14T12:00:00.000Z",
  action: "study.opened",
  actorName: "Dr. André Passos",
  address: "203.0.113.7",
};

async function openDialog(answers: Record<string, Answer>) {
  const calls = answerCalls({
    "GET /api/studies/s1/grants": () => Response.json([]),
    "GET /api/studies/s1/audit": () => Response.json([]),
    ...answers,
  });
  await renderView(
    <>
      <ShareButton study={skull} />
      <ShareDialog />
    </>,
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Compartilhar exame" }));
  return { calls, user };
}

describe("sharing a study", () => {
  test("gives a doctor access by their e-mail, and lists them among the people who have it", async () => {
    const grants: (typeof grant)[] = [];
    const asked: unknown[] = [];
    const { user } = await openDialog({
      "GET /api/studies/s1/grants": () => Response.json(grants),
      "POST /api/studies/s1/share": ({ body }) => {
        asked.push(body);
        grants.push(grant);
        return Response.json(doctor, { status: 201 });
      },
    });
    expect(await screen.findByText("Ninguém além de você.")).toBeDefined();
    await user.type(screen.getByLabelText("E-mail do médico"), "andre@exemplo.com.br");
    await user.click(screen.getByRole("button", { name: "Dar acesso" }));
    expect(await screen.findByText("Dr. André Passos já pode ver este exame.")).toBeDefined();
    expect(await screen.findByText(/andre@exemplo.com.br · Médico/)).toBeDefined();
    expect(asked).toEqual([{ email: "andre@exemplo.com.br" }]);
  });

  test("shows an error at the field if no doctor has the address", async () => {
    const { user } = await openDialog({
      "POST /api/studies/s1/share": () => problem(404, "user.not_found", "Nenhum médico com este e-mail."),
    });
    await user.type(screen.getByLabelText("E-mail do médico"), "x@exemplo.com.br");
    await user.click(screen.getByRole("button", { name: "Dar acesso" }));
    expect(await screen.findByText("Nenhum médico com este e-mail.")).toBeDefined();
  });

  test("ends at once when access is taken away", async () => {
    const grants = [grant];
    const { user } = await openDialog({
      "GET /api/studies/s1/grants": () => Response.json(grants),
      "DELETE /api/studies/s1/grants/u2": () => {
        grants.pop();
        return new Response(null, { status: 204 });
      },
    });
    await user.click(await screen.findByRole("button", { name: "Retirar o acesso de Dr. André Passos" }));
    await waitFor(() => expect(screen.getByText("Ninguém além de você.")).toBeDefined());
  });

  test("shows the owner who viewed the study, when and from where", async () => {
    await openDialog({ "GET /api/studies/s1/audit": () => Response.json([seen]) });
    const entry = (await screen.findByText(/abriu as imagens/)).textContent;
    expect(entry).toContain("Dr. André Passos");
    expect(entry).toContain("203.0.113.7");
  });

  test("is offered only to the owner", async () => {
    const access = { ...skull.access, share: false };
    await renderView(<ShareButton study={{ ...skull, access }} />);
    expect(screen.queryByRole("button", { name: "Compartilhar exame" }) === null).toBe(true);
  });
});
