import type { DicomJson } from "../dicom/dicom-json.ts";
import { textOf } from "../dicom/json-values.ts";
import { TagHex } from "../dicom/tags.ts";
import { withoutBidiControls } from "../rules/without-bidi-controls.ts";
import type { Voi } from "./grey-table.ts";
import { itemOf, lowestValue, type PixelModule, tableOf, voiModule, windowsOf } from "./pixel-module.ts";

/** One of the ways in which an instance proposes to draw its grey values. */
export interface Proposal {
  /** As the instance calls it; empty if it does not. */
  name: string;
  voi: Voi;
}

/** As of an LO, in characters (PS3.5 §6.2). */
const MAX_NAME = 64;

/** More VOI LUTs than any instance has. */
const MAX_TABLES = 8;

/** Windows, then VOI LUTs, in the order of the instance (PS3.3 §C.11.2.1). A window that is there twice comes once. */
export function readProposals(metadata: DicomJson, frameIndex: number, pixels: PixelModule): Proposal[] {
  const voi = voiModule(metadata, frameIndex);
  const windows = new Map<string, Proposal>();
  for (const { name, ...window } of windowsOf(voi)) {
    const key = JSON.stringify(window);
    if (windows.has(key)) continue;
    windows.set(key, { name: shownName(name), voi: { kind: "window", window } });
  }
  const items = voi[TagHex.VOILUTSequence]?.Value?.slice(0, MAX_TABLES) ?? [];
  const tables = items.flatMap((_, place): Proposal[] => {
    const item = itemOf(voi[TagHex.VOILUTSequence], place);
    const table = tableOf(item, lowestValue(pixels));
    return table
      ? [{ name: shownName(textOf(item?.[TagHex.LUTExplanation]) ?? ""), voi: { kind: "table", table } }]
      : [];
  });
  return [...windows.values(), ...tables];
}

/** A name as it stands on a button; empty if nothing of it would be seen. */
function shownName(name: string): string {
  const characters = [...withoutBidiControls(name.slice(0, 2 * MAX_NAME)).trim()];
  const shown = characters.slice(0, MAX_NAME).join("");
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(shown) ? shown : "";
}
