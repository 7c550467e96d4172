import "../../support/client/dom-globals.ts";
import { beforeEach, describe, expect, test } from "bun:test";
import { beginSession, currentToken, endSession } from "../../../src/client/session.ts";
import type { IslandProps } from "../../../src/shared/islands.ts";
import { screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls, helena, problem } from "../../support/client/render-view.tsx";
import { travel } from "../../support/client/travel.ts";

withDom();

// The module reads its preferences from the browser's storage when it is imported.
const { default: AuthScreen } = await import("../../../src/client/features/auth/auth-screen.tsx");

beforeEach(() => endSession("logout"));

async function showScreen(address = "/", props: Partial<IslandProps<"auth">> = {}) {
  window.history.replaceState(null, "", address);
  await renderClient(<AuthScreen productName="Exameteca" registration="open" trialDays={14} {...props} />);
  return userEvent.setup();
}

const heading = () => screen.findByRole("heading", { level: 1 });

describe("the entry screen", () => {
  for (const [address, text] of [
    ["/?expired=true", "Sessão expirada. Faça login novamente."],
    ["/?account=deleted", "Sua conta foi excluída."],
    ["/?password=changed", "Senha alterada. Entre com a nova."],
    ["/?password=changed&uploads=stopped", "Senha alterada. Entre com a nova."],
    [
      "/?expired=true&uploads=stopped",
      "Os envios pararam. Entre de novo neste navegador para continuar com eles.",
    ],
    [
      "/?email=confirmed",
      "Seu novo e-mail está confirmado. Entre com ele. Por 7 dias, o endereço que a conta tinha antes pode desfazer isto.",
    ],
    ["/?email=dead", "Este link de confirmação não vale mais. Peça a troca de novo no seu perfil."],
  ] as const) {
    test(`shows the notice for ${address} once`, async () => {
      await showScreen(address);
      expect(screen.getByText(text)).toBeDefined();
      expect(window.location.search).toBe("");
    });
  }

  test("opens the form for a new password if the address has its token", async () => {
    await showScreen("/reset-password/t0ken", { resetToken: "t0ken" });
    expect((await heading()).textContent).toBe("Nova senha");
    expect(screen.queryByLabelText("Token do link")).toBeNull();
  });

  test("switches to the forgotten password and back, and keeps the e-mail and the notice", async () => {
    answerCalls({ "POST /api/auth/forgot-password": () => Response.json({ sent: true }) });
    const user = await showScreen();
    await user.type(screen.getByLabelText("E-mail"), "helena@exemplo.com.br");
    await user.click(screen.getByRole("button", { name: "Esqueci minha senha" }));
    await user.click(await screen.findByRole("button", { name: "Enviar link" }));
    expect(await screen.findByText(/Se houver uma conta para helena@exemplo\.com\.br/)).toBeDefined();
    expect((screen.getByLabelText("E-mail") as HTMLInputElement).value).toBe("helena@exemplo.com.br");
    await waitFor(() => expect(document.activeElement === screen.getByLabelText("Senha")).toBe(true));
  });

  test("leads Back from a new account to the login, and Forward to what was typed but the passwords", async () => {
    const user = await showScreen();
    await user.click(screen.getByRole("button", { name: "Criar conta" }));
    await user.type(await screen.findByLabelText("Nome completo"), "Helena Duarte");
    await user.type(screen.getByLabelText("CPF ou CNPJ"), "52998224725");
    await user.type(screen.getByLabelText("Senha"), "cavalo-azul");
    await travel("back");
    expect((await heading()).textContent).toBe("Entrar");
    await travel("forward");
    const typed = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
    expect((await heading()).textContent).toBe("Criar conta");
    expect(["Nome completo", "CPF ou CNPJ", "Senha"].map(typed)).toEqual([
      "Helena Duarte",
      "529.982.247-25",
      "",
    ]);
    await travel("back");
  });

  test("shows the form for a new account again after a reload, and Back leads to the login", async () => {
    window.history.pushState({ inner: "register" }, "");
    await renderClient(<AuthScreen productName="Exameteca" registration="open" trialDays={14} />);
    expect(await screen.findByLabelText("Nome completo")).toBeDefined();
    await travel("back");
    expect((await heading()).textContent).toBe("Entrar");
  });

  test("still waits for the code after a reload, until the code has expired", async () => {
    const pending = { requiresTwoFactor: true, email: helena.email };
    answerCalls({ "POST /api/auth/login": () => Response.json(pending) });
    const user = await showScreen();
    await user.type(screen.getByLabelText("E-mail"), helena.email);
    await user.type(screen.getByLabelText("Senha"), "segredo1{Enter}");
    expect(await screen.findByText(`Enviamos 6 dígitos para ${helena.email}.`)).toBeDefined();
    const { readPendingSignIn } = await import("../../../src/client/features/auth/pending-sign-in.ts");
    expect(readPendingSignIn(Date.now())?.email).toBe(helena.email);
    expect(readPendingSignIn(Date.now() + 10 * 60_000)).toBeUndefined();
    await user.click(screen.getByRole("button", { name: "Voltar para o login" }));
    expect((await screen.findByLabelText("E-mail")) as HTMLInputElement).toHaveProperty(
      "value",
      helena.email,
    );
    expect(readPendingSignIn(Date.now())).toBeUndefined();
  });
});

describe("an invitation that only a session of its account accepts", () => {
  const offer = { email: helena.email, inviterName: "Marina", hasAccount: true };
  const accept = async (user: Awaited<ReturnType<typeof showScreen>>) =>
    await user.click(await screen.findByRole("button", { name: "Aceitar" }));

  for (const [who, before] of [
    ["nobody", undefined],
    ["somebody else", "another's"],
  ] as const)
    test(`is accepted after the login where ${who} was logged in`, async () => {
      answerCalls({
        "POST /api/invitations/read": () => Response.json(offer),
        "POST /api/invitations/accept": () =>
          currentToken() === "her own"
            ? Response.json({ studyId: "s1", session: null })
            : problem(403, "invitation.sign_in", "Entre nela e abra este link de novo."),
        "POST /api/auth/login": () => Response.json({ ...helena, token: "her own" }),
      });
      if (before) beginSession({ ...helena, token: before }, { keepConnected: false });
      const user = await showScreen("/invitation/t0ken", { invitationToken: "t0ken" });
      await accept(user);
      await user.click(await screen.findByRole("button", { name: "Ir para o login" }));
      await user.type(await screen.findByLabelText("Senha"), "segredo1{Enter}");
      await accept(user);
      expect(await screen.findByText(/^Aceito\./)).toBeDefined();
    });
});
