import "../../support/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import ProfileView from "../../../src/client/features/profile/profile-view.tsx";
import { currentToken, readStoredSession } from "../../../src/client/session.ts";
import { screen, userEvent, waitFor, withDom } from "../../support/dom.ts";
import { answerCalls, helena, problem, renderView } from "../../support/render-view.tsx";

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
  });
});
