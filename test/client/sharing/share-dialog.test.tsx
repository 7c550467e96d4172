import "../../support/client/dom-globals.ts";
import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { LinkForm } from "../../../src/client/features/sharing/link-form.tsx";
import { ShareButton } from "../../../src/client/features/sharing/share-actions.tsx";
import { ShareDialog } from "../../../src/client/features/sharing/share-dialog.tsx";
import { sharedStudyAtom } from "../../../src/client/features/sharing/share-state.ts";
import { endSession } from "../../../src/client/session.ts";
import type { Link } from "../../../src/shared/api/links.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import type { Role } from "../../../src/shared/api/users.ts";
import { DAY_MS } from "../../../src/shared/units.ts";
import {
  act,
  cleanup,
  drawn,
  screen,
  untilGone,
  userEvent,
  waitFor,
  withDom,
} from "../../support/client/dom.ts";
import { type Answer, answerCalls, helena, problem, renderView } from "../../support/client/render-view.tsx";
import { withServerClock } from "../../support/client/server-clock.ts";
import { skull } from "../../support/client/skull-study.ts";
import { travel } from "../../support/client/travel.ts";

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

async function openDialog(answers: Record<string, Answer>, role: Role = "user") {
  const calls = answerCalls({
    "GET /api/studies/s1/grants": () => Response.json([]),
    "GET /api/studies/s1/audit": () => Response.json([]),
    "GET /api/links": () => Response.json([]),
    "GET /api/studies": () => Response.json([]),
    "GET /api/studies/s1/invitations": () => Response.json([]),
    ...answers,
  });
  await renderView(
    <>
      <ShareButton study={skull} />
      <ShareDialog />
    </>,
    { user: { role } },
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: /^Compartilhar exame: / }));
  return { calls, user };
}

/** As {@link openDialog}, at the people who have an account. */
async function openPeople(answers: Record<string, Answer>, role?: Role) {
  const opened = await openDialog(answers, role);
  await opened.user.click(screen.getByRole("tab", { name: "Com um médico que tem conta" }));
  return opened;
}

const active: Link = {
  id: "l1",
  studyIds: ["s1"],
  recipient: "Dr. Paulo",
  state: "active",
  hasPasscode: true,
  laudo: true,
  download: false,
  maxOpenings: null,
  openings: 1,
  wrongPasscodes: 2,
  createdAt: "2026-11-14T12:00:00.000Z",
  expiresAt: "2026-11-29T12:00:00.000Z",
  endedAt: null,
  lastOpenedAt: "2026-11-14T13:00:00.000Z",
};

const madeLink = {
  id: "l1",
  url: "https://exames.example.com/v/l1#s3cret",
  qrCode: "data:image/svg+xml;base64,",
  passcode: "482913",
};

