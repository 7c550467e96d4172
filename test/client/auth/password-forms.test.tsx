import "../../support/client/dom-globals.ts";
import { describe, expect, mock, test } from "bun:test";
import type { AuthCarry } from "../../../src/client/features/auth/auth-forms.ts";
import ForgotForm from "../../../src/client/features/auth/forgot-form.tsx";
import ResetForm from "../../../src/client/features/auth/reset-form.tsx";
import { cleanup, screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls, problem } from "../../support/client/render-view.tsx";

withDom();

const onSwitch = mock((_form: string, _carry?: AuthCarry) => undefined);
const props = { productName: "Exameteca", registration: "open", trialDays: 14, onSwitch } as const;

async function showReset(resetToken?: string, locale: "pt-BR" | "en-US" = "pt-BR") {
  onSwitch.mockClear();
  await renderClient(<ResetForm {...props} resetToken={resetToken} />, locale);
  return userEvent.setup();
}

describe("the form for a forgotten password", () => {
  test("returns to the login form and does not reveal whether the account exists", async () => {
    answerCalls({ "POST /api/auth/forgot-password": () => Response.json({ sent: true }) });
    onSwitch.mockClear();
    await renderClient(<ForgotForm {...props} email="helena@exemplo.com.br" />);
    const user = userEvent.setup();
    await user.click(screen.getByRole("button", { name: "Enviar link" }));
    await waitFor(() => expect(onSwitch).toHaveBeenCalledTimes(1));
    expect(onSwitch.mock.calls[0]?.[0]).toBe("login");
    const carry = onSwitch.mock.calls[0]?.[1];
    expect(carry?.email).toBe("helena@exemplo.com.br");
  });

  test("gives the address back to the login form that the person returns to", async () => {
    onSwitch.mockClear();
    await renderClient(<ForgotForm {...props} email="helena@exemplo" />);
    const user = userEvent.setup();
    await user.type(screen.getByLabelText("E-mail"), ".com.br");
    await user.click(screen.getByRole("button", { name: "Voltar para o login" }));
    expect(onSwitch.mock.calls).toEqual([["login", { email: "helena@exemplo.com.br" }]]);
  });

  test("asks for a valid address", async () => {
    await renderClient(<ForgotForm {...props} />, "en-US");
    const user = userEvent.setup();
    await user.type(screen.getByLabelText("E-mail"), "helena");
    await user.click(screen.getByRole("button", { name: "Send link" }));
    expect(await screen.findByText("Invalid email address")).toBeDefined();
  });

  test("shows the server's refusal in a toast", async () => {
    answerCalls({
      "POST /api/auth/forgot-password": () => problem(429, "http.too_many", "Aguarde um pouco."),
    });
    await renderClient(<ForgotForm {...props} email="helena@exemplo.com.br" />);
    await userEvent.setup().click(screen.getByRole("button", { name: "Enviar link" }));
    expect(await screen.findByText("Falha ao solicitar redefinição")).toBeDefined();
    expect(screen.getByText("Aguarde um pouco.")).toBeDefined();
  });
});

