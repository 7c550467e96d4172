import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { act, cleanup, fireEvent, screen, withDom } from "../../support/client/dom.ts";
import { skull } from "../../support/client/skull-study.ts";
import { columnHeads, listOf, showList } from "../../support/client/study-list.tsx";

withDom();

const kept = () => JSON.parse(window.localStorage.getItem("study-columns") ?? "null");
const grip = (name: string) => screen.getByRole("button", { name: `Mover a coluna ${name} com as setas` });
const edge = (name: string) => screen.getByRole("separator", { name: `Largura da coluna ${name}` });
const headWidth = (name: string) => screen.getByRole("columnheader", { name }).style.width;

async function showTable(role: "user" | "admin" = "user") {
  const shown = await showList(listOf([skull]), role);
  await screen.findByText("Tomografia de crânio");
  return shown;
}

const sort = (name: string) => screen.getByRole("button", { name });

describe("the row of heads", () => {
  test("is one stop of the keyboard: arrow keys lead from head to head, and Tab returns to the last one", async () => {
    const { user } = await showTable();
    const heads = screen.getAllByRole("row")[0] as HTMLElement;
    const stops = () =>
      [...heads.querySelectorAll<HTMLElement>("button, [role=separator]")].filter(
        ({ tabIndex }) => tabIndex === 0,
      );
    expect(stops()).toEqual([sort("Data")]);
    await act(async () => sort("Data").focus());
    await user.keyboard("{ArrowRight}{ArrowRight}");
    expect(document.activeElement).toBe(sort("Modalidade"));
    expect(stops()).toEqual([sort("Modalidade")]);
    await user.keyboard("{Enter}");
    expect(screen.getByRole("columnheader", { name: "Modalidade" }).getAttribute("aria-sort")).toBe(
      "ascending",
    );
    await user.tab();
    expect(heads.contains(document.activeElement)).toBe(false);
    await user.tab({ shift: true });
    expect(document.activeElement).toBe(sort("Modalidade"));
    expect(sort("Modalidade").getAttribute("aria-describedby")).toBe(
      screen.getByText(/^Setas: outra coluna/).id,
    );
  });

  test("moves and resizes a column by its head, also one that does not sort", async () => {
    const { user } = await showTable();
    await act(async () => sort("Laudo").focus());
    await user.keyboard("{Shift>}{ArrowLeft}{/Shift}");
    expect(columnHeads().slice(0, 6)).toEqual([
      "Data",
      "Descrição",
      "Modalidade",
      "Imagens",
      "Laudo",
      "Séries",
    ]);
    expect(document.activeElement).toBe(sort("Laudo"));
    const own = Number.parseInt(headWidth("Laudo"), 10);
    await user.keyboard("++-");
    expect(headWidth("Laudo")).toBe(`${own + 10}px`);
    await user.keyboard("0");
    expect(headWidth("Laudo")).toBe(`${own}px`);
  });
});

describe("a column is moved with the arrow keys", () => {
  test("past the next visible one; the new position is announced, stored and restored at the next visit", async () => {
    const { user } = await showTable();
    grip("Séries").focus();
    // The storage column is between them, but only an admin sees it.
    await user.keyboard("{ArrowRight}");
    const moved = ["Data", "Descrição", "Modalidade", "Imagens", "Laudo", "Séries"];
    expect(columnHeads().slice(0, 6)).toEqual(moved);
    expect(screen.getByText("Séries: coluna 6 de 6")).toBeTruthy();
    expect(document.activeElement).toBe(grip("Séries"));
    expect(kept().order.slice(-2)).toEqual(["laudo", "seriesCount"]);

    cleanup();
    await showTable();
    expect(columnHeads().slice(0, 6)).toEqual(moved);
  });

  test("but not past the pinned ones, which have no grip", async () => {
    const { user } = await showTable("admin");
    grip("Data").focus();
    await user.keyboard("{ArrowLeft}");
    expect(columnHeads().slice(0, 2)).toEqual(["Paciente", "Data"]);
    grip("Laudo").focus();
    await user.keyboard("{ArrowRight}");
    expect(columnHeads().slice(-3)).toEqual(["Laudo", "Visualizador", "Ações"]);
    for (const pinned of ["Paciente", "Visualizador", "Ações"]) {
      expect(screen.queryByRole("button", { name: `Mover a coluna ${pinned} com as setas` })).toBeNull();
    }
  });
});

describe("a column is resized with the arrow keys on its edge", () => {
  test("down to 80 px; the width is stored, and Delete restores the default", async () => {
    const { user } = await showTable();
    const own = headWidth("Data");
    edge("Data").focus();
    await user.keyboard("{ArrowRight}");
    expect(headWidth("Data")).toBe(`${Number.parseInt(own, 10) + 10}px`);
    await user.keyboard("{Shift>}{ArrowLeft}{ArrowLeft}{/Shift}");
    expect(headWidth("Data")).toBe("80px");
    expect(edge("Data").getAttribute("aria-valuenow")).toBe("80");
    expect(kept().widths).toEqual({ studyDate: 80 });
    await user.keyboard("{Delete}");
    expect(headWidth("Data")).toBe(own);
    expect(kept().widths).toEqual({});
  });

  test("and the description takes the remaining room until it gets its own width", async () => {
    const { user } = await showTable();
    expect(headWidth("Descrição")).toBe("");
    edge("Descrição").focus();
    await user.keyboard("{ArrowRight}");
    expect(headWidth("Descrição")).not.toBe("");
    expect(headWidth("Visualizador")).toBe("");
  });
});

test("a column that is dragged by its edge is kept once, where it is let go", async () => {
  await showTable();
  const own = Number.parseInt(headWidth("Data"), 10);
  const line = edge("Data");
  Object.assign(line, { setPointerCapture() {} });
  fireEvent.pointerDown(line, { button: 0, clientX: 100 });
  fireEvent.pointerMove(line, { clientX: 130 });
  expect(headWidth("Data")).toBe(`${own + 30}px`);
  expect(kept()).toBeNull();
  fireEvent.pointerUp(line, { clientX: 130 });
  expect(kept().widths).toEqual({ studyDate: own + 30 });
});

test("an invalid stored layout gives the default table", async () => {
  window.localStorage.setItem("study-columns", '{"order":"x"}');
  await showTable();
  expect(columnHeads().slice(0, 3)).toEqual(["Data", "Descrição", "Modalidade"]);
});
