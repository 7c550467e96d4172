import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import { textOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import type { Window } from "../../../shared/pixels/pixel-module.ts";
import type { Side } from "../core/orientation.ts";
import type { Stack } from "../core/stacks.ts";
import type { OwnVoi, PresetName } from "../core/windows.ts";

export const presetNames: Record<PresetName, MessageDescriptor> = {
  brain: msg({ id: "visor.preset.brain", message: "Brain" }),
  bone: msg({ id: "visor.preset.bone", message: "Bone" }),
  lung: msg({ id: "visor.preset.lung", message: "Lung" }),
  mediastinum: msg({ id: "visor.preset.mediastinum", message: "Mediastinum" }),
  abdomen: msg({ id: "visor.preset.abdomen", message: "Abdomen" }),
};

/** As the instance calls it, else by its number. */
export function ownVoiName(i18n: I18n, { kind, name, number }: OwnVoi): string {
  if (name !== "") return name;
  return kind === "window"
    ? i18n._(msg({ id: "visor.own.window", message: `Window ${number}` }))
    : i18n._(msg({ id: "visor.own.table", message: `Curve ${number}` }));
}

export const sideLetters: Record<Side, MessageDescriptor> = {
  R: msg({ id: "visor.side.right", message: "R" }),
  L: msg({ id: "visor.side.left", message: "L" }),
  A: msg({ id: "visor.side.anterior", message: "A" }),
  P: msg({ id: "visor.side.posterior", message: "P" }),
  S: msg({ id: "visor.side.superior", message: "S" }),
  I: msg({ id: "visor.side.inferior", message: "I" }),
};

/** Digits behind the point that numbers of this size need. */
export function fractionDigits(size: number): number {
  return Math.min(9, Math.max(1, 1 - Math.floor(Math.log10(size))));
}

export function windowText(i18n: I18n, { center, width }: Window): string {
  const maximumFractionDigits = fractionDigits(width);
  const [c, w] = [center, width].map((value) =>
    i18n.number(value, { maximumFractionDigits, useGrouping: false }),
  );
  return i18n._(msg({ id: "visor.window", message: `C ${c} W ${w}` }));
}

/** More steps of compression than any image went through. */
const MAX_RATIOS = 4;

/** That the image lost detail in compression, with the ratio of each step; undefined if it says of none (PS3.3 §C.7.6.1.1.5). */
export function lossText(i18n: I18n, metadata: DicomJson): string | undefined {
  if (textOf(metadata[TagHex.LossyImageCompression]) !== "01") return undefined;
  const written = metadata[TagHex.LossyImageCompressionRatio]?.Value?.slice(0, MAX_RATIOS) ?? [];
  const ratios = written
    .filter((ratio) => typeof ratio === "number")
    .map((ratio) => `${i18n.number(ratio, { maximumFractionDigits: 1 })}:1`)
    .join(", ");
  if (ratios === "") return i18n._(msg({ id: "visor.info.losses", message: "with losses" }));
  return i18n._(msg({ id: "visor.info.lossesOf", message: `with losses (${ratios})` }));
}

export function stackName(i18n: I18n, { series, bValue }: Pick<Stack, "series" | "bValue">): string {
  const number = series.seriesNumber ?? "";
  const name = series.description || i18n._(msg({ id: "visor.series", message: `Series ${number}` }));
  return bValue === undefined ? name : `${name} · b ${i18n.number(bValue, { useGrouping: false })}`;
}
