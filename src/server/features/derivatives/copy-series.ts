import { type FrameTable, frameCountOf } from "../../../shared/dicom/reading/frame-table.ts";
import type { ManifestInstance, SeriesManifest } from "../../archive/manifest.ts";
import { openMetadataJson } from "../../archive/metadata-json.ts";
import { joinPieces, type Pieces, piecesOf } from "../../archive/pieces.ts";
import type { Deps } from "../../deps.ts";
import {
  type DerivativeIndex,
  type DerivedFrame,
  type DerivedInstance,
  MAX_DERIVED_FRAMES,
} from "../../holdings/derivatives/derivative-index.ts";
import type { DerivativeWriter } from "../../holdings/derivatives/store-derivative.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import { readFrame } from "../dicomweb/frames/frame-bytes.ts";
import { firstPixelByte, isDeflated, openHeader } from "../dicomweb/frames/open-header.ts";
import { extentOf, MAX_FRAME_BYTES, MAX_HEADER_BYTES } from "../thumbnails/read-picture-input.ts";
import { COPIED_SYNTAXES } from "./copied-syntaxes.ts";
import { findSyntaxEnds } from "./metadata-offsets.ts";
import type { SampleFormat, SentBytes } from "./worker/encode-messages.ts";
import type { NotEncoded } from "./worker/frame-encoder.ts";

export type CopyDeps = Pick<Deps, "series" | "scratch" | "encoder" | "log">;

/** A smaller series is on the screen soon enough as it is. */
const MIN_SERIES_BYTES = 1024 * 1024;
/** Each frame of such an instance is inflated from the beginning of the file. */
const MAX_DEFLATED_FRAMES = 16;
/** A header or frame up to this size is sent to the encoder; a larger one is passed in a file. */
const MAX_SENT_BYTES = 4 * 1024 * 1024;
/** A series on which so many processes were lost is left alone. */
const MAX_LOST = 3;

/** The instances of a series that may have a copy; none if it is not worth it. */
export function instancesToCopy({ instances }: SeriesManifest): ManifestInstance[] {
  const images = instances.filter(isCopied);
  const frames = images.reduce((sum, { frames }) => sum + frameCountOf(frames), 0);
  const isLarge = images.reduce((sum, { frames }) => sum + pixelBytesOf(frames), 0) > MIN_SERIES_BYTES;
  return isLarge && frames <= MAX_DERIVED_FRAMES ? images : [];
}

function isCopied({ frames, transferSyntaxUID }: ManifestInstance): boolean {
  if (frames.kind === "none" || !COPIED_SYNTAXES.has(transferSyntaxUID)) return false;
  if (frames.kind === "native" && frames.frameBits !== undefined) return false;
  return !isDeflated(frames) || frames.frameCount <= MAX_DEFLATED_FRAMES;
}

function pixelBytesOf(frames: FrameTable): number {
  if (frames.kind === "none") return 0;
  if (frames.kind === "native") return frames.frameBytes * frames.frameCount;
  return frames.frames.flat().reduce((sum, [, length]) => sum + length, 0);
}

/**
 * Writes the copies of `images`, each instance whole or not at all; `undefined` if there are none.
 * @throws what reading the series throws
 */
export async function copySeries(
  deps: CopyDeps,
  { object, images }: { object: StoredObjectRow; images: ManifestInstance[] },
  writer: DerivativeWriter,
  signal: AbortSignal,
): Promise<DerivativeIndex | undefined> {
  const { instances: all } = await deps.series.manifest(object);
  const instances: DerivedInstance[] = [];
  let lost = 0;
  for (const instance of images) {
    const start = writer.sizeBytes;
    const frames = await copyInstance(deps, instance, writer, signal);
    if (Array.isArray(frames)) {
      instances.push({ sopInstanceUID: instance.sopInstanceUID, frames });
      continue;
    }
    await writer.cutTo(start);
    const { transferSyntaxUID } = instance;
    deps.log.info("derivative.none", { reason: frames.reason, transferSyntaxUID });
    if (frames.isLost && ++lost >= MAX_LOST) return undefined;
  }
  if (instances.length === 0) return undefined;
  const metadata = await deps.series.metadata(object);
  const ends = await findSyntaxEnds(await openMetadataJson(metadata), all.length);
  const endOf = new Map(all.map(({ sopInstanceUID }, place) => [sopInstanceUID, ends[place]]));
  return {
    instances: instances.map((instance) => {
      const metadataOffset = endOf.get(instance.sopInstanceUID);
      return { ...instance, ...(metadataOffset !== undefined && { metadataOffset }) };
    }),
  };
}

async function copyInstance(
  deps: CopyDeps,
  instance: ManifestInstance,
  writer: DerivativeWriter,
  signal: AbortSignal,
): Promise<DerivedFrame[] | NotEncoded> {
  const format = await describe(deps, instance, signal);
  if ("reason" in format) return format;
  const { transferSyntaxUID } = instance;
  const copied: DerivedFrame[] = [];
  let storedBytes = 0;
  for (let frameIndex = 0; frameIndex < frameCountOf(instance.frames); frameIndex++) {
    signal.throwIfAborted();
    const { frameBytes } = extentOf(instance.frames, frameIndex);
    if (frameBytes > MAX_FRAME_BYTES) return TOO_LARGE;
    const frame = piecesOf(await readFrame(deps.series, instance, frameIndex));
    await using sent = await send(deps, frame, frameBytes);
    const proven = await deps.encoder.encode({ frame: sent.bytes, format, transferSyntaxUID }, signal);
    if ("reason" in proven) return proven;
    copied.push(await writer.append(proven.codeStream, proven.prefixLengths));
    storedBytes += frameBytes;
  }
  const copiedBytes = copied.reduce((sum, { length }) => sum + length, 0);
  return copiedBytes < storedBytes ? copied : NOT_SMALLER;
}

/** Nobody would gain from more bytes on the line. */
const NOT_SMALLER: NotEncoded = { reason: "not smaller", isLost: false };
const TOO_LARGE: NotEncoded = { reason: "too large", isLost: false };

async function describe(
  deps: CopyDeps,
  instance: ManifestInstance,
  signal: AbortSignal,
): Promise<SampleFormat | NotEncoded> {
  const { frames } = instance;
  if (frames.kind === "none") return { reason: "no pixels", isLost: false };
  const headerBytes = firstPixelByte(frames);
  if (headerBytes > MAX_HEADER_BYTES) return TOO_LARGE;
  await using header = await send(deps, await openHeader(deps.series, instance), headerBytes);
  return await deps.encoder.describe(header.bytes, signal);
}

/** Bytes for the encoder. Disposal removes their file. */
async function send(
  { scratch }: Pick<Deps, "scratch">,
  pieces: Pieces,
  length: number,
): Promise<AsyncDisposable & { bytes: SentBytes }> {
  if (length <= MAX_SENT_BYTES) {
    const bytes = await joinPieces(pieces, length);
    if (!bytes) throw new RangeError("not as many bytes as the index says");
    return { bytes, async [Symbol.asyncDispose]() {} };
  }
  const file = await scratch.spool(pieces, length);
  if (!file) throw new RangeError("more bytes than the index says");
  return { bytes: { path: file.path }, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() };
}
