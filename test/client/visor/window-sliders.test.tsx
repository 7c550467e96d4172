import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { i18n } from "@lingui/core";
import type { Visor } from "../../../src/client/visor/view/use-visor.ts";
import { FIRST_SETTINGS } from "../../../src/client/visor/view/view-settings.ts";
import { VisorMenu } from "../../../src/client/visor/view/visor-menu.tsx";
import { windowText } from "../../../src/client/visor/view/visor-texts.ts";
import type { Window } from "../../../src/shared/pixels/pixel-module.ts";
import { withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

const HOUNSFIELD = { lowest: -1024, highest: 3000.5 };
/** A map of diffusion, in mm²/s. */
const DIFFUSION = { lowest: 0, highest: 0.003 };

test.each<[string, Window, NonNullable<Visor["limits"]>, string[], string]>([
  [
    "whole numbers of Hounsfield units",
    { center: 40.25, width: 400 },
    HOUNSFIELD,
    ["-1024 to 3001 by 1: 40", "1 to 4025 by 1: 400"],
    "C 40,3 L 400",
  ],
  [
    "the image's own small values",
    { center: 0.0015, width: 0.003, shape: "linearExact" },
    DIFFUSION,
    ["0 to 0.003 by 0.000001: 0,0015", "0.000001 to 0.003 by 0.000001: 0,003"],
    "C 0,0015 L 0,003",
  ],
])("the window is set and told in %s", async (_, window, limits, sliders, told) => {
  const visor = { limits, settings: { ...FIRST_SETTINGS, window } } as unknown as Visor;
  const nothing = () => undefined;
  await renderClient(
    <VisorMenu
      visor={visor}
      onInformation={nothing}
      onSaveImage={undefined}
      onCompare={undefined}
      onClose={nothing}
    />,
  );
  const drawn = [...document.querySelectorAll(".visor-window-slider")].map((label) => {
    const { min = "", max = "", step = "" } = label.querySelector("input") ?? {};
    const decimal = (text: string) =>
      Number(text || 1)
        .toFixed(6)
        .replace(/\.?0+$/, "");
    return `${decimal(min)} to ${decimal(max)} by ${decimal(step)}: ${label.lastChild?.textContent}`;
  });
  expect(drawn).toEqual(sliders);
  expect(windowText(i18n, window)).toBe(told);
});
