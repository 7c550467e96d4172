import { locateFrame, shiftPieces } from "../../../../shared/dicom/reading/cut-frame.ts";
import type { DicomJson } from "../../../../shared/dicom/reading/instance.ts";
import { TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import { pixelWordBytes } from "../../../../shared/pixels/decode-native.ts";
import { readPixelModule } from "../../../../shared/pixels/pixel-module.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { giveUp, piecesOf } from "../../../archive/pieces.ts";
import { AppError } from "../../../http/app-error.ts";
import { notFound } from "../../../http/http.errors.ts";
import { streamOf } from "../../../http/stream-of.ts";
import type { ByteRange } from "../../../storage/object-store.ts";
import { isSwappable, readSwapped, type WordBytes } from "../bulk-data/swap-words.ts";
import type { Bytes, InstanceBytes, StoredMetadata } from "../dicomweb.catalogue.ts";
import { readInstanceMetadata } from "../metadata/read-instance-metadata.ts";
import { readRange } from "./frame-bytes.ts";

/** An image has some 5 kB of metadata; those of one that says far more are not parsed. */
const MAX_METADATA_BYTES = 512 * 1024;

/** The native pixel data of one big-endian instance as little-endian, read in pieces whatever their size. */
export interface LittleEndianReader {
  /** @throws {AppError} 404 if there is no such frame */
  frame(frameIndex: number): Promise<Bytes>;
  /** A range of the instance's file, within the pixel data. */
  read(range: ByteRange): Promise<Bytes>;
}

/** Whether an instance has native pixel data in big-endian words. */
export function isBigEndianNative({ frames, transferSyntaxUID }: ManifestInstance): boolean {
  return transferSyntaxUID === TransferSyntax.explicitBigEndian && frames.kind === "native";
}

/**
 * Opens the native pixel data of a big-endian instance as little-endian. Returns undefined for any other instance, and if the metadata
 * do not say how long a word is.
 */
export async function openLittleEndian(
  reader: InstanceBytes,
  instance: ManifestInstance,
  findMetadata: () => Promise<StoredMetadata | undefined>,
): Promise<LittleEndianReader | undefined> {
  if (!isBigEndianNative(instance)) return undefined;
  const stored = await findMetadata();
  const metadata =
    stored && (await readInstanceMetadata(stored, instance.sopInstanceUID, MAX_METADATA_BYTES));
  const wordBytes = metadata && pixelWordsOf(metadata);
  return wordBytes && swappingReader(reader, instance, wordBytes);
}

/** The bytes of one word of native pixel data; undefined if the metadata do not say it. */
export function pixelWordsOf(metadata: DicomJson): 1 | WordBytes | undefined {
  const wordBytes = pixelWordBytes(readPixelModule(metadata, 0));
  return wordBytes === 1 || isSwappable(wordBytes) ? wordBytes : undefined;
}

/**
 * Reads native big-endian pixel data with the bytes of each word reversed. A word is one sample; in OW it has 16 bits at least, so two
 * samples of 8 bits change places (PS3.5 §8.1.1, §A.3).
 */
export function swappingReader(
  reader: InstanceBytes,
  instance: ManifestInstance,
  wordBytes: 1 | WordBytes,
): LittleEndianReader {
  const { frames, sizeBytes } = instance;
  if (frames.kind !== "native") throw new RangeError("frames that have no words");
  const readStored = (range: ByteRange) => readRange(reader, instance, range);
  const { offset } = frames;
  // A frame of 8-bit samples may begin or end within a word, and the last one's word ends behind the frames.
  const words = { offset, length: sizeBytes - offset };
  const read = (range: ByteRange) =>
    wordBytes === 1 ? readStored(range) : readSwapped(readStored, { ...words, wordBytes }, range);
  return {
    async frame(frameIndex) {
      const { ranges: [range] = [], shift } = locateFrame(frames, frameIndex) ?? {};
      if (!range) throw new AppError(notFound);
      const bytes = await read({ offset: range[0], length: range[1] });
      return shift ? streamOf(shiftPieces(piecesOf(bytes), shift), () => giveUp(bytes)) : bytes;
    },
    read,
  };
}
