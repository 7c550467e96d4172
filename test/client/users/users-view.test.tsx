import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { ViewOutlet } from "../../../src/client/features/frame/view-outlet.tsx";
import { viewAtom } from "../../../src/client/features/places/views.ts";
import { changeOf, valuesOfUser } from "../../../src/client/features/users/edit-user.rules.ts";
import UsersView from "../../../src/client/features/users/users-view.tsx";
import type { CurrentUser } from "../../../src/shared/api/users.ts";
import { fold } from "../../../src/shared/fold.ts";
import { act, screen, untilGone, userEvent, waitFor, withDom, within } from "../../support/client/dom.ts";
import {
  type Answer,
  answerCalls,
  helena,
  problem,
  renderView,
  shownView,
} from "../../support/client/render-view.tsx";

withDom();

const admin: CurrentUser = {
  ...helena,
  id: "01900000-0000-7000-8000-00000000000a",
  name: "Beatriz",
  role: "admin",
};
const joao: CurrentUser = {
  ...helena,
  id: "01900000-0000-7000-8000-00000000000b",
  name: "João Conceição",
  email: "joao@exemplo.com.br",
  role: "doctor",
  isAuthorized: false,
  expiresAt: "2027-03-15T15:00:00.000Z",
};
const PATCH_JOAO = `PATCH /api/users/${joao.id}`;

/** The part of the accounts that the server answers. */
function pageOf(users: CurrentUser[], asked: URLSearchParams): Response {
  const [text, role, status] = [asked.get("search") ?? "", asked.get("role"), asked.get("status")];
  const found = users
    .filter(({ name, email }) => fold(`${name} ${email}`).includes(fold(text)))
    .filter((user) => role === null || user.role === role)
    .filter(({ isAuthorized }) => status === null || isAuthorized === (status === "authorized"));
  const offset = Number(asked.get("offset") ?? 0);
  return Response.json(found.slice(offset, offset + Number(asked.get("limit") ?? 10_000)), {
    headers: { "X-Total-Count": String(found.length) },
  });
}

/** A server that stores `users`; `answers` are used up first. */
function serveUsers(users: CurrentUser[], answers: Record<string, Answer> = {}) {
  const list = {
    "GET /api/users": ({ search }: Parameters<Answer>[0]) => pageOf(users, search),
    "GET /api/auth/me": () => Response.json(admin),
  };
  return answerCalls({ ...list, ...answers });
}

async function showUsers() {
  await renderView(<UsersView />, { user: admin });
  await screen.findByText(/^Mostrando/);
  return userEvent.setup();
}

const names = () =>
  screen
    .getAllByRole("rowheader")
    .map((cell) => cell.querySelector(".user-name > span:last-child")?.textContent ?? "");

async function choose(user: ReturnType<typeof userEvent.setup>, field: string, option: string) {
  screen.getByLabelText(field).focus();
  await user.keyboard("{Enter}");
  await user.click(await screen.findByRole("option", { name: option }));
}

