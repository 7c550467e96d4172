import { numberOf, textOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { modalityValue } from "../../../shared/pixels/grey-table.ts";
import { functionalGroups, type PixelModule } from "../../../shared/pixels/pixel-module.ts";
import type { Slice } from "./stacks.ts";

/** What the values of an image are, besides numbers. */
export type ValueUnit = "hounsfield" | "gray" | "relativeDose";

/** How stored values of an image become those that a person is told. */
export interface ValueScale {
  of(stored: number): number;
  /** @param highest the highest stored value that is told: one that is drawn as a colour is in no unit of its grey neighbours */
  unit(highest: number): ValueUnit | undefined;
}

export function valueScale(
  slice: Pick<Slice, "metadata" | "frameIndex">,
  pixels: Pick<PixelModule, "rescale" | "modalityTable" | "supplement">,
): ValueScale {
  const dose = doseOf(slice);
  if (dose) {
    return {
      of: (stored) => stored * dose.scaling,
      unit: () => (dose.isGray ? "gray" : "relativeDose"),
    };
  }
  const [colours] = pixels.supplement ?? [];
  return {
    of: (stored) => modalityValue(pixels, stored),
    unit: (highest) =>
      isHounsfield(slice) && (!colours || highest < colours.first) ? "hounsfield" : undefined,
  };
}

/**
 * How the values of an RT Dose become a dose (PS3.3 §C.8.8.3): `value × scaling`, in gray or relative to a reference value. Undefined for
 * other images, and where one of the two is not declared.
 */
function doseOf({ metadata }: Pick<Slice, "metadata">): { scaling: number; isGray: boolean } | undefined {
  const scaling = numberOf(metadata[TagHex.DoseGridScaling]);
  const units = textOf(metadata[TagHex.DoseUnits]);
  if (textOf(metadata[TagHex.Modality]) !== "RTDOSE" || !scaling || scaling < 0) return undefined;
  return units === "GY" || units === "RELATIVE" ? { scaling, isGray: units === "GY" } : undefined;
}

/** Whether values are Hounsfield units: those of CT, unless the image declares others, such as effective atomic numbers (PS3.3 §C.11.1.1.2). */
function isHounsfield({ metadata, frameIndex }: Pick<Slice, "metadata" | "frameIndex">): boolean {
  const transformed = functionalGroups(metadata, frameIndex)(TagHex.PixelValueTransformationSequence);
  const declared = textOf((transformed ?? metadata)[TagHex.RescaleType]) || "HU";
  return textOf(metadata[TagHex.Modality]) === "CT" && declared === "HU";
}
