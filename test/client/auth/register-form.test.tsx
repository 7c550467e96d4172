import "../../support/client/dom-globals.ts";
import { describe, expect, mock, test } from "bun:test";
import RegisterForm from "../../../src/client/features/auth/register-form.tsx";
import type { IslandProps } from "../../../src/shared/islands.ts";
import { screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

const onSwitch = mock((_form: string, _carry?: { email?: string }) => undefined);

async function showForm(locale: "pt-BR" | "en-US" = "pt-BR", trial: Partial<IslandProps<"auth">> = {}) {
  onSwitch.mockClear();
  const props = { productName: "Exameteca", registration: "open", trialDays: 14, onSwitch } as const;
  await renderClient(<RegisterForm {...props} {...trial} />, locale);
  return userEvent.setup();
}

/** Answers the form's one call and keeps what it sent. */
function answerRegistration(status: number, body: unknown) {
  const sent: unknown[] = [];
  globalThis.fetch = mock(async (_path: unknown, init?: RequestInit) => {
    sent.push(JSON.parse(String(init?.body)));
    return Response.json(body, { status, headers: { "Content-Type": "application/problem+json" } });
  }) as unknown as typeof fetch;
  return sent;
}

async function fillIn(user: ReturnType<typeof userEvent.setup>, values: Record<string, string>) {
  for (const [label, text] of Object.entries(values)) await user.type(screen.getByLabelText(label), text);
}

const valid = {
  "Nome completo": "Helena Maria Duarte",
  "E-mail": "helena@exemplo.com.br",
  "CPF ou CNPJ": "52998224725",
  Senha: "cavalo-azul",
  "Confirmar senha": "cavalo-azul",
};

describe("the registration form", () => {
  test.each([
    ["pt-BR", { trialExams: 2 }, "14 dias de avaliação, com até 2 exames."],
    ["pt-BR", { trialDays: 1, trialExams: 1 }, "1 dia de avaliação, com até 1 exame."],
    ["en-US", { trialExams: 5 }, "14-day trial, with up to 5 exams."],
    ["en-US", { trialExams: 1 }, "14-day trial, with up to 1 exam."],
    ["pt-BR", {}, "14 dias de avaliação."],
    ["en-US", {}, "14-day trial."],
  ] as const)("says in %s what a trial of %p allows", async (locale, trial, text) => {
    await showForm(locale, trial);
    expect(document.querySelector(".auth-lead")?.textContent).toBe(text);
  });

  test("says under the password, and not under its confirmation, how strong it is", async () => {
    await showForm();
    const beside = document.querySelector(".strength")?.parentElement;
    expect(beside?.contains(screen.getByLabelText("Senha"))).toBe(true);
    expect(beside?.contains(screen.getByLabelText("Confirmar senha"))).toBe(false);
  });

  test("shows all errors at once, in Portuguese", async () => {
    const user = await showForm();
    await fillIn(user, {
      ...valid,
      "Nome completo": "He",
      "E-mail": "helena",
      "CPF ou CNPJ": "12345678900",
      Senha: "123",
    });
    await user.click(screen.getByRole("button", { name: "Criar conta" }));
    for (const text of [
      "O nome deve ter pelo menos 3 caracteres",
      "Endereço de e-mail inválido",
      "CPF ou CNPJ inválido",
      "A senha deve ter pelo menos 6 caracteres",
      "As senhas não coincidem",
    ]) {
      expect(await screen.findByText(text)).toBeDefined();
    }
    expect(screen.getByLabelText("CPF ou CNPJ").getAttribute("aria-invalid")).toBe("true");
  });

  test("asks for all digits of a CPF or CNPJ before it checks them, in English too", async () => {
    const user = await showForm("en-US");
    await user.type(screen.getByLabelText("CPF or CNPJ"), "1234");
    await user.click(screen.getByRole("button", { name: "Create account" }));
    expect(await screen.findByText("CPF must have 11 digits or CNPJ must have 14 digits")).toBeDefined();
  });

  test("masks the number during typing, first as CPF and then as CNPJ", async () => {
    const user = await showForm();
    const field = screen.getByLabelText("CPF ou CNPJ") as HTMLInputElement;
    await user.type(field, "52998224725");
    expect(field.value).toBe("529.982.247-25");
    await user.clear(field);
    await user.type(field, "12abc34501de35");
    expect(field.value).toBe("12.ABC.345/01DE-35");
    expect(field.maxLength).toBe(18);
  });

  test("sends only digits and returns to the login form with the e-mail", async () => {
    const sent = answerRegistration(201, {});
    const user = await showForm();
    await fillIn(user, valid);
    await user.click(screen.getByRole("button", { name: "Criar conta" }));
    await waitFor(() => expect(onSwitch).toHaveBeenCalledTimes(1));
    expect(sent).toEqual([
      {
        name: valid["Nome completo"],
        email: valid["E-mail"],
        cpfcnpj: valid["CPF ou CNPJ"],
        password: valid.Senha,
      },
    ]);
    expect(onSwitch.mock.calls[0]?.[0]).toBe("login");
    expect(onSwitch.mock.calls[0]?.[1]?.email).toBe(valid["E-mail"]);
  });

  test("shows the server's refusal in a toast and keeps the typed values", async () => {
    answerRegistration(409, {
      type: "about:blank",
      title: "x",
      status: 409,
      code: "auth.email_taken",
      message: "Já existe uma conta com este e-mail.",
      requestId: "r",
    });
    const user = await showForm();
    await fillIn(user, valid);
    await user.click(screen.getByRole("button", { name: "Criar conta" }));
    expect(await screen.findByText("Falha no cadastro")).toBeDefined();
    expect((screen.getByLabelText("E-mail") as HTMLInputElement).value).toBe(valid["E-mail"]);
  });
});
