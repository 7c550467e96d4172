import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { useState } from "react";
import { Pager } from "../../../src/client/ui/pager.tsx";
import { screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

test.each([
  ["pt-BR", 1, "Mostrando 1 a 1 de 1 resultado"],
  ["pt-BR", 0, "Mostrando 0 a 0 de 0 resultados"],
  ["en-US", 1, "Showing 1 to 1 of 1 result"],
] as const)("the pages count their results in words that fit (%s, %d)", async (locale, total, text) => {
  await renderClient(<Pager before={0} shown={total} total={total} />, locale);
  expect(screen.getByText(text)).toBeDefined();
});

function TwoPages() {
  const [page, setPage] = useState(0);
  return <Pager before={page * 10} shown={10} total={20} onStep={(step) => setPage(page + step)} />;
}

test("the pages keep the focus when the button that led to the last one has nothing left to do", async () => {
  await renderClient(<TwoPages />);
  const user = userEvent.setup();
  await user.tab();
  await user.keyboard("{Enter}");
  expect(screen.getByRole("button", { name: "Próximo" })).toHaveProperty("disabled", true);
  expect(document.activeElement).toBe(screen.getByRole("navigation", { name: "Páginas" }));
  await user.tab();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Anterior" }));
});

const readPages = [
  { before: 0, shown: 10, isReading: false },
  { before: 10, shown: 10, isReading: true },
  { before: 10, shown: 2, isReading: false },
];

function SlowPages() {
  const [step, setStep] = useState(0);
  return (
    <>
      <Pager {...(readPages[step] ?? { before: 0, shown: 0 })} total={12} onStep={() => setStep(step + 1)} />
      <button type="button" onClick={() => setStep(step + 1)}>
        arrives
      </button>
    </>
  );
}

test("the pages tell the rows that are shown, also while those of another page are read", async () => {
  await renderClient(<SlowPages />);
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Próximo" }));
  expect(screen.getByText("Mostrando 1 a 10 de 12 resultados")).toBeDefined();
  expect(screen.getByRole("button", { name: "Próximo" })).toHaveProperty("disabled", true);
  await user.click(screen.getByRole("button", { name: "arrives" }));
  expect(screen.getByText("Mostrando 11 a 12 de 12 resultados")).toBeDefined();
});

test("a page that no longer exists shows no row of those that there are", async () => {
  await renderClient(<Pager before={25} shown={0} total={10} />);
  expect(screen.getByText("Mostrando 0 a 0 de 10 resultados")).toBeDefined();
});
