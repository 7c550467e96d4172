import { type Element, findElement } from "../../shared/dicom/reading/data-set.ts";
import type { ByteSource } from "../../shared/dicom/reading/instance.ts";
import type { ParseOptions } from "../../shared/dicom/reading/parse-file.ts";
import { Unreadable } from "../../shared/dicom/reading/unreadable.ts";
import { wordBytes } from "../../shared/dicom/reading/word-size.ts";
import { parseFile } from "./parse-file.ts";

/** Where a value is that the metadata names by a `BulkDataURI`. */
export interface BulkDataLocation {
  offset: number;
  length: number;
  /** Offsets count in the file with its data set inflated (`inflateInstance`). */
  deflated: boolean;
  /** Present if words of this many bytes must be swapped: bulk data are sent little-endian (PS3.18 §8.7.3.3). */
  swapWordBytes?: number;
}

/**
 * Finds the value at a tag path of the metadata (`00282000`, `00880200.1.7FE00010`). Undefined if there is no such
 * value, or for encapsulated pixel data of more than one fragment, whose places are in the frame table.
 */
export function locateBulkData(
  source: ByteSource,
  tagPath: string,
  options: ParseOptions = {},
): BulkDataLocation | undefined {
  if (!/^[0-9A-F]{8}(?:\.[1-9]\d{0,8}\.[0-9A-F]{8}){0,32}$/.test(tagPath)) return undefined;
  const { file } = openOrUndefined(source, options) ?? {};
  if (!file) return undefined;
  let dataSet = file.dataSet;
  const steps = tagPath.split(".");
  for (let i = 0; i + 2 < steps.length; i += 2) {
    const item = findElement(dataSet, tagOf(steps[i]))?.items?.[Number(steps[i + 1]) - 1];
    if (!item) return undefined;
    dataSet = item;
  }
  const element = findElement(dataSet, tagOf(steps.at(-1)));
  const range = element && valueRange(element);
  if (!element || !range) return undefined;
  const width = dataSet.encoding.littleEndian ? 1 : wordBytes(element.vr);
  const location = { offset: range[0], length: range[1], deflated: file.deflated };
  return width === 1 ? location : { ...location, swapWordBytes: width };
}

/**
 * The file in which offsets count if a frame table or bulk data say `deflated`: the file with its data set inflated.
 * Undefined if it cannot be inflated. For other files, the source itself.
 */
export function inflateInstance(source: ByteSource): ByteSource | undefined {
  return openOrUndefined(source)?.source;
}

function valueRange({ offset, length, items, fragments }: Element): [number, number] | undefined {
  if (items) return undefined;
  if (!fragments) return [offset, length];
  return fragments.length === 2 ? fragments[1] : undefined;
}

function openOrUndefined(source: ByteSource, options: ParseOptions = {}) {
  try {
    return parseFile(source, options);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

function tagOf(hex: string | undefined): number {
  return Number.parseInt(hex ?? "", 16);
}
