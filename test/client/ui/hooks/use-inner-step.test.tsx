import "../../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { getDefaultStore, useAtom } from "jotai";
import { useState } from "react";
import { openAtom } from "../../../../src/client/features/places/views.ts";
import { closeInnerStep } from "../../../../src/client/ui/hooks/close-inner-step.ts";
import { useInnerStep } from "../../../../src/client/ui/hooks/use-inner-step.ts";
import { act, fireEvent, screen, withDom } from "../../../support/client/dom.ts";
import { renderView } from "../../../support/client/render-view.tsx";
import { travel, write } from "../../../support/client/travel.ts";

withDom();

const store = getDefaultStore();
const viewerAtom = openAtom("images");
const dialogAtom = openAtom("share");

/** A viewer over a view, which can compare, and has a menu over that. */
function Viewer() {
  const [isComparing, setComparing] = useState(false);
  const [hasMenu, setMenu] = useState(false);
  useInnerStep(hasMenu ? "menu" : isComparing ? "comparison" : undefined, (asked) => {
    if (asked !== "comparison") setMenu(asked === "menu");
    if (!hasMenu && asked !== "menu") setComparing(asked === "comparison");
  });
  const share = () =>
    closeInnerStep(
      () => setMenu(false),
      () => store.set(dialogAtom, true),
    );
  return (
    <>
      <button type="button" onClick={() => setComparing(!isComparing)}>
        Compare
      </button>
      <button type="button" onClick={() => setMenu(!hasMenu)}>
        Menu
      </button>
      <button type="button" onClick={share}>
        Share
      </button>
      <p>
        viewer{isComparing && " compares"}
        {hasMenu && " with menu"}
      </p>
    </>
  );
}

function View() {
  const [isOpen] = useAtom(viewerAtom);
  return isOpen ? <Viewer /> : <p>list</p>;
}

const shown = () => screen.getByText(/^(viewer|list)/).textContent;
const press = (name = "Compare") => fireEvent.click(screen.getByRole("button", { name }));

const arrival = () =>
  new Promise<void>((resolve) => addEventListener("popstate", () => resolve(), { once: true }));

async function openViewer(): Promise<void> {
  await renderView(<View />);
  await write(() => store.set(viewerAtom, true));
}

describe("what opens within a place", () => {
  test("is closed by Back before the place, and opened again by Forward", async () => {
    await openViewer();
    await write(() => press());
    expect(shown()).toBe("viewer compares");
    await travel("back");
    expect(shown()).toBe("viewer");
    await travel("forward");
    expect(shown()).toBe("viewer compares");
    await travel("back");
    await travel("back");
    expect(shown()).toBe("list");
  });

  test("leaves no step behind once it was closed by hand", async () => {
    await openViewer();
    await write(() => press());
    await write(() => press());
    expect(shown()).toBe("viewer");
    await travel("back");
    expect(shown()).toBe("list");
  });

  test("stays open if it is closed and opened in one go", async () => {
    await openViewer();
    await write(() => press());
    const left = arrival();
    press();
    expect(shown()).toBe("viewer");
    press();
    await act(() => left);
    expect(shown()).toBe("viewer compares");
    await travel("back");
    expect(shown()).toBe("viewer");
  });

  test("is left together with the place, in one step back", async () => {
    await openViewer();
    await write(() => press());
    const left = arrival();
    await act(async () => {
      store.set(viewerAtom, false);
      await left;
    });
    expect(shown()).toBe("list");
    await travel("forward");
    expect(shown()).toBe("viewer");
  });

  test("is closed by Back from the top, and what was below stays", async () => {
    await openViewer();
    await write(() => press());
    await write(() => press("Menu"));
    expect(shown()).toBe("viewer compares with menu");
    await travel("back");
    expect(shown()).toBe("viewer compares");
    await write(() => press("Menu"));
    await write(() => press("Menu"));
    expect(shown()).toBe("viewer compares");
    await travel("back");
    expect(shown()).toBe("viewer");
    await travel("forward");
    expect(shown()).toBe("viewer compares");
    await travel("back");
    await travel("back");
    expect(shown()).toBe("list");
  });

  test("leaves no step below the dialog that it leads to", async () => {
    await openViewer();
    await write(() => press("Menu"));
    await write(() => press("Share"));
    expect(store.get(dialogAtom)).toBe(true);
    await travel("back");
    expect(store.get(dialogAtom)).toBe(false);
    expect(shown()).toBe("viewer");
    await travel("back");
    expect(shown()).toBe("list");
  });
});
