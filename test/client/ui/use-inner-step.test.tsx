import "../../support/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { getDefaultStore, useAtom } from "jotai";
import { useState } from "react";
import { openAtom } from "../../../src/client/features/places/views.ts";
import { useInnerStep } from "../../../src/client/ui/use-inner-step.ts";
import { act, fireEvent, screen, withDom } from "../../support/dom.ts";
import { renderView } from "../../support/render-view.tsx";
import { travel, write } from "../../support/travel.ts";

withDom();

const store = getDefaultStore();
const viewerAtom = openAtom("images");

/** A viewer over a view, which can compare. */
function Viewer() {
  const [isComparing, setComparing] = useState(false);
  useInnerStep(isComparing, setComparing);
  return (
    <>
      <button type="button" onClick={() => setComparing(!isComparing)}>
        Compare
      </button>
      <p>viewer{isComparing && " compares"}</p>
    </>
  );
}

function View() {
  const [isOpen] = useAtom(viewerAtom);
  return isOpen ? <Viewer /> : <p>list</p>;
}

const shown = () => screen.getByText(/^(viewer|list)/).textContent;
const press = () => fireEvent.click(screen.getByRole("button", { name: "Compare" }));

const arrival = () =>
  new Promise<void>((resolve) => addEventListener("popstate", () => resolve(), { once: true }));

async function openViewer(): Promise<void> {
  await renderView(<View />);
  await write(() => store.set(viewerAtom, true));
}

describe("what opens within a place", () => {
  test("is closed by Back before the place, and opened again by Forward", async () => {
    await openViewer();
    await write(press);
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
    await write(press);
    await write(press);
    expect(shown()).toBe("viewer");
    await travel("back");
    expect(shown()).toBe("list");
  });

  test("stays open if it is closed and opened in one go", async () => {
    await openViewer();
    await write(press);
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
    await write(press);
    const left = arrival();
    await act(async () => {
      store.set(viewerAtom, false);
      await left;
    });
    expect(shown()).toBe("list");
    await travel("forward");
    expect(shown()).toBe("viewer");
  });
});
