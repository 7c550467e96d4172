import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { act } from "react";
import type { Gesture } from "../../../src/client/visor/core/gestures.ts";
import { useFilmGestures } from "../../../src/client/visor/view/use-film-gestures.ts";
import type { ShownPicture } from "../../../src/client/visor/view/use-picture.ts";
import type { Visor } from "../../../src/client/visor/view/use-visor.ts";
import {
  changeSettings,
  FIRST_SETTINGS,
  type SettingsChange,
  type ViewSettings,
} from "../../../src/client/visor/view/view-settings.ts";
import { VisorMenu } from "../../../src/client/visor/view/visor-menu.tsx";
import { withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

const limits = { lowest: 0, highest: 4_096 };
/** An image that is seen through a table of its own. */
const shown = {
  slice: { key: "1/0" },
  pixels: { rescale: { slope: 1, intercept: 0 } },
  picture: { frame: { kind: "grey", first: 0, step: 1, levels: 4_096, lowest: 0, highest: 4_095 } },
  window: undefined,
} as unknown as ShownPicture;

interface Dragged {
  settings: ViewSettings;
  drag(gesture: Gesture): void;
}

function Film({ dragged }: { dragged: Dragged }) {
  const change = (by: SettingsChange) => {
    dragged.settings = changeSettings(dragged.settings, by);
  };
  const options = { settings: dragged.settings, change, shown, limits };
  const { onGesture } = useFilmGestures(options as unknown as Parameters<typeof useFilmGestures>[0]);
  dragged.drag = onGesture;
  return null;
}

test("a drag leads from a table of the instance to a window, from that of the whole range", async () => {
  const dragged: Dragged = { settings: { ...FIRST_SETTINGS, proposal: 1 }, drag: () => undefined };
  await renderClient(<Film dragged={dragged} />);
  act(() => dragged.drag({ type: "window", x: -100, y: 0 }));
  expect(dragged.settings.window?.center).toBe(2_048);
  expect(dragged.settings.window?.width).toBeWithin(3_000, 4_000);
});

test("a table of the instance has sliders, which stand at the whole range", async () => {
  const visor = { limits, shown, settings: { ...FIRST_SETTINGS, proposal: 1 } } as unknown as Visor;
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
  const values = [...document.querySelectorAll<HTMLInputElement>(".visor-window-slider input")];
  expect(values.map(({ value }) => value)).toEqual(["2048", "4096"]);
});
