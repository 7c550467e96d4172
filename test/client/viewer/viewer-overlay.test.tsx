import "../../support/client/dom-globals.ts";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { useState } from "react";
import { ViewerOverlay } from "../../../src/client/features/viewer/viewer-overlay.tsx";
import { endSession } from "../../../src/client/session.ts";
import type { Locale } from "../../../src/shared/locale.ts";
import { withoutConnection } from "../../support/client/connection.ts";
import { act, fireEvent, screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { type Answer, answerCalls, helena, problem, renderView } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";

withDom();

/** The test DOM loads no page into a frame, and logs that each time. */
let complaints: { mockRestore: () => void };
beforeEach(() => {
  complaints = spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => complaints.mockRestore());

const ASSIGN = "POST /api/studies/s1/assign";
const TOKEN = "GET /generate-token";
const url = "/viewer/basic?StudyInstanceUIDs=2.25.1&t=secret&lng=pt-BR";

const answers: Record<string, Answer> = {
  [ASSIGN]: () => Response.json({}),
  [TOKEN]: () => Response.json({ token: "secret", url, obstacle: null }),
  "GET /api/studies/s1/thumbnail": () => new Response(null, { status: 204 }),
};

async function open(changed: Record<string, Answer> = {}, locale?: Locale) {
  const calls = answerCalls({ ...answers, ...changed });
  let closed = 0;
  await renderView(<ViewerOverlay study={skull} onClose={() => closed++} />, { locale });
  return { calls, closed: () => closed };
}

/** A viewer that a button opens, as in the list. */
function Opener({ onClose }: { onClose: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return isOpen ? (
    <ViewerOverlay study={skull} onClose={onClose} />
  ) : (
    <button type="button" onClick={() => setOpen(true)}>
      Abrir
    </button>
  );
}

const toastTexts = () =>
  [...document.querySelectorAll(".toast-title, .toast-text")].map(({ textContent }) => textContent);

describe("an opened study", () => {
  test("shows its description, patient and date, and can be closed", async () => {
    const { closed } = await open();
    expect(screen.getByRole("dialog", { name: "Tomografia de crânio" })).toBeTruthy();
    expect(screen.getByText("Duarte")).toBeTruthy();
    expect(screen.getByText("14-11-2026")).toBeTruthy();
    await userEvent.setup().click(screen.getByRole("button", { name: "Fechar" }));
    expect(closed()).toBe(1);
  });

  test("has its buttons behind its frame for Tab, and the frame before them for Shift+Tab", async () => {
    await open();
    const frame = await waitFor(() => {
      const found = document.querySelector("iframe");
      if (!found) throw new Error("no frame");
      return found;
    });
    const user = userEvent.setup();
    // As the browser does it once the last control within the frame is left.
    const end = frame.closest("[role=dialog]")?.lastElementChild;
    if (!(end instanceof HTMLElement)) throw new Error("no end");
    fireEvent.focus(end, { relatedTarget: frame });
    expect(document.activeElement?.textContent).toBe("Visor rápido");
    await user.tab({ shift: true });
    expect(document.activeElement?.tagName).toBe("IFRAME");
  });

  test("is assigned to its viewer first, then its page is framed with a token of its own", async () => {
    const asked: unknown[] = [];
    const { calls } = await open({
      [ASSIGN]: ({ body }) => {
        asked.push(body);
        return Response.json({});
      },
      [TOKEN]: ({ search }) => {
        asked.push(JSON.parse(atob(search.get("data") ?? "")));
        return Response.json({ token: "secret", url, obstacle: null });
      },
    });
    const frame = await waitFor(() => {
      const found = document.querySelector("iframe");
      if (!found) throw new Error("no frame yet");
      return found;
    });
    expect(frame.getAttribute("src")).toBe(url);
    expect(frame.title).toBe("Imagens de Tomografia de crânio");
    expect(calls.filter((call) => call === ASSIGN || call === TOKEN)).toEqual([ASSIGN, TOKEN]);
    expect(asked).toEqual([{ userId: helena.id }, [{ userId: helena.id, id: "s1" }]]);
  });
});

describe("a study that can't be opened", () => {
  const failed = () => problem(500, "internal", "x");
  for (const [what, changed, text, english] of [
    [
      "because it could not be assigned",
      { [ASSIGN]: failed },
      "Erro ao abrir o visualizador. Verifique se o estudo possui imagens válidas.",
      "Error opening the viewer. Check that the study has valid images.",
    ],
    [
      "because no token was made",
      { [TOKEN]: failed },
      "Erro ao carregar o viewer",
      "Error loading the viewer",
    ],
    [
      "because a proxy did not reach the server",
      { [ASSIGN]: () => new Response("<html>", { status: 502, headers: { "content-type": "text/html" } }) },
      "Servidor indisponível",
      "Server unavailable",
    ],
    [
      "because the server was not ready to make a token",
      { [TOKEN]: () => problem(503, "database.unavailable", "x") },
      "Servidor indisponível",
      "Server unavailable",
    ],
  ] as const) {
    test(`${what} says so, in both languages, and can be tried again`, async () => {
      const { calls } = await open(changed);
      expect(await screen.findByRole("heading", { name: text })).toBeTruthy();
      const before = calls.filter((call) => call === ASSIGN).length;
      await userEvent.setup().click(screen.getByRole("button", { name: "Tentar novamente" }));
      await waitFor(() => expect(calls.filter((call) => call === ASSIGN)).toHaveLength(before + 1));
      await open(changed, "en-US");
      expect(await screen.findByRole("heading", { name: english })).toBeTruthy();
    });
  }

  test("without a connection says so, and opens once that is back", async () => {
    using lost = withoutConnection();
    let isReached = false;
    const assign = () => {
      if (!isReached) throw new TypeError("Failed to fetch");
      return Response.json({});
    };
    await open({ [ASSIGN]: assign });
    expect(await screen.findByRole("heading", { name: "Sem conexão" })).toBeTruthy();
    isReached = true;
    await lost.end();
    await waitFor(() => expect(document.querySelector("iframe")?.getAttribute("src")).toBe(url));
  });

  test("because its page is missing says so", async () => {
    await open();
    const frame = await waitFor(() => document.querySelector("iframe") as HTMLIFrameElement);
    await waitFor(() => expect(frame.isConnected).toBe(true));
    const data = { viewer: "broken" };
    const { origin } = new URL(frame.src);
    await act(async () => {
      fireEvent(window, new MessageEvent("message", { data, origin, source: frame.contentWindow }));
    });
    const text = "Erro ao carregar o visualizador. Verifique se o servidor OHIF está rodando.";
    expect(await screen.findByRole("heading", { name: text })).toBeTruthy();
  });

  test("without a session is closed, and a toast says to log in", async () => {
    const calls = answerCalls(answers);
    let closed = 0;
    await renderView(<Opener onClose={() => closed++} />);
    endSession("expired");
    await userEvent.setup().click(screen.getByRole("button", { name: "Abrir" }));
    const told = ["Erro de Autenticação", "Token de acesso não encontrado. Faça login novamente."];
    await waitFor(() => expect(toastTexts()).toEqual(told));
    expect(closed).toBeGreaterThan(0);
    expect(calls).not.toContain(ASSIGN);
  });

  test("because the session has expired is closed, and a toast says to log in", async () => {
    const { closed } = await open({ [ASSIGN]: () => problem(401, "session.required", "x") });
    await waitFor(() => expect(toastTexts()[0]).toBe("Erro de Autenticação"));
    expect(closed()).toBeGreaterThan(0);
  });
});
