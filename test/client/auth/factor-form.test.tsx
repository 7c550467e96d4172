import "../../support/client/dom-globals.ts";
import { beforeEach, describe, expect, test } from "bun:test";
import FactorForm from "../../../src/client/features/auth/factor-form.tsx";
import { endSession } from "../../../src/client/session.ts";
import { screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls, helena, problem } from "../../support/client/render-view.tsx";

withDom();
beforeEach(() => endSession("logout"));

/** Compared here, because a failure would print both elements whole. */
const hasFocus = (element: HTMLElement) => document.activeElement === element;

async function showForm() {
  const methods = ["totp", "passkey", "recovery"] as const;
  const pending = {
    email: helena.email,
    keepConnected: false,
    passwordAt: Date.now(),
    methods: [...methods],
  };
  const props = { productName: "Exameteca", registration: "open", trialDays: 14, passkeys: true } as const;
  await renderClient(<FactorForm {...props} pending={pending} onSwitch={() => undefined} />);
  return userEvent.setup();
}

describe("the second step of an account with its own factors", () => {
  test("hands the focus to the way that takes the place of another", async () => {
    const user = await showForm();
    await user.click(screen.getByRole("button", { name: "Usar um código de recuperação" }));
    expect(hasFocus(screen.getByLabelText("Código"))).toBe(true);
    await user.click(screen.getByRole("button", { name: "Usar chave de acesso" }));
    expect(hasFocus(screen.getByRole("button", { name: "Usar chave de acesso" }))).toBe(true);
    await user.click(screen.getByRole("button", { name: "Usar o aplicativo autenticador" }));
    expect(hasFocus(screen.getByLabelText("Dígito 1"))).toBe(true);
  });

  test.each([401, 503])("keeps a recovery code that was refused with %d, to be corrected", async (status) => {
    const text = "Não deu certo.";
    answerCalls({ "POST /api/auth/verify-2fa": () => problem(status, "auth.wrong_code", text) });
    const user = await showForm();
    await user.click(screen.getByRole("button", { name: "Usar um código de recuperação" }));
    const field = screen.getByLabelText<HTMLInputElement>("Código");
    await user.type(field, "abcd-efgh-ijkl-mnop{Enter}");
    await screen.findByText(text);
    expect(field.value).toBe("abcd-efgh-ijkl-mnop");
    expect(hasFocus(field)).toBe(true);
  });
});
