import "../../support/client/dom-globals.ts";
import { describe, expect, mock, test } from "bun:test";
import type { AuthCarry } from "../../../src/client/features/auth/auth-forms.ts";
import { LoginForm } from "../../../src/client/features/auth/login-form.tsx";
import { currentToken, endSession } from "../../../src/client/session.ts";
import { screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls, helena, problem } from "../../support/client/render-view.tsx";

withDom();

const onSwitch = mock((_form: string, _carry?: AuthCarry) => undefined);

async function showForm(locale: "pt-BR" | "en-US" = "pt-BR") {
  onSwitch.mockClear();
  endSession("logout");
  const props = { productName: "Exameteca", registration: "open", trialDays: 14, onSwitch } as const;
  await renderClient(<LoginForm {...props} />, locale);
  return userEvent.setup();
}

async function signIn(user: ReturnType<typeof userEvent.setup>) {
  await user.type(screen.getByLabelText("E-mail"), "helena@exemplo.com.br");
  await user.type(screen.getByLabelText("Senha"), "cavalo-azul");
  await user.click(screen.getByRole("button", { name: "Entrar" }));
}

describe("the login form", () => {
  test("names the missing field and focuses it", async () => {
    const user = await showForm("en-US");
    await user.type(screen.getByLabelText("E-mail"), "helena@exemplo.com.br");
    await user.click(screen.getByRole("button", { name: "Log in" }));
    expect(await screen.findByText("Enter your password")).toBeDefined();
    expect(document.activeElement).toBe(screen.getByLabelText("Password"));
    expect(screen.getByLabelText("E-mail").getAttribute("aria-invalid")).toBeNull();
  });

  test("starts a session that outlives the tab only if the person wants it", async () => {
    answerCalls({ "POST /api/auth/login": () => Response.json({ ...helena, token: "fresh" }) });
    const user = await showForm();
    await user.click(screen.getByLabelText("Manter conectado"));
    await signIn(user);
    await waitFor(() => expect(currentToken()).toBe("fresh"));
    expect(localStorage.getItem("token")).toBe("fresh");
  });

  test("continues with the code form, without a session, if a code is required", async () => {
    const pending = { requiresTwoFactor: true, email: "helena@exemplo.com.br" };
    answerCalls({ "POST /api/auth/login": () => Response.json(pending) });
    const user = await showForm();
    await signIn(user);
    await waitFor(() => expect(onSwitch).toHaveBeenCalledTimes(1));
    expect(onSwitch.mock.calls[0]?.[0]).toBe("verify");
    expect(onSwitch.mock.calls[0]?.[1]?.pending?.email).toBe("helena@exemplo.com.br");
    expect(currentToken()).toBeUndefined();
  });

  test("keeps the focus on the password after a refused login", async () => {
    answerCalls({
      "POST /api/auth/login": () => problem(401, "auth.wrong_credentials", "E-mail ou senha incorretos."),
    });
    const user = await showForm();
    await signIn(user);
    await screen.findByText("E-mail ou senha incorretos.");
    expect(document.activeElement).toBe(screen.getByLabelText("Senha"));
  });

  test("shows why a login was refused and can be sent again", async () => {
    answerCalls({
      "POST /api/auth/login": () => problem(401, "auth.wrong_credentials", "E-mail ou senha incorretos."),
    });
    const user = await showForm();
    await signIn(user);
    expect(await screen.findByText("Falha no login")).toBeDefined();
    expect(screen.getByText("E-mail ou senha incorretos.")).toBeDefined();
    expect((screen.getByRole("button", { name: "Entrar" }) as HTMLButtonElement).disabled).toBe(false);
  });

  test("passes the typed e-mail to the form for a forgotten password", async () => {
    const user = await showForm();
    await user.type(screen.getByLabelText("E-mail"), "helena@exemplo.com.br");
    await user.click(screen.getByRole("button", { name: "Esqueci minha senha" }));
    expect(onSwitch).toHaveBeenCalledWith("forgot", { email: "helena@exemplo.com.br" });
  });
});
