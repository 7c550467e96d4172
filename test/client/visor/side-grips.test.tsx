import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { SideGrips, useSideWidths } from "../../../src/client/visor/view/side-grips.tsx";
import { cleanup, fireEvent, screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

function Sides() {
  const widths = useSideWidths();
  return (
    <div style={widths.style} data-testid="root">
      <SideGrips widths={widths} hasLaudo />
    </div>
  );
}

const widths = () =>
  ["--visor-column", "--visor-laudo"].map((name) => screen.getByTestId("root").style.getPropertyValue(name));
const grip = (name: string) => screen.getByRole("separator", { name });

test("the edges beside the film move by keys within their bounds, are kept, and go back by a double click", async () => {
  const user = userEvent.setup();
  const arrows: string[] = [];
  document.addEventListener("keydown", ({ key, defaultPrevented }) => !defaultPrevented && arrows.push(key));
  await renderClient(<Sides />);
  expect(widths()).toEqual(["176px", "400px"]);
  grip("Largura da coluna").focus();
  await user.keyboard("{ArrowRight}{ArrowRight}");
  grip("Largura do laudo").focus();
  await user.keyboard("{ArrowLeft}");
  expect(widths()).toEqual(["208px", "416px"]);
  // They scroll no images.
  expect(arrows).toEqual([]);
  await user.keyboard("{End}{ArrowLeft}");
  expect(grip("Largura do laudo").getAttribute("aria-valuenow")).toBe("560");
  // Nor does the page.
  expect(fireEvent.keyDown(grip("Largura do laudo"), { key: "End" })).toBe(false);
  await user.keyboard("{Home}{ArrowLeft}");
  expect(widths()).toEqual(["208px", "336px"]);
  await user.keyboard("{End}");
  cleanup();
  await renderClient(<Sides />);
  expect(widths()).toEqual(["208px", "560px"]);
  fireEvent.doubleClick(grip("Largura da coluna"));
  fireEvent.doubleClick(grip("Largura do laudo"));
  expect(widths()).toEqual(["176px", "400px"]);
});

test("an edge that is dragged is kept once, where it is let go; a press alone keeps nothing", async () => {
  await renderClient(<Sides />);
  const edge = grip("Largura do laudo");
  Object.assign(edge, { setPointerCapture() {} });
  const kept = () => localStorage.getItem("visorLaudo");
  fireEvent.pointerDown(edge, { button: 0, clientX: 900 });
  fireEvent.pointerUp(edge, { clientX: 900 });
  fireEvent.pointerDown(edge, { button: 0, clientX: 900 });
  for (const clientX of [890, 860, 850]) fireEvent.pointerMove(edge, { clientX });
  expect(widths()).toEqual(["176px", "450px"]);
  expect(kept()).toBeNull();
  fireEvent.pointerUp(edge, { clientX: 850 });
  fireEvent.pointerMove(edge, { clientX: 700 });
  expect(kept()).toBe("450");
  expect(widths()).toEqual(["176px", "450px"]);
});

test("a width that was kept out of bounds is taken within them", async () => {
  localStorage.setItem("visorColumn", "9000");
  localStorage.setItem("visorLaudo", "wide");
  await renderClient(<Sides />);
  expect(widths()).toEqual(["320px", "400px"]);
  cleanup();
  localStorage.setItem("visorColumn", "-5");
  await renderClient(<Sides />);
  expect(widths()).toEqual(["120px", "400px"]);
  localStorage.clear();
});
