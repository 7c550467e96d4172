import "../../support/client/dom-globals.ts";
import { describe, expect, spyOn, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { viewAtom } from "../../../src/client/features/places/views.ts";
import { RecoveryCodesDialog } from "../../../src/client/features/security/recovery-codes-dialog.tsx";
import { SecurityPanel } from "../../../src/client/features/security/security-panel.tsx";
import type { Factors } from "../../../src/shared/api/factors.ts";
import { cleanup, screen, userEvent, withDom, within } from "../../support/client/dom.ts";
import {
  type Answer,
  answerCalls,
  problem,
  renderView,
  shownView,
} from "../../support/client/render-view.tsx";
import { travel, write } from "../../support/client/travel.ts";

withDom();

const store = getDefaultStore();
const seen = { createdAt: "2026-11-20T12:00:00.000Z", lastUsedAt: null };
const factors: Factors = {
  passkeysAvailable: true,
  passkeys: [{ id: "01900000-0000-7000-8000-0000000000a1", name: "Celular", isBackedUp: false, ...seen }],
  totp: seen,
  recoveryCodesLeft: 10,
  passwordChangedAt: "2026-10-02T12:00:00.000Z",
};

async function show(answer: Factors, answers: Record<string, Answer> = {}) {
  answerCalls({ "GET /api/auth/factors": () => Response.json(answer), ...answers });
  await renderView(<SecurityPanel onChangePassword={() => {}} />);
  await write(() => store.set(viewAtom, "profile"));
  await screen.findByRole("button", { name: "Adicionar chave de acesso" });
  return userEvent.setup();
}

describe("the security of an account", () => {
  test("has a row for each way to sign in, a passkey by its name, and says what they are for", async () => {
    await show(factors);
    const section = screen.getByRole("region", { name: "Entrar na conta" });
    expect(within(section).getByText("Como você prova que é você.")).toBeDefined();
    const rows = within(section).getAllByRole("heading", { level: 3 });
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      "Celular",
      "Aplicativo autenticador",
      "Códigos de recuperação",
      "Senha",
    ]);
    expect(within(section).getByText("Mudada em 02-10-2026")).toBeDefined();
    const [passkey] = within(screen.getByRole("list", { name: "Chaves de acesso" })).getAllByRole("listitem");
    expect(passkey?.textContent).toContain("Chave de acesso · Desde 20-11-2026, ainda sem uso");
  });

  test.each([
    ["Adicionar chave de acesso", factors],
    ["Configurar", { ...factors, totp: null }],
    ["Remover o aplicativo autenticador", factors],
    ["Gerar novos códigos", factors],
    ["Renomear Celular", factors],
    ["Remover Celular", factors],
  ])("the dialog of %p is closed by Back and opened again by Forward", async (name, answer) => {
    const user = await show(answer);
    const dialog = () => screen.queryByRole("dialog") ?? screen.queryByRole("alertdialog");
    await user.click(screen.getByRole("button", { name }));
    const title = dialog()?.querySelector("h2")?.textContent;
    expect(title).toBeString();
    await travel("back");
    expect(dialog()).toBeNull();
    expect(shownView()).toBe("profile");
    await travel("forward");
    expect(dialog()?.querySelector("h2")?.textContent).toBe(title);
  });

  test("shows recovery codes until the person confirms having saved them, despite Back and the menu", async () => {
    const codes = ["1111-2222-3333-4444", "5555-6666-7777-8888"];
    const user = await show(factors, {
      "POST /api/auth/recovery-codes": () => Response.json({ recoveryCodes: codes }),
    });
    await user.click(screen.getByRole("button", { name: "Gerar novos códigos" }));
    await user.type(screen.getByLabelText("Sua senha"), "senha-forte");
    await user.type(screen.getByLabelText(/^Código/), "123456");
    await user.click(screen.getByRole("button", { name: "Gerar novos códigos" }));
    await screen.findByText("1111-2222-3333-4444");
    await travel("back");
    await write(() => store.set(viewAtom, "support"));
    expect(shownView()).toBe("profile");
    expect(screen.getByText("1111-2222-3333-4444")).toBeDefined();
    await user.keyboard("{Escape}");
    expect(screen.getByRole("alert").textContent).toStartWith("Os códigos só aparecem uma vez.");
    await user.click(screen.getByRole("button", { name: "Já guardei os códigos" }));
    await write(() => store.set(viewAtom, "support"));
    expect(shownView()).toBe("support");
  });

  test("names the file of recovery codes in the page's language", async () => {
    for (const [locale, name, download] of [
      ["pt-BR", "exameteca-codigos-de-recuperacao.txt", "Baixar"],
      ["en-US", "exameteca-recovery-codes.txt", "Download"],
    ] as const) {
      const names: string[] = [];
      const click = spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
        this: HTMLAnchorElement,
      ) {
        names.push(this.download);
      });
      await renderView(<RecoveryCodesDialog codes={["1111-2222-3333-4444"]} onClose={() => {}} />, {
        locale,
      });
      await userEvent.setup().click(screen.getByRole("button", { name: download }));
      click.mockRestore();
      expect(names).toEqual([name]);
      cleanup();
    }
  });

  test("shows recovery codes without waiting for the factors, despite Back while they are made", async () => {
    const made = Promise.withResolvers<Response>();
    let isMade = false;
    const user = await show(factors, {
      "GET /api/auth/factors": () =>
        isMade ? new Promise<Response>(() => undefined) : Response.json(factors),
      "POST /api/auth/recovery-codes": () => made.promise,
    });
    await user.click(screen.getByRole("button", { name: "Gerar novos códigos" }));
    await user.type(screen.getByLabelText("Sua senha"), "senha-forte");
    await user.type(screen.getByLabelText(/^Código/), "123456");
    await user.click(screen.getByRole("button", { name: "Gerar novos códigos" }));
    await travel("back");
    await travel("back");
    expect(shownView()).toBe("profile");
    isMade = true;
    made.resolve(Response.json({ recoveryCodes: ["1111-2222-3333-4444"] }));
    expect(await screen.findByText("1111-2222-3333-4444")).toBeDefined();
  });

  test("sees an authenticator app set up although the answer was lost, and asks for new recovery codes", async () => {
    let now: Factors = { ...factors, passkeys: [], totp: null, recoveryCodesLeft: 0 };
    const user = await show(now, {
      "GET /api/auth/factors": () => Response.json(now),
      "POST /api/auth/totp": () => Response.json({ secret: "ABCD", uri: "otpauth://x", qrCode: "data:," }),
      "POST /api/auth/totp/confirm": () => {
        now = { ...now, totp: seen, recoveryCodesLeft: 10 };
        throw new TypeError("Failed to fetch");
      },
    });
    await user.click(screen.getByRole("button", { name: "Configurar" }));
    await user.click(screen.getByRole("button", { name: "Continuar" }));
    await user.click((await screen.findAllByRole("textbox"))[0] as HTMLElement);
    await user.keyboard("123456");
    await user.click(screen.getByRole("button", { name: "Confirmar" }));
    expect(
      await screen.findByRole("alertdialog", { name: "Gerar novos códigos de recuperação?" }),
    ).toBeDefined();
    expect(screen.getByText("Configurado, mas os códigos de recuperação não chegaram")).toBeDefined();
    expect(screen.getByText("Códigos de recuperação")).toBeDefined();
  });

  test("does not say that nothing was removed if only the answer was lost", async () => {
    let now = factors;
    const user = await show(now, {
      "GET /api/auth/factors": () => Response.json(now),
      "POST /api/auth/totp/remove": () => {
        now = { ...now, totp: null };
        return new Response("bad gateway", { status: 502 });
      },
    });
    await user.click(screen.getByRole("button", { name: "Remover o aplicativo autenticador" }));
    await user.type(screen.getByLabelText("Sua senha"), "senha-forte");
    await user.type(screen.getByLabelText(/^Código/), "123456");
    await user.click(screen.getByRole("button", { name: "Remover" }));
    expect(await screen.findByText("Aplicativo autenticador removido")).toBeDefined();
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });

  test.each([
    ["app", "Remover o aplicativo autenticador", "Aplicativo autenticador removido", "totp/remove"],
    [
      "passkey",
      "Remover Celular",
      "Chave de acesso removida",
      "passkeys/01900000-0000-7000-8000-0000000000a1/remove",
    ],
  ])("says that an %s is removed if another tab removed it first", async (_what, button, said, path) => {
    let now = factors;
    const user = await show(now, {
      "GET /api/auth/factors": () => Response.json(now),
      [`POST /api/auth/${path}`]: () => {
        now = { ...now, totp: null, passkeys: [] };
        return problem(404, "totp.off", "Não há.");
      },
    });
    await user.click(screen.getByRole("button", { name: button }));
    await user.type(screen.getByLabelText("Sua senha"), "senha-forte");
    await user.type(screen.getByLabelText(/^Código/), "123456");
    await user.click(screen.getByRole("button", { name: "Remover" }));
    expect(await screen.findByText(said)).toBeDefined();
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });

  test("reads the factors again if another tab removed the last one, with its codes", async () => {
    let now = factors;
    const user = await show(now, {
      "GET /api/auth/factors": () => Response.json(now),
      "POST /api/auth/recovery-codes": () => {
        now = { ...now, totp: null, passkeys: [], recoveryCodesLeft: 0 };
        return problem(409, "factor.none", "Adicione um fator primeiro.");
      },
    });
    await user.click(screen.getByRole("button", { name: "Gerar novos códigos" }));
    await user.type(screen.getByLabelText("Sua senha"), "senha-forte");
    await user.type(screen.getByLabelText(/^Código/), "123456");
    await user.click(screen.getByRole("button", { name: "Gerar novos códigos" }));
    expect(await screen.findByText("Adicione um fator primeiro.")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Cancelar" }));
    expect(screen.queryByText("Celular")).toBeNull();
  });

  test("does not take the app that another tab set up for the one whose key is shown", async () => {
    let now: Factors = { ...factors, passkeys: [], totp: null, recoveryCodesLeft: 0 };
    const user = await show(now, {
      "GET /api/auth/factors": () => Response.json(now),
      "POST /api/auth/totp": () => Response.json({ secret: "ABCD", uri: "otpauth://x", qrCode: "data:," }),
      "POST /api/auth/totp/confirm": () => {
        now = { ...now, totp: seen, recoveryCodesLeft: 10 };
        return problem(409, "totp.already_on", "Já existe um aplicativo autenticador.");
      },
    });
    await user.click(screen.getByRole("button", { name: "Configurar" }));
    await user.click(screen.getByRole("button", { name: "Continuar" }));
    await user.click((await screen.findAllByRole("textbox"))[0] as HTMLElement);
    await user.keyboard("123456");
    await user.click(screen.getByRole("button", { name: "Confirmar" }));
    expect((await screen.findByRole("alert")).textContent).toBe("Já existe um aplicativo autenticador.");
    expect(screen.queryByText(/^Configurado/)).toBeNull();
  });

  test("asks for a code once another tab has added the first factor", async () => {
    let now: Factors = { ...factors, passkeys: [], totp: null, recoveryCodesLeft: 0 };
    const sent: unknown[] = [];
    const user = await show(now, {
      "GET /api/auth/factors": () => Response.json(now),
      "POST /api/auth/totp": ({ body }) => {
        sent.push(body);
        now = { ...now, passkeys: factors.passkeys, recoveryCodesLeft: 10 };
        if (sent.length === 1) return problem(400, "auth.wrong_current_password", "Senha incorreta.");
        return sent.length === 2
          ? problem(400, "auth.factor_required", "Confirme.")
          : Response.json({ secret: "ABCD", uri: "otpauth://x", qrCode: "data:," });
      },
    });
    await user.click(screen.getByRole("button", { name: "Configurar" }));
    await user.click(screen.getByRole("button", { name: "Continuar" }));
    await user.type(await screen.findByLabelText("Sua senha"), "senha-forte");
    await user.click(screen.getByRole("button", { name: "Continuar" }));
    await user.type(await screen.findByLabelText(/^Código/), "1111-2222-3333-4444");
    await user.click(screen.getByRole("button", { name: "Continuar" }));
    expect(await screen.findByText("ABCD")).toBeDefined();
    expect(sent.at(-1)).toEqual({ currentPassword: "senha-forte", code: "1111-2222-3333-4444" });
  });
});
