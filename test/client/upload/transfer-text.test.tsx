import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { TimeLeft } from "../../../src/client/features/upload/transfer-text.tsx";
import { Meter } from "../../../src/client/ui/meter.tsx";
import { withDom } from "../../support/client/dom.ts";
import { renderView } from "../../support/client/render-view.tsx";

withDom();

for (const [secondsLeft, text] of [
  [0, "faltam 0 s"],
  [1, "falta 1 s"],
  [59, "faltam 59 s"],
  [80, "falta 1 min 20 s"],
  [200, "faltam 3 min 20 s"],
] as const)
  test(`the time that an upload still takes agrees with its number: ${text}`, async () => {
    const transfer = { loadedBytes: 1, totalBytes: 2, bytesPerSecond: 1, secondsLeft };
    await renderView(<TimeLeft transfer={transfer} />);
    expect(document.body.textContent).toContain(text);
  });

for (const [used, text] of [
  [10, "restam 0"],
  [9, "resta 1"],
  [8, "restam 2"],
] as const)
  test(`what a plan still has agrees with its number: ${text}`, async () => {
    await renderView(<Meter label="Exames" used={used} limit={10} />);
    expect(document.body.textContent).toContain(text);
  });
