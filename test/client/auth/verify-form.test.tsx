import "../../support/client/dom-globals.ts";
import { describe, expect, mock, test } from "bun:test";
import type { AuthCarry } from "../../../src/client/features/auth/auth-forms.ts";
import VerifyForm from "../../../src/client/features/auth/verify-form.tsx";
import { currentToken, endSession } from "../../../src/client/session.ts";
import { screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls, helena, problem } from "../../support/client/render-view.tsx";

withDom();

const onSwitch = mock((_form: string, _carry?: AuthCarry) => undefined);

interface ShowOptions {
  hasPending?: boolean;
  passwordAt?: number;
}

async function showForm({ hasPending = true, passwordAt = Date.now() }: ShowOptions = {}) {
  endSession("logout");
  const pending = hasPending ? { email: helena.email, keepConnected: true, passwordAt } : undefined;
  const props = { productName: "Exameteca", registration: "open", trialDays: 14, onSwitch } as const;
  await renderClient(<VerifyForm {...props} pending={pending} />);
  return userEvent.setup();
}

const boxes = () => screen.getAllByLabelText(/^Dígito \d$/) as HTMLInputElement[];
const typed = () => boxes().map(({ value }) => value);
const submitButton = () => screen.getByRole("button", { name: "Verificar" }) as HTMLButtonElement;
const box = (number: number) => boxes()[number - 1] as HTMLInputElement;

describe("the verification form", () => {
  test("accepts only digits and moves on to the next box", async () => {
    const user = await showForm();
    await user.click(box(1));
    await user.keyboard("4a0-7");
    expect(typed()).toEqual(["4", "0", "7", "", "", ""]);
    expect(document.activeElement).toBe(box(4));
  });

  test("moves back on Backspace in an empty box", async () => {
    const user = await showForm();
    await user.click(box(1));
    await user.keyboard("40{Backspace}");
    expect(typed()).toEqual(["4", "", "", "", "", ""]);
    expect(document.activeElement).toBe(box(2));
    await user.keyboard("{Backspace}");
    expect(typed().join("")).toBe("");
    expect(document.activeElement).toBe(box(1));
  });

  test("replaces the digit of a full box", async () => {
    const user = await showForm();
    await user.click(box(1));
    await user.keyboard("407115");
    await user.click(box(2));
    await user.keyboard("9");
    expect(typed().join("")).toBe("497115");
  });

  test("fills all boxes with a pasted code, wherever the cursor is, and drops digits after the sixth", async () => {
    const user = await showForm();
    await user.click(box(3));
    await user.paste("407 115 99");
    expect(typed().join("")).toBe("407115");
  });

  test("can be sent only with six digits and a pending sign-in", async () => {
    const user = await showForm();
    await user.click(box(1));
    await user.paste("40711");
    expect(submitButton().disabled).toBe(true);
    await user.click(box(6));
    await user.keyboard("5");
    expect(submitButton().disabled).toBe(false);
  });

  test("can't be sent without a pending sign-in", async () => {
    const user = await showForm({ hasPending: false });
    await user.click(box(1));
    await user.paste("407115");
    expect(submitButton().disabled).toBe(true);
  });

  test("starts the session as the login would have, and asks the server to remember the device", async () => {
    let sent: unknown;
    answerCalls({
      "POST /api/auth/verify-2fa": ({ body }) => {
        sent = body;
        return Response.json({ ...helena, token: "verified" });
      },
    });
    const user = await showForm();
    await user.click(screen.getByLabelText("Confiar neste aparelho por 30 dias"));
    await user.click(box(1));
    await user.paste("407115");
    await user.click(submitButton());
    await waitFor(() => expect(currentToken()).toBe("verified"));
    expect(localStorage.getItem("token")).toBe("verified");
    expect(sent).toEqual({ email: helena.email, code: "407115", rememberDevice: true });
  });

  test("empties the boxes after a wrong code and says so", async () => {
    answerCalls({
      "POST /api/auth/verify-2fa": () => problem(401, "auth.wrong_code", "Código errado ou expirado."),
    });
    const user = await showForm();
    await user.click(box(1));
    await user.paste("407115");
    await user.click(submitButton());
    expect(await screen.findByText("Falha na verificação")).toBeDefined();
    expect(screen.getByText("Código errado ou expirado.")).toBeDefined();
    await waitFor(() => expect(typed().join("")).toBe(""));
    expect(document.activeElement).toBe(box(1));
  });

  test("leads back to the login if a code that got no answer may have ended the sign-in", async () => {
    let isLost = true;
    answerCalls({
      "POST /api/auth/verify-2fa": () => {
        if (!isLost) return problem(401, "auth.wrong_code", "Código incorreto ou vencido.");
        isLost = false;
        throw new TypeError("Failed to fetch");
      },
    });
    const user = await showForm();
    await user.click(box(1));
    await user.paste("407115");
    await user.click(submitButton());
    await screen.findByText(/^Não foi possível falar com o servidor/);
    await user.click(submitButton());
    expect(await screen.findByText("O código expirou. Volte e faça login de novo.")).toBeDefined();
  });

  test("sends a new code and restarts its ten minutes", async () => {
    const calls = answerCalls({ "POST /api/auth/resend-code": () => Response.json({ sent: true }) });
    const user = await showForm({ passwordAt: Date.now() - 5 * 60_000 });
    expect(screen.getByText(/^(5:00|4:\d\d)$/)).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Reenviar código" }));
    expect(await screen.findByText("Novo código enviado")).toBeDefined();
    expect(calls).toEqual(["POST /api/auth/resend-code"]);
    expect(await screen.findByText(/^(10:00|9:\d\d)$/)).toBeDefined();
  });

  test("offers no new code once the server would not send one", async () => {
    await showForm({ passwordAt: Date.now() - 10 * 60_000 });
    expect(screen.getByText("O código expirou. Volte e faça login de novo.")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Reenviar código" })).toBeNull();
  });
});
