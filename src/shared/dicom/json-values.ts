import { withoutBidiControls } from "../rules/without-bidi-controls.ts";
import type { DicomJsonElement } from "./dicom-json.ts";

/** One value of an element as a number; undefined if it has none that is finite. */
export function numberOf(element: DicomJsonElement | undefined, place = 0): number | undefined {
  const value = element?.Value?.[place];
  const number = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** The first value of an element as text, without spaces around it. */
export function textOf(element: DicomJsonElement | undefined): string | undefined {
  const value = element?.Value?.[0];
  return typeof value === "string" ? value.trim() : undefined;
}

/** The same of a text that is shown beside others. */
export function shownTextOf(element: DicomJsonElement | undefined): string | undefined {
  const text = textOf(element);
  return text && withoutBidiControls(text);
}
