import type { DataSet, Element } from "../../shared/dicom/reading/data-set.ts";
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

/** What is sought in a data set: its elements by tag, and in a sequence the items by number. */
type Sought = Map<number, SoughtElement>;

interface SoughtElement {
  /** The places of the paths that end here. */
  places: number[];
  items: Map<number, Sought>;
}

/**
 * Finds the values at tag paths of the metadata (`00282000`, `00880200.1.7FE00010`) in one pass over the elements. The answer has the
 * order of the paths. It is undefined for a path without a value, and for encapsulated pixel data of several fragments: the frame table
 * has their places.
 */
export function locateBulkData(
  source: ByteSource,
  tagPaths: readonly string[],
  options: ParseOptions = {},
): (BulkDataLocation | undefined)[] {
  const found: (BulkDataLocation | undefined)[] = Array.from(tagPaths, () => undefined);
  const { file } = openOrUndefined(source, options) ?? {};
  if (!file) return found;
  const search = ({ elements, encoding }: DataSet, sought: Sought) => {
    const left = new Map(sought);
    for (const element of elements) {
      const wanted = left.get(element.tag);
      if (!wanted) continue;
      // Of elements with one tag, the first one counts.
      left.delete(element.tag);
      for (const [number, below] of wanted.items) {
        const item = element.items?.[number - 1];
        if (item) search(item, below);
      }
      const location = locationOf(element, encoding.littleEndian, file.deflated);
      for (const place of wanted.places) found[place] = location;
      if (left.size === 0) return;
    }
  };
  search(file.dataSet, soughtAt(tagPaths));
  return found;
}

function soughtAt(tagPaths: readonly string[]): Sought {
  const all: Sought = new Map();
  for (const [place, tagPath] of tagPaths.entries()) {
    if (!/^[0-9A-F]{8}(?:\.[1-9]\d{0,8}\.[0-9A-F]{8}){0,32}$/.test(tagPath)) continue;
    const steps = tagPath.split(".");
    let level = all;
    for (let i = 0; i + 2 < steps.length; i += 2) {
      const { items } = soughtIn(level, steps[i]);
      const number = Number(steps[i + 1]);
      level = items.get(number) ?? new Map();
      items.set(number, level);
    }
    soughtIn(level, steps.at(-1)).places.push(place);
  }
  return all;
}

function soughtIn(level: Sought, hex: string | undefined): SoughtElement {
  const tag = tagOf(hex);
  const element = level.get(tag) ?? { places: [], items: new Map() };
  level.set(tag, element);
  return element;
}

function locationOf(
  element: Element,
  littleEndian: boolean,
  deflated: boolean,
): BulkDataLocation | undefined {
  const range = valueRange(element);
  if (!range) return undefined;
  const width = littleEndian ? 1 : wordBytes(element.vr);
  const location = { offset: range[0], length: range[1], deflated };
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
