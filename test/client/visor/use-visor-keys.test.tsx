import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import type { Visor } from "../../../src/client/visor/view/use-visor.ts";
import { type KeyActions, useVisorKeys } from "../../../src/client/visor/view/use-visor-keys.ts";
import { screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

/** A visor in a dialog, and another dialog over it. */
function Place({ asked }: { asked: string[] }) {
  const tell = (what: string) => () => void asked.push(what);
  const visor = {
    settings: { tool: "scroll" },
    presets: [],
    ownVois: [],
    crosshair: {},
    model: {},
    cine: {},
    reset: tell("reset"),
  };
  const does = { leave: tell("leave"), stepBack: tell("comparison closed"), closeSheet: undefined };
  useVisorKeys(visor as unknown as Visor, does as unknown as KeyActions);
  return (
    <>
      <div role="dialog" aria-label="exam">
        <div className="visor">
          <button type="button">own</button>
        </div>
      </div>
      <div role="dialog" aria-label="share">
        <button type="button">other</button>
      </div>
    </>
  );
}

test("keys that are pressed in a dialog over the visor do nothing in it", async () => {
  const user = userEvent.setup();
  const asked: string[] = [];
  await renderClient(<Place asked={asked} />);
  screen.getByText("other").focus();
  await user.keyboard("o{Escape}");
  expect(asked).toEqual([]);
  screen.getByText("own").focus();
  await user.keyboard("o{Escape}");
  expect(asked).toEqual(["reset", "comparison closed"]);
});
