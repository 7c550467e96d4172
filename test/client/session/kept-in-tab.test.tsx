import "../../support/client/dom-globals.ts";
import { beforeEach, describe, expect, test } from "bun:test";
import {
  eraseKeptInTab,
  keepInTab,
  readKeptInTab,
} from "../../../src/client/features/session/kept-in-tab.ts";
import { useKeptFields } from "../../../src/client/features/session/use-kept-form.ts";
import { endSession } from "../../../src/client/session.ts";
import { act, cleanup, drawn, screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderView } from "../../support/client/render-view.tsx";

withDom();
beforeEach(() => eraseKeptInTab());

describe("what a tab keeps", () => {
  test("is never given to another person, and is erased by them", () => {
    keepInTab("ana", "note", "minha");
    expect(readKeptInTab("ana", "note")).toBe("minha");
    expect(readKeptInTab("bia", "note")).toBeUndefined();
    expect(readKeptInTab("ana", "note")).toBeUndefined();
    expect(JSON.stringify({ ...sessionStorage })).not.toContain("minha");
  });

  test("is bounded in number and in length", () => {
    for (let n = 0; n < 12; n++) keepInTab("ana", `note ${n}`, n);
    const kept = Array.from({ length: 12 }, (_, n) => readKeptInTab("ana", `note ${n}`));
    expect(kept).toEqual([undefined, undefined, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    keepInTab("ana", "long", "x".repeat(40_000));
    expect(readKeptInTab("ana", "long")).toBeUndefined();
  });
});

function Note() {
  const [{ text }, change] = useKeptFields("note", { text: "" });
  return <input aria-label="Nota" value={text} onChange={({ target }) => change({ text: target.value })} />;
}

const typed = () => screen.getByLabelText<HTMLInputElement>("Nota").value;

describe("what is typed in a form", () => {
  const type = async () => {
    await renderView(<Note />);
    await userEvent.setup().type(screen.getByLabelText("Nota"), "meia frase");
  };

  test("is there again for the same person after the session expired, and for nobody else", async () => {
    await type();
    await act(async () => endSession("expired"));
    cleanup();
    await drawn();
    await renderView(<Note />);
    expect(typed()).toBe("meia frase");
    await act(async () => endSession("expired"));
    cleanup();
    await drawn();
    await renderView(<Note />, { user: { id: "01900000-0000-7000-8000-000000000002" } });
    expect(typed()).toBe("");
  });

  test("is not kept once the form was left", async () => {
    await type();
    cleanup();
    await drawn();
    await renderView(<Note />);
    expect(typed()).toBe("");
  });
});
