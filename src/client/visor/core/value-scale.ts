import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import { numberOf, textOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { modalityValue } from "../../../shared/pixels/grey-table.ts";
import { functionalGroups, type PixelModule } from "../../../shared/pixels/pixel-module.ts";
import { isScout, type Slice } from "./stacks.ts";

/** What the values of an image are, besides numbers. */
export type ValueUnit = "hounsfield" | "gray" | "relativeDose";

/** How stored values of an image become those that a person is told. */
export interface ValueScale {
  of(stored: number): number;
  isPadding(stored: number): boolean;
  /** @param highest the highest stored value that is told: one that is drawn as a colour is in no unit of its grey neighbours */
  unit(highest: number): ValueUnit | undefined;
}

export function valueScale(
  slice: Pick<Slice, "metadata" | "frameIndex">,
  pixels: Pick<PixelModule, "rescale" | "modalityTable" | "supplement" | "padding">,
): ValueScale {
  const { from, to } = pixels.padding ?? { from: Number.NaN, to: Number.NaN };
  const isPadding = (stored: number) => stored >= from && stored <= to;
  const dose = doseOf(slice);
  if (dose) {
    return {
      of: (stored) => stored * dose.scaling,
      isPadding,
      unit: () => (dose.isGray ? "gray" : "relativeDose"),
    };
  }
  const [colours] = pixels.supplement ?? [];
  return {
    of: (stored) => modalityValue(pixels, stored),
    isPadding,
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

/** Images of a screen, of one or of several frames. */
const SECONDARY_CAPTURE = /^1\.2\.840\.10008\.5\.1\.4\.1\.1\.7(\.|$)/;

/**
 * Whether values are Hounsfield units: those of CT, unless the image declares others, such as effective atomic numbers (PS3.3
 * §C.11.1.1.2). A scout or a captured screen is not in them by itself, nor are values that nothing rescales (PS3.3 §C.8.2.1).
 */
function isHounsfield(slice: Pick<Slice, "metadata" | "frameIndex">): boolean {
  const { metadata, frameIndex } = slice;
  if (textOf(metadata[TagHex.Modality]) !== "CT") return false;
  const table = metadata[TagHex.ModalityLUTSequence]?.Value?.[0];
  if (table) return textOf((table as DicomJson)[TagHex.ModalityLUTType]) === "HU";
  const rescale = functionalGroups(metadata, frameIndex)(TagHex.PixelValueTransformationSequence) ?? metadata;
  const declared = textOf(rescale[TagHex.RescaleType]);
  if (declared) return declared === "HU";
  const isRescaled = [TagHex.RescaleIntercept, TagHex.RescaleSlope].some(
    (tag) => numberOf(rescale[tag]) !== undefined,
  );
  return isRescaled && !isScout(slice) && !SECONDARY_CAPTURE.test(textOf(metadata[TagHex.SOPClassUID]) ?? "");
}
