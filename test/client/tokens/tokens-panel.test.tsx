import "../../support/client/dom-globals.ts";
import { describe, expect, spyOn, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { viewAtom } from "../../../src/client/features/places/views.ts";
import { TokensPanel } from "../../../src/client/features/tokens/tokens-panel.tsx";
import { dayText } from "../../../src/client/ui/text/moment-text.ts";
import type { AccessToken } from "../../../src/shared/api/access-tokens.ts";
import { DAY_MS } from "../../../src/shared/units.ts";
import { drawn, screen, userEvent, waitFor, withDom, within } from "../../support/client/dom.ts";
import { type Answer, answerCalls, renderView, shownView } from "../../support/client/render-view.tsx";
import { travel, write } from "../../support/client/travel.ts";

withDom();

const store = getDefaultStore();
const token: AccessToken = {
  id: "01900000-0000-7000-8000-0000000000b1",
  name: "Script de cópia",
  scopes: ["dicomweb:read", "dicomweb:write"],
  createdAt: "2026-01-20T12:00:00.000Z",
  expiresAt: "2026-02-20T12:00:00.000Z",
  lastUsedAt: null,
};

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

async function show(answers: Record<string, Answer> = {}, locale?: "pt-BR" | "en-US") {
  answerCalls({ "GET /api/tokens": () => Response.json([token]), ...answers });
  await renderView(<TokensPanel />, locale ? { locale } : {});
  await write(() => store.set(viewAtom, "profile"));
  await screen.findByText("Script de cópia");
  return userEvent.setup();
}

describe("the tokens of an account", () => {
  test("say what they may do, when they expire and whether they were used", async () => {
    await show();
    const row = screen.getByText("Script de cópia").parentElement?.textContent ?? "";
    expect(row).toContain("Ler e enviar · venceu em 20-02-2026 · ainda não usado");
  });

  test.each([
    ["pt-BR", 2.1, "vence em 3 dias"],
    ["pt-BR", 0.5, "vence em 1 dia"],
    ["en-US", 7, "expires in 7 days"],
  ] as const)("say in %s how long they hold in their last week: %p days", async (locale, days, text) => {
    const expiresAt = new Date(Date.now() + days * 24 * 3600_000 - 60_000).toISOString();
    await show({ "GET /api/tokens": () => Response.json([{ ...token, expiresAt }]) }, locale);
    const said = screen.getByText(text);
    expect(said.className).toBe("is-low");
    expect(screen.getByText(locale === "pt-BR" ? "Revogar" : "Revoke")).toBeDefined();
  });

  test("are made for what the person chooses, and shown until they say that they copied it", async () => {
    const sent: unknown[] = [];
    const user = await show({
      "POST /api/tokens": ({ body }) => {
        sent.push(body);
        return Response.json({ ...token, name: "PACS", token: "exm_segredo" }, { status: 201 });
      },
    });
    await user.click(screen.getByRole("button", { name: "Novo token" }));
    await user.type(screen.getByLabelText("Nome do programa"), " PACS ");
    expect(screen.getByLabelText<HTMLInputElement>("Nome do programa").required).toBe(true);
    await user.click(screen.getByRole("radio", { name: "Só enviar" }));
    await user.click(screen.getByRole("radio", { name: "30 dias" }));
    await user.click(screen.getByRole("button", { name: "Criar token" }));
    await screen.findByText("exm_segredo");
    expect(sent).toMatchObject([{ name: "PACS", scopes: ["dicomweb:write"] }]);
    await travel("back");
    expect(screen.getByText("exm_segredo")).toBeDefined();
    expect(screen.queryByRole("alert")).toBeNull();
    await user.keyboard("{Escape}");
    expect(screen.getByText("exm_segredo")).toBeDefined();
    const said = screen.getByRole("alert");
    expect(said.textContent).toBe("O token só aparece uma vez. Copie e guarde, depois escolha “Já copiei”.");
    await user.keyboard("{Escape}");
    expect(screen.getByRole("alert")).not.toBe(said);
    await user.click(screen.getByRole("button", { name: "Já copiei" }));
    expect(screen.queryByText("exm_segredo")).toBeNull();
    expect(shownView()).toBe("profile");
  });

  test("are shown despite Back while they are made", async () => {
    const made = Promise.withResolvers<Response>();
    const user = await show({ "POST /api/tokens": () => made.promise });
    await user.click(screen.getByRole("button", { name: "Novo token" }));
    await user.type(screen.getByLabelText("Nome do programa"), "PACS");
    await user.click(screen.getByRole("button", { name: "Criar token" }));
    await screen.findByRole("button", { name: "Criando…" });
    await travel("back");
    await travel("back");
    expect(shownView()).toBe("profile");
    made.resolve(Response.json({ ...token, token: "exm_segredo" }, { status: 201 }));
    expect(await screen.findByText("exm_segredo")).toBeDefined();
  });

  test("appear in the list even if the answer that brought one was lost", async () => {
    const kept = [token];
    const user = await show({
      "GET /api/tokens": () => Response.json(kept),
      "POST /api/tokens": () => {
        kept.push({ ...token, id: "01900000-0000-7000-8000-0000000000b2", name: "PACS" });
        throw new TypeError("Failed to fetch");
      },
    });
    await user.click(screen.getByRole("button", { name: "Novo token" }));
    await user.type(screen.getByLabelText("Nome do programa"), "PACS");
    await user.click(screen.getByRole("button", { name: "Criar token" }));
    await screen.findByText(/Não foi possível falar com o servidor/);
    expect(await screen.findByText("PACS", { selector: "h3" })).toBeDefined();
  });

  test("are copied by a button that says so beside itself", async () => {
    const made = { ...token, token: "exm_segredo" };
    const user = await show({ "POST /api/tokens": () => Response.json(made, { status: 201 }) });
    await user.click(screen.getByRole("button", { name: "Novo token" }));
    await user.type(screen.getByLabelText("Nome do programa"), "PACS");
    await user.click(screen.getByRole("button", { name: "Criar token" }));
    const copy = await screen.findByRole("button", { name: "Copiar token" });
    // Chromium takes no name from a status.
    expect(within(copy).queryByRole("status")).toBeNull();
    await user.click(copy);
    await waitFor(() => {
      const said = screen.getAllByRole("status").map(({ textContent }) => textContent);
      expect(said).toContain("Copiado");
    });
    expect(await navigator.clipboard.readText()).toBe("exm_segredo");
    await user.click(screen.getByRole("button", { name: "Copiar endereço" }));
    expect(await screen.findByText("Copiado", { selector: ".toast-title" })).toBeDefined();
    // As on a page without https.
    spyOn(navigator.clipboard, "writeText").mockRejectedValue(new DOMException("no", "NotAllowedError"));
    await user.click(copy);
    expect(await screen.findByText("Não foi possível copiar", { selector: ".toast-title" })).toBeDefined();
  });

  test("of the last week are renewed by a new one that may do the same", async () => {
    const expiresAt = inDays(3);
    const kept = [{ ...token, expiresAt }];
    const sent: unknown[] = [];
    const user = await show({
      "GET /api/tokens": () => Response.json(kept),
      "POST /api/tokens": ({ body }) => {
        sent.push(body);
        const made = { ...token, id: "01900000-0000-7000-8000-0000000000b2", expiresAt: inDays(30) };
        kept.push(made);
        return Response.json({ ...made, token: "exm_segredo" }, { status: 201 });
      },
    });
    await user.click(screen.getByRole("button", { name: "Renovar o token Script de cópia" }));
    expect(screen.getByRole("dialog", { name: "Renovar o token “Script de cópia”" }).textContent).toContain(
      `O atual vale até ${dayText(expiresAt)}`,
    );
    await user.click(screen.getByRole("radio", { name: "30 dias" }));
    await user.click(screen.getByRole("button", { name: "Renovar token" }));
    await screen.findByText("exm_segredo");
    expect(sent).toMatchObject([{ name: token.name, scopes: token.scopes }]);
    await user.click(screen.getByRole("button", { name: "Já copiei" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(shownView()).toBe("profile");
    // The old one may still be revoked, and is not offered again.
    await waitFor(() =>
      expect(screen.getAllByRole("button", { name: "Revogar o token Script de cópia" })).toHaveLength(2),
    );
    expect(screen.queryByRole("button", { name: "Renovar o token Script de cópia" })).toBeNull();
  });

  test.each([
    ["lives longer", { expiresAt: inDays(40) }, 0],
    ["never expires", { expiresAt: null }, 0],
    ["has another name", { expiresAt: null, name: "PACS" }, 1],
    ["may do less", { expiresAt: null, scopes: ["dicomweb:read" as const] }, 1],
  ])(
    "are offered to renew unless one with the same name and uses lives longer: one %s",
    async (_, other, offers) => {
      const id = "01900000-0000-7000-8000-0000000000b2";
      const tokens = [
        { ...token, expiresAt: inDays(3) },
        { ...token, id, ...other },
      ];
      answerCalls({ "GET /api/tokens": () => Response.json(tokens) });
      await renderView(<TokensPanel />);
      await screen.findAllByText("Script de cópia");
      expect(screen.queryAllByRole("button", { name: /^Renovar o token/ })).toHaveLength(offers);
    },
  );

  test("that have expired say so when they are renewed, and stay if that fails", async () => {
    const user = await show({
      "POST /api/tokens": () =>
        Response.json({ code: "token.too_many", message: "Há 50 tokens." }, { status: 409 }),
    });
    await user.click(screen.getByRole("button", { name: "Renovar o token Script de cópia" }));
    expect(screen.getByRole("dialog").textContent).toContain("O antigo venceu em 20-02-2026.");
    await user.click(screen.getByRole("button", { name: "Renovar token" }));
    expect(await screen.findByText("O token não foi renovado", { selector: ".toast-title" })).toBeDefined();
    expect(screen.getByRole("dialog")).toBeDefined();
    await travel("back");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("end only after a question", async () => {
    const ended: string[] = [];
    const user = await show({
      [`DELETE /api/tokens/${token.id}`]: () => {
        ended.push(token.id);
        return Response.json({ ended: true });
      },
    });
    await user.click(screen.getByRole("button", { name: "Revogar o token Script de cópia" }));
    expect(ended).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Revogar token" }));
    expect(await screen.findByText("Token revogado")).toBeDefined();
    expect(ended).toEqual([token.id]);
  });

  test("hand the focus to the row after the ended one, then to the one before, at last to the heading", async () => {
    const ids = ["b1", "b2", "b3"].map((end) => `01900000-0000-7000-8000-0000000000${end}`);
    let kept = ids.map((id, place) => ({ ...token, id, name: `Programa ${place + 1}` }));
    const answers = ids.map((id) => [
      `DELETE /api/tokens/${id}`,
      () => {
        kept = kept.filter((one) => one.id !== id);
        return Response.json({ ended: true });
      },
    ]);
    answerCalls({ "GET /api/tokens": () => Response.json(kept), ...Object.fromEntries(answers) });
    await renderView(<TokensPanel />);
    await write(() => store.set(viewAtom, "profile"));
    const user = userEvent.setup();
    const endsAt = async (name: string, focused: string) => {
      await user.click(await screen.findByRole("button", { name: `Revogar o token ${name}` }));
      await user.click(screen.getByRole("button", { name: "Revogar token" }));
      await waitFor(() => expect(document.activeElement?.textContent).toStartWith(focused));
    };
    await endsAt("Programa 2", "Programa 3");
    await endsAt("Programa 3", "Programa 1");
    await endsAt("Programa 1", "Tokens para programas");
  });

  test("end without closing what the person opened meanwhile", async () => {
    const ended = Promise.withResolvers<Response>();
    const user = await show({ [`DELETE /api/tokens/${token.id}`]: () => ended.promise });
    await user.click(screen.getByRole("button", { name: "Revogar o token Script de cópia" }));
    await user.click(screen.getByRole("button", { name: "Revogar token" }));
    await travel("back");
    await user.click(screen.getByRole("button", { name: "Novo token" }));
    await user.type(screen.getByLabelText("Nome do programa"), "PACS");
    ended.resolve(Response.json({ ended: true }));
    expect(await screen.findByText("Token revogado")).toBeDefined();
    await drawn();
    expect(screen.getByLabelText<HTMLInputElement>("Nome do programa").value).toBe("PACS");
  });
});
