import "../../support/client/dom-globals.ts";
import { beforeAll, describe, expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { viewAtom } from "../../../src/client/features/places/views.ts";
import { requestsApi } from "../../../src/client/features/requests/requests-api.ts";
import { securityApi } from "../../../src/client/features/security/security-api.ts";
import { linksApi } from "../../../src/client/features/sharing/links-api.ts";
import { tokensApi } from "../../../src/client/features/tokens/tokens-api.ts";
import { TokensPanel } from "../../../src/client/features/tokens/tokens-panel.tsx";
import { usersApi } from "../../../src/client/features/users/users-api.ts";
import { activateLocale } from "../../../src/client/i18n.ts";
import { fireEvent, screen, withDom } from "../../support/client/dom.ts";
import { pass, settled, withFakeClock } from "../../support/client/fake-clock.ts";
import { answerCalls, renderView, shownView } from "../../support/client/render-view.tsx";
import { write } from "../../support/client/travel.ts";

withDom();
withFakeClock("2026-02-01T12:00:00.000Z");
beforeAll(() => activateLocale("pt-BR"));

const PATIENCE_MS = 20_000;
const LATE = /não respondeu a tempo\. O pedido pode ter sido atendido/;

describe("a server that is silent while it makes what is shown once", () => {
  const silence = new Promise<never>(() => {});
  const expiresAt = "2026-02-08T12:00:00.000Z";
  const link = { studyIds: ["s1"], recipient: null, expiresAt, passcode: true, laudo: true, download: false };
  for (const [what, make] of Object.entries({
    "a token": () => tokensApi.make({ name: "PACS", scopes: ["dicomweb:read"], expiresAt }),
    "a link": () => linksApi.create(link),
    "a request": () => requestsApi.create({ label: "", shownName: "Helena", expiresAt }),
    "an invitation": () => usersApi.add({ name: "Ana", email: "ana@exemplo.com.br", role: "user" }),
    "recovery codes": () => securityApi.renewRecoveryCodes({}),
    "recovery codes with an app": () => securityApi.confirmTotp("123456"),
    "recovery codes with a passkey": () =>
      securityApi.addPasskey({ name: "Telefone", response: {} as never }),
  })) {
    test(`is given up for ${what}, and the request with it`, async () => {
      let signal: AbortSignal | null | undefined;
      globalThis.fetch = ((_: string, init: RequestInit) => {
        signal = init.signal;
        return silence;
      }) as unknown as typeof fetch;
      const failure = make().catch((error: unknown) => error);
      await pass(PATIENCE_MS - 1000);
      expect(signal?.aborted).toBe(false);
      await pass(1000);
      expect(await failure).toMatchObject({ name: "ApiError", status: 0, code: "late" });
      expect(signal?.aborted).toBe(true);
    });
  }

  test("lets the person out, and says that it may have been done", async () => {
    answerCalls({ "GET /api/tokens": () => Response.json([]), "POST /api/tokens": () => silence });
    await renderView(<TokensPanel />);
    await write(() => getDefaultStore().set(viewAtom, "profile"));
    await settled();
    fireEvent.click(screen.getByRole("button", { name: "Novo token" }));
    await settled();
    fireEvent.change(screen.getByLabelText("Nome do programa"), { target: { value: "PACS" } });
    fireEvent.click(screen.getByRole("button", { name: "Criar token" }));
    await settled();
    fireEvent.keyDown(screen.getByRole("dialog"), { key: "Escape" });
    expect(screen.getByRole("button", { name: "Criando…" })).toBeDefined();
    await pass(PATIENCE_MS);
    expect(screen.getByText(LATE)).toBeDefined();
    fireEvent.keyDown(screen.getByRole("dialog"), { key: "Escape" });
    await settled();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(shownView()).toBe("profile");
  });
});
