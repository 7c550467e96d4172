import { TagHex } from "../../../../shared/dicom/tags.ts";
import { frameTransferSyntaxUID, isDeflatedDataSet } from "../../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { joinPieces, type Pieces } from "../../../archive/pieces.ts";
import type { BulkDataLocation } from "../../../dicom/bulk-data.ts";
import { streamOf } from "../../../http/stream-of.ts";
import type { Part } from "../answers/multipart-related.ts";
import type { DicomwebCatalogue } from "../dicomweb.catalogue.ts";
import { swappingReader } from "../frames/little-endian-frames.ts";
import { ForwardReader } from "./forward-reader.ts";
import type { NamedValues } from "./named-values.ts";
import { countPixelBytes } from "./pixel-bytes.ts";
import { isSwappable, swapWords } from "./swap-words.ts";

export const VALUE_TYPE = "application/octet-stream";
/** A longer value is streamed. */
const MAX_HELD_BYTES = 256 * 1024;

/** A value, or a frame, at its place in the file. */
interface Place extends Omit<Part, "body"> {
  ranges: readonly (readonly [offset: number, length: number])[];
  deflated: boolean;
  swapWordBytes?: number | undefined;
  /** How to read what is not read as it is stored. */
  open?: () => Promise<Uint8Array | Blob | ReadableStream<Uint8Array>>;
}

interface PlacedValue {
  offset: number;
  end: number;
  places: Iterable<Place>;
}

/**
 * The parts of an answer with the named values of one instance, in the order of its data set, each as its own address answers it.
 * Encapsulated pixel data are one part for each frame. What the instance does not have, or what can't be found in it, is left out.
 * The file is read forward once, as far as parts are asked for.
 */
export async function* valueParts(
  catalogue: DicomwebCatalogue,
  named: NamedValues,
  seriesUrl: string,
): AsyncGenerator<Part> {
  const values = await placeValues(
    catalogue,
    named,
    `${seriesUrl}/instances/${named.instance.sopInstanceUID}`,
  );
  values.sort((one, other) => one.offset - other.offset);
  const end = values.reduce((last, value) => Math.max(last, value.end), 0);
  await using reader = new ForwardReader(catalogue, named.instance, end);
  for (const { places } of values)
    for (const { ranges, deflated, swapWordBytes, open, ...head } of places)
      yield { ...head, body: await bodyOf(reader, { ranges, deflated, swapWordBytes, open }) };
}

type Read = Pick<Place, "ranges" | "deflated" | "swapWordBytes" | "open">;

async function bodyOf(reader: ForwardReader, place: Read): Promise<Part["body"]> {
  if (place.open) return await place.open();
  const length = place.ranges.reduce((sum, [, bytes]) => sum + bytes, 0);
  const pieces = piecesOfPlace(reader, place);
  if (length > MAX_HELD_BYTES) {
    const [[offset, firstLength] = [0, 0]] = place.ranges;
    await reader.open({ offset, length: firstLength, deflated: place.deflated });
    return streamOf(pieces);
  }
  // A value that ends early throws before it could be joined.
  return (await joinPieces(pieces, length)) ?? new Uint8Array();
}

function piecesOfPlace(reader: ForwardReader, { ranges, deflated, swapWordBytes }: Read): Pieces {
  const stored = piecesOfRanges(reader, ranges, deflated);
  return isSwappable(swapWordBytes) ? swapWords(stored, swapWordBytes) : stored;
}

async function* piecesOfRanges(
  reader: ForwardReader,
  ranges: Place["ranges"],
  deflated: boolean,
): AsyncGenerator<Uint8Array> {
  for (const [offset, length] of ranges) yield* reader.read({ offset, length, deflated });
}

/** Finds where the values are, with one search for all that the frame table does not tell. */
async function placeValues(
  catalogue: DicomwebCatalogue,
  { instance, tagPaths, pixelWords }: NamedValues,
  instanceUrl: string,
): Promise<PlacedValue[]> {
  const { frames } = instance;
  const addressOf = (tagPath: string) => `${instanceUrl}/bulkdata/${tagPath}`;
  const isPixelData = (tagPath: string) => tagPath === TagHex.PixelData && frames.kind !== "none";
  const pixelData = tagPaths.find(isPixelData);
  const counted =
    pixelData !== undefined && frames.kind === "native"
      ? await countPixelBytes(catalogue, instance, frames)
      : undefined;
  const isSearched = (tagPath: string) => !isPixelData(tagPath) || counted?.isAll === false;
  const searched = tagPaths.filter(isSearched);
  const locations = searched.length > 0 ? await catalogue.locate(instance, searched) : [];
  const values: PlacedValue[] = [];
  for (const [index, tagPath] of searched.entries()) {
    const location = locations[index];
    if (location && !isPixelData(tagPath)) values.push(placedValue(location, addressOf(tagPath)));
  }
  if (pixelData === undefined) return values;
  if (frames.kind === "encapsulated") return values.concat(placedFrames(instance, instanceUrl));
  if (frames.kind !== "native" || !counted) return values;
  const { offset, deflated = false } = frames;
  const length = locations[searched.indexOf(pixelData)]?.length ?? counted.length;
  const value = placedValue({ offset, length, deflated }, addressOf(pixelData));
  if (!pixelWords || pixelWords === 1) return values.concat(value);
  const open = () => swappingReader(catalogue, instance, pixelWords).read({ offset, length });
  return values.concat({ ...value, places: Array.from(value.places, (place) => ({ ...place, open })) });
}

function placedValue(
  { offset, length, deflated, swapWordBytes }: BulkDataLocation,
  location: string,
): PlacedValue {
  const place = {
    contentType: VALUE_TYPE,
    location,
    ranges: [[offset, length]] as const,
    deflated,
    swapWordBytes,
  };
  return { offset, end: offset + length, places: [place] };
}

/** The frames of encapsulated pixel data; none where a deflated data set, which can't have them, makes their places uncertain. */
function placedFrames(instance: ManifestInstance, instanceUrl: string): PlacedValue[] {
  const { frames, transferSyntaxUID } = instance;
  if (frames.kind !== "encapsulated") return [];
  if (isDeflatedDataSet(transferSyntaxUID)) return [];
  const [offset] = frames.frames[0]?.[0] ?? [0];
  const [last, length] = frames.frames.at(-1)?.at(-1) ?? [0, 0];
  return [{ offset, end: last + length, places: placesOfFrames(instance, frames.frames, instanceUrl) }];
}

function* placesOfFrames(
  { transferSyntaxUID }: ManifestInstance,
  frames: readonly Place["ranges"][],
  instanceUrl: string,
): Generator<Place> {
  const contentType = `${VALUE_TYPE}; transfer-syntax=${frameTransferSyntaxUID(transferSyntaxUID)}`;
  for (const [index, ranges] of frames.entries()) {
    // One frame is the value itself.
    const below = frames.length === 1 ? `bulkdata/${TagHex.PixelData}` : `frames/${index + 1}`;
    yield { contentType, location: `${instanceUrl}/${below}`, ranges, deflated: false };
  }
}