describe("the form for a new password", () => {
  test("asks for the token if the address has none", async () => {
    const user = await showReset();
    await user.type(screen.getByLabelText("Nova senha"), "cavalo-azul");
    await user.click(screen.getByRole("button", { name: "Salvar nova senha" }));
    expect(await screen.findByText("Informe o token")).toBeDefined();
    expect(screen.getByText("Confirme a senha")).toBeDefined();
  });

  test("asks for the same password twice", async () => {
    const user = await showReset("t0ken", "en-US");
    expect(screen.queryByLabelText("Token of the link")).toBeNull();
    await user.type(screen.getByLabelText("New password"), "12345");
    await user.type(screen.getByLabelText("Confirm password"), "54321");
    await user.click(screen.getByRole("button", { name: "Save new password" }));
    expect(await screen.findByText("The password must have at least 6 characters")).toBeDefined();
    expect(screen.getByText("The passwords do not match")).toBeDefined();
  });

  test("speaks of no current password: whoever was invited has none", async () => {
    await showReset("t0ken");
    expect(document.body.textContent).toContain("A partir de agora, você entra com ela");
    expect(document.body.textContent).not.toMatch(/substitui|atual/i);
    cleanup();
    await showReset("t0ken", "en-US");
    expect(document.body.textContent).not.toMatch(/replace|current/i);
  });

  test("sends the token of the address, confirms the change, and returns to the login form", async () => {
    let sent: unknown;
    answerCalls({
      "POST /api/auth/reset-password": ({ body }) => {
        sent = body;
        return Response.json({ reset: true });
      },
    });
    window.history.replaceState(null, "", "/reset-password/t0ken");
    const user = await showReset("t0ken");
    await user.type(screen.getByLabelText("Nova senha"), "cavalo-azul");
    await user.type(screen.getByLabelText("Confirmar senha"), "cavalo-azul");
    await user.click(screen.getByRole("button", { name: "Salvar nova senha" }));
    await waitFor(() => expect(onSwitch).toHaveBeenCalledTimes(1));
    expect(sent).toEqual({ token: "t0ken", password: "cavalo-azul" });
    expect(window.location.pathname).toBe("/");
    expect(onSwitch.mock.calls[0]?.[0]).toBe("login");
    expect(onSwitch.mock.calls[0]?.[1]?.notice).toBeDefined();
  });

  test("has words of its own for whoever was invited, who has no password yet", async () => {
    answerCalls({ "POST /api/auth/reset-password": () => Response.json({ reset: true }) });
    const user = await showReset("invitation-t0ken", "en-US");
    expect(screen.getByRole("heading").textContent).toBe("Choose your password");
    expect(document.body.textContent).not.toMatch(/new password|sessions/i);
    cleanup();
    await showReset("invitation-t0ken");
    expect(screen.getByRole("heading").textContent).toBe("Escolha sua senha");
    expect(document.body.textContent).not.toMatch(/nova senha|sessões/i);
    await user.type(screen.getByLabelText("Senha"), "cavalo-azul");
    await user.type(screen.getByLabelText("Confirmar senha"), "cavalo-azul");
    await user.click(screen.getByRole("button", { name: "Salvar senha" }));
    await waitFor(() => expect(onSwitch).toHaveBeenCalledTimes(1));
    const notice = onSwitch.mock.calls[0]?.[1]?.notice;
    cleanup();
    await renderClient(notice);
    expect(screen.getByRole("status").textContent).toBe("Conta criada. Entre com seu e-mail e sua senha.");
  });

  test("tells whoever was invited that their password was not saved, where the link is dead", async () => {
    answerCalls({
      "POST /api/auth/reset-password": () => problem(400, "auth.dead_link", "Este link não vale mais."),
    });
    const user = await showReset("invitation-t0ken");
    await user.type(screen.getByLabelText("Senha"), "cavalo-azul");
    await user.type(screen.getByLabelText("Confirmar senha"), "cavalo-azul{Enter}");
    expect(await screen.findByText("A senha não foi salva")).toBeDefined();
    expect(screen.getByRole("button", { name: "Pedir um novo link" })).toBeDefined();
  });

  test("says why an expired link failed, and where to get a new one", async () => {
    answerCalls({
      "POST /api/auth/reset-password": () => problem(400, "auth.dead_link", "Este link não vale mais."),
    });
    const user = await showReset("t0ken");
    await user.type(screen.getByLabelText("Nova senha"), "cavalo-azul");
    await user.type(screen.getByLabelText("Confirmar senha"), "cavalo-azul");
    await user.click(screen.getByRole("button", { name: "Salvar nova senha" }));
    expect(await screen.findByText("Falha ao redefinir a senha")).toBeDefined();
    expect(screen.getByRole("alert").textContent).toContain("Erro: Este link não vale mais.");
    await user.click(screen.getByRole("button", { name: "Pedir um novo link" }));
    expect(onSwitch).toHaveBeenCalledWith("forgot");
  });
});
