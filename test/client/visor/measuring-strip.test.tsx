import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { MeasuringStrip } from "../../../src/client/visor/view/measuring-strip.tsx";
import type { Visor } from "../../../src/client/visor/view/use-visor.ts";
import { changeSettings, FIRST_SETTINGS, type Tool } from "../../../src/client/visor/view/view-settings.ts";
import { VisorMenu } from "../../../src/client/visor/view/visor-menu.tsx";
import { cleanup, screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

/** A visor of one slice, and what was asked of it. */
function visorWith({ tool, isInverted = false }: { tool: Tool; isInverted?: boolean }) {
  const asked: unknown[] = [];
  const visor = {
    settings: changeSettings(FIRST_SETTINGS, { tool, isInverted }),
    measures: [{ kind: "length", sliceKey: "1/0", points: [] }],
    slice: { key: "1/0", metadata: {} },
    change: (by: unknown) => asked.push(by),
    removeMeasure: () => asked.push("removed"),
  } as unknown as Visor;
  return { visor, asked };
}

test("a phone says how to use the tool that measures, removes the last measurement and ends the tool", async () => {
  const user = userEvent.setup();
  const { visor, asked } = visorWith({ tool: "length" });
  await renderClient(<MeasuringStrip visor={visor} />);
  expect(screen.getByText(/^Toque em dois pontos/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Apagar a última medida" }));
  await user.click(screen.getByRole("button", { name: "Concluir" }));
  expect(asked).toEqual(["removed", { tool: "scroll" }]);
  cleanup();
  await renderClient(<MeasuringStrip visor={visorWith({ tool: "scroll" }).visor} />);
  expect(screen.queryByRole("button")).toBeNull();
});

test("the menu shows which tool is on, and that the image is inverted", async () => {
  const { visor } = visorWith({ tool: "angle", isInverted: true });
  const nothing = () => undefined;
  const does = { onInformation: nothing, onSaveImage: nothing, onCompare: undefined, onClose: nothing };
  await renderClient(<VisorMenu visor={visor} {...does} />);
  const pressed = screen.getAllByRole("button", { pressed: true }).map(({ textContent }) => textContent);
  expect(pressed).toEqual(["Ângulo", "Inverter"]);
  expect(screen.getByRole("button", { name: "Medir" }).getAttribute("aria-pressed")).toBe("false");
  expect(screen.getByRole("button", { name: "Girar" }).hasAttribute("aria-pressed")).toBe(false);
});
