import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { presetsFor } from "../../../src/client/visor/core/windows.ts";
import type { Visor } from "../../../src/client/visor/view/use-visor.ts";
import { useVisorKeys } from "../../../src/client/visor/view/use-visor-keys.ts";
import {
  FIRST_SETTINGS,
  type SettingsChange,
  type ViewSettings,
} from "../../../src/client/visor/view/view-settings.ts";
import { WindowChips } from "../../../src/client/visor/view/window-chips.tsx";
import { screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

const ownVois: Visor["ownVois"] = [
  { proposal: 1, kind: "window", number: 2, name: "HARDER" },
  { proposal: 2, kind: "window", number: 3, name: "" },
  { proposal: 3, kind: "table", number: 1, name: "" },
];

function visorOf(settings: Partial<ViewSettings>, changes: SettingsChange[] = []): Visor {
  const presets = presetsFor("CT", "crânio").slice(0, 2);
  const window = settings.window ?? { center: 2_000, width: 800 };
  const change = (by: SettingsChange) => void changes.push(by);
  const known = { presets, ownVois, window, change, crosshair: {}, model: {}, cine: {} };
  return { ...known, settings: { ...FIRST_SETTINGS, ...settings } } as unknown as Visor;
}

function Keys({ visor }: { visor: Visor }) {
  useVisorKeys(visor, {} as Parameters<typeof useVisorKeys>[1]);
  return null;
}

test("what else the instance proposes is offered behind the presets, by name or number", async () => {
  const changes: SettingsChange[] = [];
  await renderClient(<WindowChips visor={visorOf({}, changes)} hasKeys />);
  expect(screen.getAllByRole("button").map(({ textContent }) => textContent)).toEqual([
    "Auto0",
    "Cérebro1",
    "Osso2",
    "HARDER3",
    "Janela 34",
    "Curva 15",
  ]);
  await userEvent.click(screen.getByText("Curva 1"));
  await userEvent.click(screen.getByText("Auto"));
  expect(changes).toEqual([
    { window: undefined, proposal: 3 },
    { window: undefined, proposal: undefined },
  ]);
});

test.each<[string, Partial<ViewSettings>, string[]]>([
  ["pressed", { proposal: 1 }, ["HARDER"]],
  ["not pressed once the window is moved", { proposal: 1, window: { center: 1, width: 2 } }, []],
])("the one that is seen is %s", async (_, settings, pressed) => {
  await renderClient(<WindowChips visor={visorOf(settings)} hasKeys />);
  expect(screen.queryAllByRole("button", { pressed: true }).map(({ title }) => title)).toEqual(pressed);
});

test("an image that lacks what was chosen is seen as by itself", async () => {
  await renderClient(<WindowChips visor={visorOf({ proposal: 9 })} hasKeys={false} />);
  const pressed = screen.queryAllByRole("button", { pressed: true });
  expect(pressed.map(({ textContent }) => textContent)).toEqual(["Auto"]);
});

test("keys behind those of the presets choose them", async () => {
  const changes: SettingsChange[] = [];
  await renderClient(<Keys visor={visorOf({}, changes)} />);
  await userEvent.keyboard("2350");
  expect(changes).toEqual([
    { window: { center: 500, width: 2_000 } },
    { window: undefined, proposal: 1 },
    { window: undefined, proposal: 3 },
    { window: undefined, proposal: undefined },
  ]);
});