describe("the users", () => {
  test("are not shown to people who are not admins", async () => {
    const calls = answerCalls({});
    await renderView(<ViewOutlet />);
    await act(async () => getDefaultStore().set(viewAtom, "users"));
    await waitFor(() => expect(shownView()).toBe("welcome"));
    // The home view has asked for what it shows.
    expect(calls.filter((call) => call.includes("/api/users"))).toEqual([]);
  });

  test("are shown with role, status, creation date and the end of the subscription or never", async () => {
    serveUsers([joao, helena]);
    await showUsers();
    const [, first, second] = screen.getAllByRole("row");
    expect(first?.textContent).toContain("joao@exemplo.com.brMédicoNão autorizado");
    expect(first?.textContent).toContain("15-03-2027");
    expect(second?.textContent).toContain("Autorizado");
    expect(second?.textContent).toContain("nunca");
    expect(screen.getByText("Mostrando 1 a 2 de 2 resultados")).toBeDefined();
  });

  test("are found by name without accents, by e-mail, and by status", async () => {
    serveUsers([joao, helena]);
    const user = await showUsers();
    const search = screen.getByLabelText("Nome ou e-mail");
    await user.type(search, "conceicao");
    await waitFor(() => expect(names()).toEqual(["João Conceição"]));
    await user.clear(search);
    await user.type(search, "HELENA@");
    await waitFor(() => expect(names()).toEqual(["Helena Duarte"]));
    await user.clear(search);
    await choose(user, "Situação", "Não autorizado");
    await waitFor(() => expect(names()).toEqual(["João Conceição"]));
    await choose(user, "Função", "Administrador");
    expect(await screen.findByText("Nenhum usuário corresponde a estes filtros.")).toBeDefined();
  });

  test("of a large installation are shown page by page, and a search finds those of all pages", async () => {
    const many = Array.from({ length: 120 }, (_, index) => ({
      ...helena,
      id: `01900000-0000-7000-8000-${String(index).padStart(12, "0")}`,
      name: `Pessoa ${index}`,
      email: `p${index}@exemplo.com.br`,
    }));
    serveUsers(many);
    const user = await showUsers();
    expect(names()).toEqual(many.slice(0, 50).map(({ name }) => name));
    for (const shown of ["51 a 100", "101 a 120"]) {
      await user.click(screen.getByRole("button", { name: "Próximo" }));
      expect(await screen.findByText(`Mostrando ${shown} de 120 resultados`)).toBeDefined();
    }
    expect(names()).toEqual(many.slice(100).map(({ name }) => name));
    await user.type(screen.getByLabelText("Nome ou e-mail"), "p7@");
    await waitFor(() => expect(names()).toEqual(["Pessoa 7"]));
    expect(screen.getByText("Mostrando 1 a 1 de 1 resultado")).toBeDefined();
  });

  test("are counted as the page that is shown, also while another one is read", async () => {
    const many = Array.from({ length: 60 }, (_, index) => ({ ...helena, id: `${helena.id}${index}` }));
    const { promise, resolve } = Promise.withResolvers<void>();
    serveUsers(many, {
      "GET /api/users": async ({ search }) => {
        if (search.get("offset") !== "0") await promise;
        return pageOf(many, search);
      },
    });
    const user = await showUsers();
    await user.click(screen.getByRole("button", { name: "Próximo" }));
    expect(screen.getByText("Mostrando 1 a 50 de 60 resultados")).toBeDefined();
    expect(screen.getByRole("table").getAttribute("aria-busy")).toBe("true");
    resolve();
    expect(await screen.findByText("Mostrando 51 a 60 de 60 resultados")).toBeDefined();
    expect(screen.getAllByRole("rowheader")).toHaveLength(10);
    expect(screen.getByRole("table").getAttribute("aria-busy")).toBe("false");
  });

  test("of a page that could not be read are not those of the page before while it is tried again", async () => {
    const many = Array.from({ length: 60 }, (_, index) => ({ ...helena, id: `${helena.id}${index}` }));
    const { promise, resolve } = Promise.withResolvers<void>();
    let tries = 0;
    serveUsers(many, {
      "GET /api/users": async ({ search }) => {
        if (search.get("offset") === "0") return pageOf(many, search);
        if (tries++ === 0) return problem(503, "x", "Agora não.");
        await promise;
        return pageOf(many, search);
      },
    });
    const user = await showUsers();
    await user.click(screen.getByRole("button", { name: "Próximo" }));
    await user.click(await screen.findByRole("button", { name: "Tentar novamente" }));
    await waitFor(() => expect(tries).toBe(2));
    expect(screen.queryByRole("rowheader")).toBeNull();
    expect(screen.getByText("Erro ao carregar usuários")).toBeDefined();
    resolve();
    await waitFor(() => expect(screen.getAllByRole("rowheader")).toHaveLength(10));
  });

  test("keep their search, and the focus in it, when it fails", async () => {
    const users = [joao, helena];
    let fails = true;
    serveUsers(users, {
      "GET /api/users": ({ search }) => {
        if (fails && search.has("search")) throw new TypeError("Failed to fetch");
        return pageOf(users, search);
      },
    });
    const user = await showUsers();
    const search = screen.getByLabelText("Nome ou e-mail");
    await user.type(search, "joa");
    expect(await screen.findByText("Erro ao carregar usuários")).toBeDefined();
    expect(document.activeElement).toBe(search);
    fails = false;
    await user.type(search, "o");
    await waitFor(() => expect(names()).toEqual(["João Conceição"]));
    expect(screen.queryByText("Erro ao carregar usuários")).toBeNull();
  });

  test("are searched with no more than the server takes", async () => {
    serveUsers([joao]);
    const user = await showUsers();
    const search = screen.getByLabelText<HTMLInputElement>("Nome ou e-mail");
    await user.click(search);
    await user.paste("x".repeat(300));
    expect(search.value).toHaveLength(200);
  });

  test("are authorized by a click on their status, only once even if it is clicked several times", async () => {
    const users = [joao];
    let sent: unknown;
    const answer = Promise.withResolvers<void>();
    const calls = serveUsers(users, {
      [PATCH_JOAO]: async ({ body }) => {
        sent = body;
        await answer.promise;
        users[0] = { ...joao, isAuthorized: true };
        return Response.json(users[0]);
      },
    });
    const user = await showUsers();
    await user.dblClick(screen.getByRole("button", { name: "Não autorizado. Autorizar João Conceição" }));
    expect(screen.getByText("Salvando…").getAttribute("aria-busy")).toBe("true");
    answer.resolve();
    expect(
      await screen.findByRole("button", { name: "Autorizado. Retirar a autorização de João Conceição" }),
    ).toBeDefined();
    expect(sent).toEqual({ isAuthorized: true });
    expect(calls.filter((call) => call === PATCH_JOAO)).toHaveLength(1);
  });

  test("stay unchanged when the server refuses, and the reason is shown", async () => {
    const refusal = () => problem(409, "user.last_admin", "Este é o último administrador.");
    serveUsers([joao], { [PATCH_JOAO]: refusal, [`DELETE /api/users/${joao.id}`]: refusal });
    const user = await showUsers();
    await user.click(screen.getByRole("button", { name: /^Não autorizado/ }));
    expect(await screen.findByText("Falha ao atualizar usuário")).toBeDefined();
    expect(screen.getByText("Este é o último administrador.")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Excluir João Conceição" }));
    await user.click(within(screen.getByRole("alertdialog")).getByRole("button", { name: "Excluir" }));
    expect(await screen.findByText("Falha ao excluir usuário")).toBeDefined();
  });

  test("show what the server did although its answer was lost", async () => {
    const users = [joao];
    serveUsers(users, {
      [PATCH_JOAO]: () => {
        users[0] = { ...joao, isAuthorized: !joao.isAuthorized };
        throw new TypeError("Failed to fetch");
      },
    });
    const user = await showUsers();
    await user.click(screen.getByRole("button", { name: /^Não autorizado/ }));
    expect(await screen.findByRole("button", { name: /^Autorizado/ })).toBeDefined();
  });

  test("are added with the role user, and the invitation can be copied", async () => {
    let sent: unknown;
    const url = "https://exames.example.com/reset-password/convite";
    serveUsers([helena], {
      "POST /api/users": ({ body }) => {
        sent = body;
        return Response.json({ user: joao, invitationUrl: url }, { status: 201 });
      },
    });
    const user = await showUsers();
    await user.click(screen.getByRole("button", { name: "Adicionar usuário" }));
    const dialog = within(screen.getByRole("dialog"));
    await user.type(dialog.getByLabelText("Nome completo"), joao.name);
    await user.type(dialog.getByLabelText("E-mail"), joao.email);
    await user.click(dialog.getByRole("button", { name: "Adicionar" }));
    expect(await dialog.findByDisplayValue(url)).toBeDefined();
    expect(sent).toEqual({ name: joao.name, email: joao.email, role: "user" });
    await user.click(dialog.getByRole("button", { name: "Copiar link" }));
    expect(await screen.findByText("Link copiado")).toBeDefined();
    expect(await navigator.clipboard.readText()).toBe(url);
    await user.click(dialog.getByRole("button", { name: "Fechar" }));
    await untilGone(() => screen.queryByRole("dialog"));
  });

  test("can't be added with an address that is taken, and the refusal is shown at its field", async () => {
    serveUsers([helena], {
      "POST /api/users": () => problem(409, "auth.email_taken", "Já existe uma conta com este e-mail."),
    });
    const user = await showUsers();
    await user.click(screen.getByRole("button", { name: "Adicionar usuário" }));
    const dialog = within(screen.getByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Adicionar" }));
    expect(await dialog.findByText("O nome deve ter pelo menos 3 caracteres")).toBeDefined();
    await user.type(dialog.getByLabelText("Nome completo"), helena.name);
    await user.type(dialog.getByLabelText("E-mail"), helena.email);
    await user.click(dialog.getByRole("button", { name: "Adicionar" }));
    expect(await dialog.findByText("Já existe uma conta com este e-mail.")).toBeDefined();
    expect(dialog.getByLabelText("E-mail").getAttribute("aria-invalid")).toBe("true");
    expect(document.activeElement).toBe(dialog.getByLabelText("E-mail"));
    expect(screen.queryByText("Falha ao adicionar usuário")).toBeNull();
  });

  test("can't be given an address that is taken, and the refusal is shown at its field", async () => {
    serveUsers([joao], {
      [PATCH_JOAO]: () => problem(409, "auth.email_taken", "Já existe uma conta com este e-mail."),
    });
    const user = await showUsers();
    await user.click(screen.getByRole("button", { name: "Editar João Conceição" }));
    const dialog = within(screen.getByRole("dialog"));
    await user.type(dialog.getByLabelText("E-mail"), ".br");
    await user.click(dialog.getByRole("button", { name: "Salvar" }));
    expect(await dialog.findByText("Já existe uma conta com este e-mail.")).toBeDefined();
    expect(dialog.getByLabelText("E-mail").getAttribute("aria-invalid")).toBe("true");
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
  });

  test("are sent only once, and a value that the server refuses is reported at its field", async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    serveUsers([joao], { [PATCH_JOAO]: () => promise });
    const user = await showUsers();
    await user.click(screen.getByRole("button", { name: "Editar João Conceição" }));
    const dialog = within(screen.getByRole("dialog"));
    await user.type(dialog.getByLabelText("E-mail"), ".br");
    await user.click(dialog.getByRole("button", { name: "Salvar" }));
    for (const name of ["Salvando…", "Cancelar"])
      expect((await dialog.findByRole("button", { name })).hasAttribute("disabled")).toBe(true);
    const message = "Este domínio não recebe e-mails.";
    const body = await problem(422, "validation", "Dados inválidos").json();
    const violations = [{ path: "email", code: "invalid", message }];
    resolve(Response.json({ ...body, violations }, { status: 422 }));
    expect(await dialog.findByText(message)).toBeDefined();
    expect(dialog.getByLabelText("E-mail").getAttribute("aria-invalid")).toBe("true");
    expect(screen.queryByText("Falha ao atualizar usuário")).toBeNull();
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
  });

  test("are edited, and only what changed is sent", async () => {
    let sent: unknown;
    serveUsers([joao], {
      [PATCH_JOAO]: ({ body }) => {
        sent = body;
        return Response.json(joao);
      },
    });
    const user = await showUsers();
    await user.click(screen.getByRole("button", { name: "Editar João Conceição" }));
    const dialog = within(screen.getByRole("dialog"));
    await user.clear(dialog.getByLabelText("Nome completo"));
    await user.type(dialog.getByLabelText("Nome completo"), "João da Conceição");
    await user.click(dialog.getByLabelText("Autorizado a entrar"));
    await user.click(dialog.getByRole("button", { name: "Salvar" }));
    expect(await screen.findByText("Usuário atualizado")).toBeDefined();
    expect(sent).toEqual({ name: "João da Conceição", isAuthorized: true });
  });

  test("are deleted with all their studies and reports after a warning", async () => {
    const calls = serveUsers([joao], {
      [`DELETE /api/users/${joao.id}`]: () => Response.json({ deleted: true }),
    });
    const user = await showUsers();
    await user.click(screen.getByRole("button", { name: "Excluir João Conceição" }));
    const dialog = within(screen.getByRole("alertdialog"));
    expect(dialog.getByText(/todos os seus exames e laudos serão excluídos definitivamente/)).toBeDefined();
    expect(dialog.getByText("joao@exemplo.com.br")).toBeDefined();
    await user.click(dialog.getByRole("button", { name: "Excluir" }));
    expect(await screen.findByText("Usuário excluído")).toBeDefined();
    expect(calls).toContain(`DELETE /api/users/${joao.id}`);
  });

  test("keep the hour of their subscription unless its day is changed; an empty day means never", () => {
    const values = valuesOfUser(joao);
    expect(changeOf(joao, values)).toEqual({});
    expect(changeOf(joao, { ...values, expiresOn: "" })).toEqual({ expiresAt: null });
    const { expiresAt } = changeOf(joao, { ...values, expiresOn: "2027-04-01" });
    expect(valuesOfUser({ ...joao, expiresAt: expiresAt ?? null }).expiresOn).toBe("2027-04-01");
  });
});