describe("sharing a study", () => {
  test("shows a link that Escape was pressed for while it was made, without waiting for the list", async () => {
    const made = Promise.withResolvers<Response>();
    let isMade = false;
    const { user } = await openDialog({
      "GET /api/links": () => (isMade ? new Promise<Response>(() => undefined) : Response.json([])),
      "POST /api/links": () => made.promise,
    });
    await user.click(await screen.findByRole("button", { name: "Criar link" }));
    await screen.findByRole("button", { name: "Criando…" });
    await user.keyboard("{Escape}");
    isMade = true;
    made.resolve(Response.json({ ...madeLink, expiresAt: active.expiresAt }, { status: 201 }));
    expect(await screen.findByText("482 913")).toBeDefined();
  });

  test("shows a link despite Back, both while it is made and once it is there", async () => {
    const made = Promise.withResolvers<Response>();
    const { user } = await openDialog({
      "GET /api/links": () => Response.json([]),
      "POST /api/links": () => made.promise,
    });
    await user.click(await screen.findByRole("button", { name: "Criar link" }));
    await screen.findByRole("button", { name: "Criando…" });
    await travel("back");
    made.resolve(Response.json({ ...madeLink, expiresAt: active.expiresAt }, { status: 201 }));
    expect(await screen.findByText("482 913")).toBeDefined();
    await travel("back");
    expect(screen.getByText("482 913")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Pronto" }));
    await travel("back");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("picks the account that the arrows chose, although a late answer brings others before it", async () => {
    const [ana, marcela, marta] = ["Ana Marques", "Marcela Luz", "Marta Reis"].map((name, index) => ({
      ...helena,
      id: `01900000-0000-7000-8000-00000000000${index}`,
      name,
      email: `p${index}@exemplo.com.br`,
    }));
    const { promise, resolve } = Promise.withResolvers<void>();
    const { user } = await openPeople(
      {
        "GET /api/users": async ({ search }) => {
          if (search.get("search") === "m") return Response.json([marcela, marta]);
          await promise;
          return Response.json([ana, marcela, marta]);
        },
      },
      "admin",
    );
    const field = screen.getByRole<HTMLInputElement>("combobox", { name: "Usuário" });
    await user.type(field, "m");
    await screen.findByRole("option", { name: /Marcela/ });
    await user.type(field, "ar{ArrowDown}");
    const chosen = () => screen.getByRole("option", { selected: true }).textContent;
    expect(chosen()).toContain("Marta Reis");
    resolve();
    await screen.findByRole("option", { name: /Ana/ });
    expect(chosen()).toContain("Marta Reis");
    await user.keyboard("{Enter}");
    expect(field.value).toBe("p2@exemplo.com.br");
  });

  test("gives a doctor access by their e-mail, and lists them among the people who have it", async () => {
    const grants: (typeof grant)[] = [];
    const asked: unknown[] = [];
    const { user } = await openPeople({
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

  test("no longer lists a doctor whose access was removed, although the answer was lost", async () => {
    const grants = [grant];
    const { user } = await openPeople({
      "GET /api/studies/s1/grants": () => Response.json(grants),
      [`DELETE /api/studies/s1/grants/${grant.userId}`]: () => {
        grants.pop();
        throw new TypeError("Failed to fetch");
      },
    });
    await user.click(await screen.findByRole("button", { name: /^Retirar o acesso de / }));
    expect(await screen.findByText("Ninguém além de você.")).toBeDefined();
  });

  test("shows an error at the field if no doctor has the address", async () => {
    const { user } = await openPeople({
      "POST /api/studies/s1/share": () => problem(404, "user.not_found", "Nenhum médico com este e-mail."),
    });
    await user.type(screen.getByLabelText("E-mail do médico"), "x@exemplo.com.br");
    await user.click(screen.getByRole("button", { name: "Dar acesso" }));
    expect(await screen.findByText("Nenhum médico com este e-mail.")).toBeDefined();
  });

  test("invites a doctor without an account, and takes the invitation back", async () => {
    const open: object[] = [];
    const sent: unknown[] = [];
    const { user } = await openPeople({
      "POST /api/studies/s1/share": () =>
        problem(404, "doctor.not_found", "Convide-o ou confira o endereço."),
      "GET /api/studies/s1/invitations": () => Response.json(open),
      "POST /api/studies/s1/invitations": ({ body }) => {
        const at = { createdAt: "2026-11-22T12:00:00.000Z", expiresAt: "2026-11-29T12:00:00.000Z" };
        const invited = { id: "i1", email: "novo@exemplo.com.br", ...at };
        sent.push(body);
        open.push(invited);
        return Response.json(invited, { status: 201 });
      },
      "DELETE /api/studies/s1/invitations/i1": () => {
        open.pop();
        return new Response(null, { status: 204 });
      },
    });
    await user.type(screen.getByLabelText("E-mail do médico"), "novo@exemplo.com.br");
    await user.click(screen.getByRole("checkbox", { name: "Pedir laudo" }));
    await user.click(screen.getByRole("button", { name: "Dar acesso" }));
    await user.click(await screen.findByRole("button", { name: "Convidar novo@exemplo.com.br" }));
    expect(await screen.findByText("espera resposta até 29-11-2026")).toBeDefined();
    expect(sent).toEqual([{ email: "novo@exemplo.com.br", asksForReport: true }]);
    await user.click(screen.getByRole("button", { name: "Retirar o convite de novo@exemplo.com.br" }));
    await untilGone(() => screen.queryByText(/^espera resposta/));
  });

  test("says that the invitations could not be read", async () => {
    await openPeople({
      "GET /api/studies/s1/invitations": () => problem(500, "internal", "Tente de novo em instantes."),
    });
    expect((await screen.findByRole("alert")).textContent).toBe("Tente de novo em instantes.");
    expect(screen.getByRole("heading", { name: "Convidados" })).toBeDefined();
  });

  test("offers a link to a doctor without an account, and keeps their address", async () => {
    const { user } = await openPeople({
      "POST /api/studies/s1/share": () =>
        problem(404, "doctor.not_found", "Convide-o ou confira o endereço."),
    });
    await user.type(screen.getByLabelText("E-mail do médico"), "novo@exemplo.com.br");
    await user.click(screen.getByRole("button", { name: "Dar acesso" }));
    await user.click(await screen.findByRole("button", { name: "Criar link" }));
    expect(screen.getByRole("tab", { name: "Por link ou QR Code" }).dataset.state).toBe("active");
    expect(screen.getByLabelText<HTMLInputElement>("Para quem").value).toBe("novo@exemplo.com.br");
  });

  test("begins in the first field, and ends where it began", async () => {
    const { user } = await openDialog({
      "POST /api/links": () => Response.json({ ...madeLink, expiresAt: active.expiresAt }, { status: 201 }),
    });
    expect(document.activeElement).toBe(screen.getByLabelText("Para quem"));
    await user.click(screen.getByRole("button", { name: "Criar link" }));
    await user.click(await screen.findByRole("button", { name: "Pronto" }));
    await user.keyboard("{Escape}");
    await untilGone(() => screen.queryByRole("dialog"));
    expect(document.activeElement).toBe(screen.getByRole("button", { name: /^Compartilhar exame: / }));
  });

  test("ends at once when access is taken away", async () => {
    const grants = [grant];
    const { user } = await openPeople({
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
    await openPeople({ "GET /api/studies/s1/audit": () => Response.json([seen]) });
    const entry = (await screen.findByText(/abriu as imagens/)).textContent;
    expect(entry).toContain("Dr. André Passos");
    expect(entry).toContain("203.0.113.7");
  });

  test("is offered only to the owner", async () => {
    const access = { ...skull.access, share: false };
    await renderView(<ShareButton study={{ ...skull, access }} />);
    expect(screen.queryByRole("button", { name: /^Compartilhar exame: / }) === null).toBe(true);
  });
});

describe("a link to a study", () => {
  test("is made by one press with what is safe, and shows its QR code and passcode until they are put away", async () => {
    const asked: unknown[] = [];
    const { user } = await openDialog({
      "POST /api/links": ({ body }) => {
        asked.push(body);
        return Response.json({ ...madeLink, expiresAt: active.expiresAt }, { status: 201 });
      },
    });
    await user.click(screen.getByRole("button", { name: "Criar link" }));
    expect(await screen.findByRole("img", { name: "QR Code do link" })).toBeDefined();
    expect(screen.getByText("482 913")).toBeDefined();
    // One may come later, but there is none yet.
    expect(screen.getByText(/^1 exame, até/)).toBeDefined();
    expect(asked).toMatchObject([
      { studyIds: ["s1"], recipient: null, passcode: true, laudo: true, download: false },
    ]);
    const brought = spyOn(Element.prototype, "scrollIntoView");
    await user.keyboard("{Escape}");
    expect(screen.getByText("482 913")).toBeDefined();
    expect((brought.mock.contexts.at(-1) as Element | undefined)?.textContent).toBe("Pronto");
    brought.mockRestore();
    expect(screen.getByRole("alert").textContent).toStartWith("Isto só aparece uma vez.");
    await user.click(screen.getByRole("button", { name: "Pronto" }));
    expect(await screen.findByRole("button", { name: "Criar link" })).toBeDefined();
    expect(screen.queryByText("482 913") === null).toBe(true);
  });

  test("is valid from the server's time on, whatever the browser's clock says", async () => {
    using _clock = withServerClock(-30 * DAY_MS);
    const ends: number[] = [];
    const { user } = await openDialog({
      "POST /api/links": ({ body }) => {
        ends.push(Date.parse((body as { expiresAt: string }).expiresAt));
        return Response.json({ ...madeLink, expiresAt: active.expiresAt }, { status: 201 });
      },
    });
    await user.click(screen.getByRole("button", { name: "Criar link" }));
    await screen.findByText("482 913");
    expect(ends.map((end) => Math.round((end - Date.now()) / DAY_MS))).toEqual([7 - 30]);
  });

  test("is made and copied by one press, the passcode apart", async () => {
    const written: string[] = [];
    // The DOM of the tests takes no text that is yet to come.
    const items = globalThis as unknown as { ClipboardItem: (data: unknown) => unknown };
    using _items = spyOn(items, "ClipboardItem").mockImplementation((data) => data);
    using _write = spyOn(navigator.clipboard, "write").mockImplementation(async ([item]) => {
      const { "text/plain": blob } = item as unknown as Record<string, Promise<Blob>>;
      written.push((await (await blob)?.text()) ?? "");
    });
    const made = Promise.withResolvers<Response>();
    const { user } = await openDialog({ "POST /api/links": () => made.promise });
    await user.click(screen.getByRole("button", { name: "Criar e copiar" }));
    await screen.findByRole("button", { name: "Criando…" });
    made.resolve(Response.json({ ...madeLink, expiresAt: active.expiresAt }, { status: 201 }));
    expect(await screen.findByText("Link copiado")).toBeDefined();
    expect(written).toEqual([madeLink.url]);
    expect(screen.getByText("482 913")).toBeDefined();
  });

  test("is made and handed to the share sheet by one press; a sheet that the browser refuses leaves the link", async () => {
    const sent: ShareData[] = [];
    let isAllowed = true;
    const share = async (data: ShareData) => {
      if (!isAllowed) throw new DOMException("not any more", "NotAllowedError");
      sent.push(data);
    };
    Object.defineProperty(navigator, "share", { configurable: true, value: share });
    try {
      const { user } = await openDialog({
        "POST /api/links": () => Response.json({ ...madeLink, expiresAt: active.expiresAt }, { status: 201 }),
      });
      for (const allowed of [true, false]) {
        isAllowed = allowed;
        await user.click(screen.getByRole("button", { name: "Criar e enviar" }));
        expect(await screen.findByText("482 913")).toBeDefined();
        expect(screen.getByRole("button", { name: "Enviar" })).toBeDefined();
        await user.click(screen.getByRole("button", { name: "Pronto" }));
      }
      expect(sent).toEqual([{ url: madeLink.url, title: "Exames de Helena Duarte" }]);
    } finally {
      Reflect.deleteProperty(navigator, "share");
    }
  });

  test("that could not be made is neither copied nor said to be", async () => {
    const { user } = await openDialog({
      "POST /api/links": () => problem(503, "database.unavailable", "Tente de novo daqui a pouco."),
    });
    await user.click(screen.getByRole("button", { name: "Criar e copiar" }));
    expect(await screen.findByText("Tente de novo daqui a pouco.")).toBeDefined();
    await drawn();
    expect(screen.queryByText("Link copiado") === null).toBe(true);
    expect(screen.queryByText("Não foi possível copiar isto") === null).toBe(true);
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Criar e copiar" }));
  });

  test("that was opened is shown first, with when, from where and by which device, and is ended after a question", async () => {
    const links = [active];
    const { user } = await openDialog({
      "GET /api/links": () => Response.json(links),
      "GET /api/links/l1/openings": () =>
        Response.json([
          {
            at: "2026-11-14T13:00:00.000Z",
            address: "203.0.113.7",
            device: "iPhone, Safari",
            readReport: true,
            downloaded: false,
          },
        ]),
      "DELETE /api/links/l1": () => {
        links[0] = { ...active, state: "ended", endedAt: active.createdAt };
        return new Response(null, { status: 204 });
      },
    });
    expect(await screen.findByText("iPhone, Safari · 203.0.113.7")).toBeDefined();
    expect(screen.getByText("leu o laudo")).toBeDefined();
    expect(screen.getByText("2 senhas erradas")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Criar link" }) === null).toBe(true);
    await user.click(screen.getByRole("button", { name: "Encerrar agora: Dr. Paulo" }));
    expect(document.activeElement?.textContent).toBe("Manter");
    await user.keyboard("{Enter}");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Encerrar agora: Dr. Paulo" }));
    await user.keyboard("{Enter}");
    await user.click(screen.getByRole("button", { name: "Encerrar agora" }));
    expect(await screen.findByText(/encerrado em/)).toBeDefined();
    expect(screen.getByRole("button", { name: "Novo link" })).toBeDefined();
    expect(screen.queryByRole("button", { name: "Criar link" }) === null).toBe(true);
  });

  test("can't be kept any more while it is being ended", async () => {
    const ended = Promise.withResolvers<Response>();
    const { user } = await openDialog({
      "GET /api/links": () => Response.json([active]),
      "GET /api/links/l1/openings": () => Response.json([]),
      "DELETE /api/links/l1": () => ended.promise,
    });
    await user.click(await screen.findByRole("button", { name: "Encerrar agora: Dr. Paulo" }));
    await user.click(screen.getByRole("button", { name: "Encerrar agora" }));
    await user.click(screen.getByRole("button", { name: "Manter" }));
    expect(screen.getByRole("alertdialog")).toBeDefined();
    ended.resolve(new Response(null, { status: 204 }));
  });

  test("says that its openings could not be read, and reads them again", async () => {
    let isDown = true;
    const opening = { at: "2026-11-14T13:00:00.000Z", address: "203.0.113.7", device: "iPhone, Safari" };
    const { user } = await openDialog({
      "GET /api/links": () => Response.json([active]),
      "GET /api/links/l1/openings": () =>
        isDown
          ? problem(500, "internal", "Tente de novo em instantes.")
          : Response.json([{ ...opening, readReport: false, downloaded: false }]),
    });
    expect(await screen.findByText(/^Não foi possível carregar as aberturas/)).toBeDefined();
    expect(screen.getByText("2 senhas erradas")).toBeDefined();
    isDown = false;
    await user.click(screen.getByRole("button", { name: "Tentar novamente" }));
    expect(await screen.findByText("iPhone, Safari · 203.0.113.7")).toBeDefined();
  });

  test("leaves the question about a link, and not the dialog, when Escape is pressed", async () => {
    const { user } = await openDialog({
      "GET /api/links": () => Response.json([{ ...active, openings: 0 }]),
    });
    const name = "Encerrar agora: Dr. Paulo";
    await user.click(await screen.findByRole("button", { name }));
    await user.keyboard("{Escape}");
    expect(screen.queryByText("Encerrar este link?") === null).toBe(true);
    expect(document.activeElement).toBe(screen.getByRole("button", { name }));
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("dialog") === null).toBe(true);
  });

  test("is not told as missing when the links could not be read", async () => {
    let isDown = true;
    const { user } = await openDialog({
      "GET /api/links": () =>
        isDown ? problem(500, "internal", "Tente de novo em instantes.") : Response.json([active]),
      "GET /api/links/l1/openings": () => Response.json([]),
    });
    expect(await screen.findByText("Não foi possível carregar os links deste exame")).toBeDefined();
    isDown = false;
    await user.click(screen.getByRole("button", { name: "Tentar novamente" }));
    expect(await screen.findByText("Dr. Paulo")).toBeDefined();
  });
});

test("the options of a link are named by their own words, and what they do describes them", async () => {
  await openDialog({});
  const passcode = await screen.findByRole("switch", { name: "Pedir senha" });
  const hint = document.getElementById(passcode.getAttribute("aria-describedby") ?? "");
  expect(hint?.textContent).toBe("6 dígitos, criada agora");
});

test("a clinic without an account is named beside what it delivered, and called no deleted account", async () => {
  const delivered = { ...seen, action: "study.uploaded", actorName: null, from: "Clínica São João" };
  await openPeople({ "GET /api/studies/s1/audit": () => Response.json([delivered]) });
  const list = await screen.findByRole("list", { name: "Quem fez o quê" });
  expect(list.textContent).toContain("Clínica São João enviou o exame");
});

test("the log tells an unknown sender from a deleted account", async () => {
  const uploaded = { ...seen, action: "study.uploaded", actorName: null, from: null };
  const entries = [{ ...uploaded, isDelivery: true }, uploaded];
  await openPeople({ "GET /api/studies/s1/audit": () => Response.json(entries) });
  const list = await screen.findByRole("list", { name: "Quem fez o quê" });
  const [delivery, other] = Array.from(list.children, ({ textContent }) => textContent);
  expect(delivery).toContain("Alguém sem conta enviou o exame");
  expect(other).toContain("Conta excluída enviou o exame");
});

test("the log names the token by which a program acted", async () => {
  const byToken = { ...seen, token: { name: "Robô do laudo" } };
  await openPeople({ "GET /api/studies/s1/audit": () => Response.json([byToken]) });
  const list = await screen.findByRole("list", { name: "Quem fez o quê" });
  expect(list.textContent).toContain("abriu as imagens, pelo token “Robô do laudo”");
});

test("what was done with an exam is a list with a name, since the keys stop at it", async () => {
  await openPeople({ "GET /api/studies/s1/audit": () => Response.json([seen]) });
  const list = await screen.findByRole("list", { name: "Quem fez o quê" });
  expect(list.tabIndex).toBe(0);
  expect(screen.getByLabelText<HTMLInputElement>("E-mail do médico").required).toBe(true);
});

test("a link without a passcode for some exams, left when the session expired, asks for one again for others", async () => {
  const show = async (other: string) => {
    answerCalls({});
    await renderView(<LinkForm study={skull} chosen={[{ ...skull, id: other }]} onReady={() => {}} />);
    return await screen.findByRole<HTMLInputElement>("switch", { name: "Pedir senha" });
  };
  const leave = async () => {
    await act(async () => endSession("expired"));
    cleanup();
    await drawn();
  };
  await userEvent.setup().click(await show("s2"));
  await leave();
  expect((await show("s3")).checked).toBe(true);
  await leave();
  expect((await show("s2")).checked).toBe(false);
});

test("a link shows the other exams that were chosen for it when the session expired, except one that is gone", async () => {
  const others = ["s2", "s3"].map((id) => ({ ...skull, id, studyDescription: `Exame ${id}` }));
  const asked: unknown[] = [];
  const show = async (listed: Study[]) => {
    answerCalls({
      "GET /api/studies": () => Response.json([skull, ...listed]),
      "GET /api/studies/s2/picture": () => new Response(null, { status: 204 }),
      "GET /api/studies/s3/picture": () => new Response(null, { status: 204 }),
      "POST /api/links": ({ body }) => {
        asked.push((body as { studyIds: string[] }).studyIds);
        return problem(500, "internal", "Tente de novo em instantes.");
      },
    });
    await renderView(<LinkForm study={skull} onReady={() => {}} />);
    await screen.findByText(/^Outros exames de /);
    return userEvent.setup();
  };
  const before = await show(others);
  await before.click(screen.getByRole("checkbox", { name: /^Exame s2/ }));
  await before.click(screen.getByRole("checkbox", { name: /^Exame s3/ }));
  await act(async () => endSession("expired"));
  cleanup();
  await drawn();
  const after = await show(others.slice(0, 1));
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name: /^Exame s2/ }).checked).toBe(true);
  await after.click(screen.getByRole("button", { name: "Criar link" }));
  await screen.findByText("Tente de novo em instantes.");
  expect(asked).toEqual([["s1", "s2"]]);
});
