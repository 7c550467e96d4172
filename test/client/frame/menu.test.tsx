import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { menuButtonProps, useMenu } from "../../../src/client/features/frame/menu-items.tsx";
import type { Role } from "../../../src/shared/api/users.ts";
import { cleanup, fireEvent, screen, withDom, within } from "../../support/client/dom.ts";
import { renderView, shownView } from "../../support/client/render-view.tsx";

withDom();

function Menu() {
  const entries = useMenu();
  return (
    <nav>
      {entries.map((entry) => (
        <button key={entry.view} {...menuButtonProps(entry)}>
          {entry.label}
        </button>
      ))}
    </nav>
  );
}

async function menuOf(role: Role, isActive: boolean) {
  cleanup();
  await renderView(<Menu />, { user: { role }, isActive });
  const entries = within(screen.getByRole("navigation")).getAllByRole("button");
  const named = (isOpen: boolean) =>
    entries
      .filter((entry) => (entry.getAttribute("aria-disabled") === null) === isOpen)
      .map(({ textContent }) => textContent);
  return { open: named(true), closed: named(false) };
}

const EXAMS = ["Meus exames", "Enviar exames", "Receber de uma clínica"];

describe("the menu", () => {
  test("of a user enables exams, upload and laboratory only with a subscription", async () => {
    const always = ["Início", "Assinatura", "Pagamentos", "Ajuda", "Suporte"];
    expect(await menuOf("user", false)).toEqual({ open: always, closed: [...EXAMS, "Laboratório"] });
    const all = ["Início", ...EXAMS, "Laboratório", "Assinatura", "Pagamentos", "Ajuda", "Suporte"];
    expect(await menuOf("user", true)).toEqual({ open: all, closed: [] });
  });

  test("of an admin shows users and integrity, and neither laboratory nor payments", async () => {
    const common = ["Início", "Exames", "Enviar exames", "Receber de uma clínica", "Assinaturas"];
    const open = [...common, "Gerenciar usuários", "Integridade", "Ajuda", "Suporte"];
    expect(await menuOf("admin", true)).toEqual({ open, closed: [] });
  });

  for (const role of ["doctor", "lab"] as const) {
    test(`of ${role} has no laboratory; without a subscription shared exams are enabled and the upload is disabled`, async () => {
      const always = ["Início", "Meus exames", "Assinatura", "Pagamentos", "Ajuda", "Suporte"];
      expect(await menuOf(role, false)).toEqual({
        open: always,
        closed: ["Enviar exames", "Receber de uma clínica"],
      });
      expect((await menuOf(role, true)).closed).toEqual([]);
    });
  }

  test("does nothing on a click on a disabled entry", async () => {
    await menuOf("user", false);
    fireEvent.click(screen.getByRole("button", { name: "Enviar exames" }));
    expect(shownView()).toBe("welcome");
    fireEvent.click(screen.getByRole("button", { name: "Suporte" }));
    expect(shownView()).toBe("support");
  });
});
