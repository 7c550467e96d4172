import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { useState } from "react";
import { loadTerms, parseTerms } from "../../../src/client/features/terms/terms-text.ts";
import { readStoredSession } from "../../../src/client/session.ts";
import { locales } from "../../../src/shared/locale.ts";
import { cleanup, fireEvent, screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { answerCalls, problem, renderView } from "../../support/client/render-view.tsx";

withDom();

// The module reads its preferences from the browser's storage when it is imported.
const { default: TermsDialog } = await import("../../../src/client/features/terms/terms-dialog.tsx");

async function showTerms(locale: "pt-BR" | "en-US" = "pt-BR") {
  await renderView(<TermsDialog />, { locale });
  return userEvent.setup();
}

/** Something below the terms, and a way to end them. */
function Below({ onPress }: { onPress: () => void }) {
  const [isOver, setOver] = useState(true);
  return (
    <>
      <button type="button" onClick={onPress}>
        Ver exemplo
      </button>
      <button type="button" onClick={() => setOver(false)}>
        Fim
      </button>
      {isOver && <TermsDialog />}
    </>
  );
}

const accept = () => screen.getByRole("button", { name: /^(Aceitar|Accept)$/ }) as HTMLButtonElement;

describe("the terms of use", () => {
  test("say the same in both languages: 50 exams, 30% before 12 months, 1 year", async () => {
    for (const locale of locales) {
      const parts = await loadTerms(locale);
      const text = JSON.stringify(parts);
      expect(parts.map(({ points }) => points.length)).toEqual([2, 1, 1]);
      for (const figure of ["50", "30%", "12", "1 "]) expect(text).toContain(figure);
    }
  });

  test("keep every line of a file that the operator wrote", () => {
    expect(parseTerms("Sem título.\n\n# Título\n* um\n- dois\ntrês\n")).toEqual([
      { heading: "", points: ["Sem título."] },
      { heading: "Título", points: ["um", "dois", "três"] },
    ]);
  });

  test("have a plain summary above them that says how one pays here", async () => {
    await showTerms();
    const summary = document.querySelector(".terms-summary");
    expect(summary?.textContent).toContain("Não pedimos cartão de crédito");
    expect(summary?.nextElementSibling?.className).toBe("terms-text");
  });

  test("can be neither closed by Escape or a click outside nor accepted unread", async () => {
    const user = await showTerms();
    expect(accept().disabled).toBe(true);
    await user.keyboard("{Escape}");
    expect(screen.getByRole("dialog")).toBeDefined();
    await user.click(document.querySelector(".scrim") as HTMLElement);
    expect(screen.getByRole("dialog")).toBeDefined();
    await user.click(screen.getByRole("checkbox"));
    expect(accept().disabled).toBe(false);
  });

  test("let the second press of a double one on Accept do nothing to what stands below", async () => {
    const pressed: string[] = [];
    await renderView(<Below onPress={() => pressed.push("below")} />);
    const below = screen.getByText("Ver exemplo");
    fireEvent.click(screen.getByText("Fim"));
    fireEvent.click(below, { detail: 2 });
    expect(pressed).toEqual([]);
    expect(screen.queryAllByRole("dialog").length).toBe(0);
    fireEvent.click(below, { detail: 1 });
    expect(pressed).toEqual(["below"]);
  });

  test("leave the focus on the heading of the view below, or on the view if it has none yet", async () => {
    for (const heading of [<h1 key="h">Boa tarde</h1>, null]) {
      await renderView(
        <>
          <main id="view" tabIndex={-1}>
            {heading}
          </main>
          <Below onPress={() => undefined} />
        </>,
      );
      await waitFor(() => expect(document.activeElement?.className).toBe("terms-text"));
      fireEvent.click(screen.getByText("Fim"));
      await waitFor(() => expect(document.activeElement?.tagName).toBe(heading ? "H1" : "MAIN"));
      cleanup();
    }
  });

  test("stay open when they are declined, and say that they must be accepted", async () => {
    const user = await showTerms("en-US");
    await user.click(screen.getByRole("button", { name: "Decline" }));
    expect(await screen.findByText("You must accept the terms to use the system.")).toBeDefined();
    expect(document.querySelector(".toast")?.className).toContain("is-bad");
    expect(screen.getByRole("dialog")).toBeDefined();
  });

  test("are stored as accepted with the server's time", async () => {
    const termsAcceptedAt = "2026-11-21T12:00:00.000Z";
    answerCalls({ "POST /api/users/accept-terms": () => Response.json({ termsAcceptedAt }) });
    const user = await showTerms();
    await user.click(screen.getByRole("checkbox"));
    await user.click(accept());
    await waitFor(() => expect(readStoredSession()?.user?.termsAcceptedAt).toBe(termsAcceptedAt));
    expect(document.querySelector(".toast")).toBeNull();
  });

  test("are accepted only once: the button is disabled and says so while that is being saved", async () => {
    const answer = Promise.withResolvers<Response>();
    answerCalls({ "POST /api/users/accept-terms": () => answer.promise });
    const user = await showTerms();
    await user.click(screen.getByRole("checkbox"));
    await user.click(accept());
    expect((screen.getByRole("button", { name: "Salvando…" }) as HTMLButtonElement).disabled).toBe(true);
    answer.resolve(problem(503, "http.unavailable", "Indisponível."));
    expect(await screen.findByRole("button", { name: "Aceitar" })).toBeDefined();
  });

  test("say why accepting failed, and can be accepted again", async () => {
    answerCalls({ "POST /api/users/accept-terms": () => problem(503, "http.unavailable", "Indisponível.") });
    const user = await showTerms();
    await user.click(screen.getByRole("checkbox"));
    await user.click(accept());
    expect(await screen.findByText("Erro")).toBeDefined();
    expect(screen.getByText("Indisponível.")).toBeDefined();
    expect(accept().disabled).toBe(false);
  });
});
