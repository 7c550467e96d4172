import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { i18n } from "@lingui/core";
import { getDefaultStore } from "jotai";
import { firstPlaceAtom, viewAtom } from "../../../src/client/features/places/views.ts";
import { activityText } from "../../../src/client/features/profile/activity-text.ts";
import ProfileView from "../../../src/client/features/profile/profile-view.tsx";
import { knownEndAtom } from "../../../src/client/features/session/known-end.ts";
import { currentToken, readStoredSession, sessionEndAtom } from "../../../src/client/session.ts";
import type { Activity } from "../../../src/shared/api/activity.ts";
import { cleanup, screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { answerCalls, helena, problem, renderView, shownView } from "../../support/client/render-view.tsx";
import { travel, write } from "../../support/client/travel.ts";

withDom();

async function showProfile(locale: "pt-BR" | "en-US" = "pt-BR") {
  await renderView(<ProfileView />, { locale });
  return userEvent.setup();
}

const save = () => screen.getByRole("button", { name: /^(Salvar|Save)$/ });
const textIn = (label: string) => (screen.getByLabelText(label) as HTMLInputElement).value;

describe("the profile", () => {
  test("shows the role and the date of registration", async () => {
    await showProfile("en-US");
    expect(screen.getByText("User")).toBeDefined();
    expect(screen.getByText("Member since")).toBeDefined();
    expect(screen.getByText(/^(01-Jan-2026|31-Dec-2025)$/)).toBeDefined();
  });

  test("leads from the password among the ways in to its fields", async () => {
    const passwordChangedAt = "2026-10-02T12:00:00.000Z";
    const factors = { passkeys: [], passkeysAvailable: true, totp: null, recoveryCodesLeft: 0 };
    answerCalls({ "GET /api/auth/factors": () => Response.json({ ...factors, passwordChangedAt }) });
    const user = await showProfile();
    await user.click(screen.getByRole("tab", { name: "Programas e aparelhos" }));
    await user.click(await screen.findByRole("button", { name: "Mudar a senha" }));
    expect(document.activeElement).toBe(screen.getByLabelText("Senha atual"));
  });

  test("requires both passwords or neither", async () => {
    const user = await showProfile();
    await user.type(screen.getByLabelText("Nova senha"), "cavalo-azul");
    await user.click(save());
    const text = "Para trocar a senha, preencha a atual e a nova";
    expect(await screen.findByText(text)).toBeDefined();
    await user.clear(screen.getByLabelText("Nova senha"));
    await user.type(screen.getByLabelText("Senha atual"), "cavalo-azul");
    await user.click(save());
    expect(await screen.findByText(text)).toBeDefined();
  });

  test("restores all values on Cancel", async () => {
    const user = await showProfile();
    await user.type(screen.getByLabelText("Nome completo"), " e Silva");
    await user.type(screen.getByLabelText("Senha atual"), "abc");
    await user.click(screen.getByRole("button", { name: "Cancelar" }));
    expect(textIn("Nome completo")).toBe(helena.name);
    expect(textIn("Senha atual")).toBe("");
  });

  test("keeps a name that was not saved while another view is looked at, and says so; no password", async () => {
    const user = await showProfile();
    await user.type(screen.getByLabelText("Nome completo"), " e Silva");
    await user.type(screen.getByLabelText("Senha atual"), "segredo1");
    const told = "O que você mudou aqui ainda não foi salvo.";
    expect(screen.queryByText(told)).toBeNull();
    expect(JSON.stringify({ ...sessionStorage })).not.toContain("segredo1");
    cleanup();
    await showProfile();
    expect(textIn("Nome completo")).toBe(`${helena.name} e Silva`);
    expect(textIn("Senha atual")).toBe("");
    expect(screen.getByText(told)).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Cancelar" }));
    expect(textIn("Nome completo")).toBe(helena.name);
    expect(screen.queryByText(told)).toBeNull();
    cleanup();
    await showProfile();
    expect(textIn("Nome completo")).toBe(helena.name);
  });

  test("keeps no address with a name that was not saved: it may be changed meanwhile, and stays changed", async () => {
    const user = await showProfile();
    await user.type(screen.getByLabelText("Nome completo"), " e Silva");
    cleanup();
    const confirmed = "helena@novo.com.br";
    await renderView(<ProfileView />, { user: { email: confirmed } });
    expect([textIn("Nome completo"), textIn("E-mail")]).toEqual([`${helena.name} e Silva`, confirmed]);
    await user.click(screen.getByRole("button", { name: "Cancelar" }));
  });

  test("no longer keeps what was saved", async () => {
    const changed = { ...helena, name: `${helena.name} e Silva` };
    answerCalls({ "PATCH /api/users/profile": () => Response.json({ user: changed, pendingEmail: null }) });
    const user = await showProfile();
    await user.type(screen.getByLabelText("Nome completo"), " e Silva");
    await user.click(save());
    await screen.findByText("Perfil atualizado");
    expect(sessionStorage.getItem("kept-in-tab") ?? "").not.toContain("e Silva");
  });

  test("keeps the person signed in under the new token after a change of password", async () => {
    const changed = { ...helena, name: "Helena M. Duarte" };
    answerCalls({
      "PATCH /api/users/profile": () => Response.json({ user: changed, pendingEmail: null, token: "new" }),
    });
    localStorage.setItem("token", "t0ken");
    const user = await showProfile();
    localStorage.setItem("token", "t0ken");
    await user.type(screen.getByLabelText("Senha atual"), "segredo1");
    await user.type(screen.getByLabelText("Nova senha"), "cavalo-azul");
    await user.click(save());
    expect(await screen.findByText("Perfil atualizado")).toBeDefined();
    expect(currentToken()).toBe("new");
    expect(localStorage.getItem("token")).toBe("new");
    expect(readStoredSession()?.user?.name).toBe("Helena M. Duarte");
    await waitFor(() => expect(textIn("Nova senha")).toBe(""));
  });

  test("says that the password was changed although the answer was lost with the new session", async () => {
    answerCalls({
      "PATCH /api/users/profile": () => {
        throw new TypeError("Failed to fetch");
      },
      "GET /api/auth/me": () => problem(401, "auth.required", "Entre de novo."),
    });
    const user = await showProfile();
    await user.type(screen.getByLabelText("Senha atual"), "segredo1");
    await user.type(screen.getByLabelText("Nova senha"), "cavalo-azul");
    await user.click(save());
    expect(await screen.findByText("Senha alterada")).toBeDefined();
    expect(screen.getAllByText(/Entre com a nova/).length).toBeGreaterThan(0);
    expect(screen.queryByText("Falha na atualização")).toBeNull();
    await waitFor(() => expect(textIn("Nova senha")).toBe(""));
    // The login page says it, once a call finds that the session is over.
    expect(getDefaultStore().get(knownEndAtom)).toBe("password");
  });

  test("says nothing of a changed password if the session goes on", async () => {
    answerCalls({
      "PATCH /api/users/profile": () => {
        throw new TypeError("Failed to fetch");
      },
      "GET /api/auth/me": () => Response.json(helena),
    });
    const user = await showProfile();
    await user.type(screen.getByLabelText("Senha atual"), "segredo1");
    await user.type(screen.getByLabelText("Nova senha"), "cavalo-azul");
    await user.click(save());
    expect(await screen.findByText("Falha na atualização")).toBeDefined();
    expect(textIn("Nova senha")).toBe("cavalo-azul");
  });

  test("says that a new address awaits confirmation, and keeps the old one", async () => {
    const answer = { user: helena, pendingEmail: "nova@exemplo.com.br" };
    answerCalls({ "PATCH /api/users/profile": () => Response.json(answer) });
    const user = await showProfile();
    await user.clear(screen.getByLabelText("E-mail"));
    await user.type(screen.getByLabelText("E-mail"), "nova@exemplo.com.br");
    await user.type(screen.getByLabelText("Senha atual"), "segredo1");
    await user.click(save());
    expect(await screen.findByText(/Enviamos um link para nova@exemplo\.com\.br/)).toBeDefined();
    expect(textIn("E-mail")).toBe(helena.email);
  });

  for (const [locale, current, text] of [
    ["pt-BR", "Senha atual", "Para trocar o e-mail, digite sua senha atual"],
    ["en-US", "Current password", "To change the e-mail, enter your current password"],
  ] as const) {
    test(`asks for the current password only when the e-mail changes (${locale})`, async () => {
      const sent: unknown[] = [];
      answerCalls({
        "PATCH /api/users/profile": ({ body }) => {
          sent.push(body);
          return Response.json({ user: helena, pendingEmail: null });
        },
      });
      const user = await showProfile(locale);
      await user.clear(screen.getByLabelText("E-mail"));
      await user.type(screen.getByLabelText("E-mail"), "nova@exemplo.com.br");
      await user.click(save());
      expect(await screen.findByText(text)).toBeDefined();
      expect(screen.getByLabelText(current).getAttribute("aria-invalid")).toBe("true");
      expect(sent).toEqual([]);
      await user.clear(screen.getByLabelText("E-mail"));
      await user.type(screen.getByLabelText("E-mail"), helena.email.toUpperCase());
      await user.click(save());
      await waitFor(() => expect(sent).toHaveLength(1));
    });
  }

  test("shows the error of a wrong current password at its field", async () => {
    answerCalls({
      "PATCH /api/users/profile": () =>
        problem(400, "auth.wrong_current_password", "A senha atual está errada."),
    });
    const user = await showProfile();
    await user.type(screen.getByLabelText("Senha atual"), "errada");
    await user.type(screen.getByLabelText("Nova senha"), "cavalo-azul");
    await user.click(save());
    expect(await screen.findByText("Falha na atualização")).toBeDefined();
    expect(screen.getByLabelText("Senha atual").getAttribute("aria-invalid")).toBe("true");
  });

  test("downloads all data, and says why if that fails", async () => {
    const ticket = { url: "/api/exports/t", fileName: "exameteca_2026-11-21.zip" };
    const answers = [Response.json(ticket), problem(429, "too_many", "Muitas tentativas.")];
    answerCalls({ "POST /api/users/export-ticket": () => answers.shift() ?? Response.error() });
    const user = await showProfile();
    const clicked: string[] = [];
    document.addEventListener("click", (event) => {
      if (event.target instanceof HTMLAnchorElement) {
        event.preventDefault();
        clicked.push(event.target.getAttribute("href") ?? "");
      }
    });
    await user.click(screen.getByRole("button", { name: "Baixar meus dados" }));
    expect(await screen.findByText("Download iniciado")).toBeDefined();
    expect(clicked).toEqual([ticket.url]);
    await user.click(screen.getByRole("button", { name: "Baixar meus dados" }));
    expect(await screen.findByText("Muitas tentativas.")).toBeDefined();
  });

  test("deletes the account only with its password, and signs out", async () => {
    const sent: unknown[] = [];
    answerCalls({
      "POST /api/users/delete-own": ({ body }) => {
        sent.push(body);
        return sent.length === 1
          ? problem(400, "auth.wrong_current_password", "A senha atual está incorreta.")
          : Response.json({ deleted: true });
      },
    });
    const user = await showProfile();
    localStorage.setItem("token", "t0ken");
    await user.click(screen.getByRole("button", { name: "Excluir minha conta" }));
    const confirm = () => screen.getByRole("button", { name: "Sim, excluir minha conta" });
    expect(confirm().hasAttribute("disabled")).toBe(true);
    await user.type(screen.getByLabelText("Sua senha"), "errada");
    await user.click(confirm());
    expect(await screen.findByText("A senha atual está incorreta.")).toBeDefined();
    await user.clear(screen.getByLabelText("Sua senha"));
    await user.type(screen.getByLabelText("Sua senha"), "segredo1");
    await user.click(confirm());
    await waitFor(() => expect(localStorage.getItem("token")).toBeNull());
    expect(sent).toEqual([{ password: "errada" }, { password: "segredo1" }]);
    expect(getDefaultStore().get(knownEndAtom)).toBe("deleted");
    getDefaultStore().set(knownEndAtom, undefined);
  });

  test("signs out of an account that was deleted although the answer was lost", async () => {
    answerCalls({
      "POST /api/users/delete-own": () => {
        throw new TypeError("Failed to fetch");
      },
      "GET /api/auth/me": () => problem(401, "auth.required", "Entre de novo."),
    });
    const user = await showProfile();
    localStorage.setItem("token", "t0ken");
    await user.click(screen.getByRole("button", { name: "Excluir minha conta" }));
    await user.type(screen.getByLabelText("Sua senha"), "segredo1");
    await user.click(screen.getByRole("button", { name: "Sim, excluir minha conta" }));
    await waitFor(() => expect(localStorage.getItem("token")).toBeNull());
    expect(getDefaultStore().get(sessionEndAtom)).toBe("logout");
    getDefaultStore().set(knownEndAtom, undefined);
  });
});

const store = getDefaultStore();
const tab = (name: string) => screen.getByRole("tab", { name });
const selected = () => screen.getByRole("tab", { selected: true }).textContent;

describe("the tabs of the profile", () => {
  const quiet = {
    "GET /api/auth/factors": () => problem(503, "later", "Depois."),
    "GET /api/tokens": () => Response.json([]),
    "GET /api/receivers": () => Response.json([]),
    "GET /api/notifications/mails": () => Response.json([{ event: "report.attached", wanted: true }]),
    "GET /api/users/activity": () => Response.json({ events: [], hasMore: false }),
  };

  test("show one part of the account each, by mouse and by arrow keys", async () => {
    answerCalls(quiet);
    const user = await showProfile();
    expect([selected(), screen.queryByText("Tokens para programas")]).toEqual(["Seus dados", null]);
    await user.click(tab("Programas e aparelhos"));
    for (const title of ["Entrar na conta", "Tokens para programas", "Receptores DICOM"])
      expect(screen.getByRole("heading", { name: title })).toBeDefined();
    expect(screen.queryByLabelText("Nome completo")).toBeNull();
    await user.keyboard("{ArrowRight}");
    expect(await screen.findByRole("checkbox", { name: "Um exame meu recebeu laudo" })).toBeDefined();
    await user.keyboard("{ArrowRight}");
    expect(screen.getByRole("heading", { name: "Atividade na sua conta" })).toBeDefined();
    await user.keyboard("{Home}");
    expect(selected()).toBe("Seus dados");
  });

  test("stay after a reload, and Back leaves the profile as it leaves any view", async () => {
    answerCalls(quiet);
    const user = await showProfile();
    await write(() => store.set(viewAtom, "profile"));
    await user.click(tab("Programas e aparelhos"));
    expect(window.history.state.place).toBe("/profile/tab/access");
    await user.click(screen.getByRole("button", { name: "Novo token" }));
    await travel("back");
    expect([shownView(), selected()]).toEqual(["profile", "Programas e aparelhos"]);
    await travel("back");
    expect(shownView()).toBe("welcome");
    await travel("forward");
    expect([shownView(), selected()]).toEqual(["profile", "Programas e aparelhos"]);
  });

  test("open with the first part where the address names none that exists", async () => {
    window.history.replaceState(null, "", "/his");
    await renderView(<ProfileView />, { open: (s) => s.set(firstPlaceAtom, "/profile/tab/nothing") });
    expect(selected()).toBe("Seus dados");
  });
});

describe("the activity of an account", () => {
  const event = (id: number, more: Partial<Activity["events"][number]>) => ({
    ...{ id, at: "2026-11-21T12:00:00.000Z", action: "study.opened", actorName: "Dra. Inês Leão" },
    ...{ isYours: false, exam: "TC de crânio", address: "203.0.113.9", ...more },
  });

  test("says what was done, by whom and where, and shows older entries on request", async () => {
    const asked: (string | null)[] = [];
    answerCalls({
      "GET /api/users/activity": ({ search }) => {
        asked.push(search.get("before"));
        return Response.json(
          search.has("before")
            ? { events: [event(3, { action: "novelty.made" })], hasMore: false }
            : {
                events: [event(9, {}), event(8, { action: "session.opened", isYours: true, exam: null })],
                hasMore: true,
              },
        );
      },
    });
    const user = await showProfile();
    await user.click(tab("Atividade"));
    const [opened, signedIn] = (await screen.findAllByRole("listitem")).map((row) => row.textContent ?? "");
    expect(opened).toContain("Imagens abertas");
    expect(opened).toContain("Dra. Inês Leão · TC de crânio · 203.0.113.9");
    expect(signedIn).toContain("Entrada na conta");
    expect(signedIn).toContain("Você · 203.0.113.9");
    await user.click(screen.getByRole("button", { name: "Mostrar mais" }));
    expect(await screen.findByText("novelty.made")).toBeDefined();
    expect(asked).toEqual([null, "8"]);
    expect(screen.queryByRole("button", { name: "Mostrar mais" })).toBeNull();
  });

  test("tells what was done with several exams at once in one row, and names three of them", async () => {
    const at = "2026-11-22T09:30:00.000Z";
    const link = (id: number, exam: string | null) => event(id, { at, action: "link.created", exam });
    const names = ["RM de joelho", "TC de tórax", null, "US de abdome", "RX de mão"];
    const linked = names.map((name, place) => link(20 - place, name));
    const deleted = [1, 2].map((id) => event(id, { action: "study.deleted", exam: null }));
    const events = [...linked, event(9, { action: "link.created" }), ...deleted];
    answerCalls({ "GET /api/users/activity": () => Response.json({ events, hasMore: false }) });
    const user = await showProfile();
    await user.click(tab("Atividade"));
    const rows = (await screen.findAllByRole("listitem")).map((row) => row.textContent ?? "");
    expect(rows).toHaveLength(3);
    expect(rows[0]).toContain("Dra. Inês Leão · RM de joelho, TC de tórax, US de abdome e mais 2 · 203");
    expect(rows[1]).toContain("Dra. Inês Leão · TC de crânio · 203");
    expect(rows[2]).toContain("Dra. Inês Leão · 2 exames · 203");
  });

  test("names the token by which a program acted, while there is one", async () => {
    const token = { name: "OHIF do consultório" };
    const events = [event(9, { isYours: true, token }), event(8, { isYours: true, token: { name: null } })];
    answerCalls({ "GET /api/users/activity": () => Response.json({ events, hasMore: false }) });
    const user = await showProfile();
    await user.click(tab("Atividade"));
    const [named, ended] = (await screen.findAllByRole("listitem")).map((row) => row.textContent ?? "");
    expect(named).toContain("Você · pelo token “OHIF do consultório” · TC de crânio");
    expect(ended).toContain("Você · por um token já encerrado · TC de crânio");
  });

  test("says that older entries could not be loaded, and loads them on another try", async () => {
    let isAway = true;
    answerCalls({
      "GET /api/users/activity": ({ search }) => {
        if (!search.has("before")) return Response.json({ events: [event(9, {})], hasMore: true });
        if (isAway) return problem(503, "later", "Depois.");
        return Response.json({ events: [event(3, { action: "link.created" })], hasMore: false });
      },
    });
    const user = await showProfile();
    await user.click(tab("Atividade"));
    await user.click(await screen.findByRole("button", { name: "Mostrar mais" }));
    const again = await screen.findByRole("button", { name: "Tentar novamente" });
    expect(screen.getByText("Imagens abertas")).toBeDefined();
    isAway = false;
    await user.click(again);
    expect(await screen.findByText("Link criado")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Tentar novamente" })).toBeNull();
  });

  test("has a text in place of the code for everything that the audit records", async () => {
    const source = await Bun.file("src/server/features/audit/audit.repo.ts").text();
    const [, list = ""] = /export type AuditAction =([^;]*);/.exec(source) ?? [];
    const recorded = [...list.matchAll(/"([^"]+)"/g)].map(([, action = ""]) => action);
    expect(recorded.length).toBeGreaterThan(50);
    await showProfile();
    expect(recorded.filter((action) => activityText(i18n, action) === action)).toEqual([]);
  });
});
