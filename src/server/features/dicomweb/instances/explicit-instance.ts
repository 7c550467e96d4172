import { TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { holding, streamOf } from "../../../http/stream-of.ts";
import { ownBytes } from "../../../runtime/lent-bytes.ts";
import type { Representation } from "../answers/media-types.ts";
import { isDecodable, SHORT_BYTES, sentInPlace } from "../decoded/decoded-frames.ts";
import type { AskedDecoding } from "../decoded/decoding.ts";
import { NotDecoded } from "../decoded/frame-decoder.ts";
import type { InstanceBytes } from "../dicomweb.catalogue.ts";
import { explicitFile, inMemory, isLongDataSet, type WrittenFile } from "./explicit-file.ts";
import { fileResponse, fileVersion } from "./file-answer.ts";

/** With {@link explicitFile}. */
const SYNTAX = TransferSyntax.explicitLittleEndian;
export const EXPLICIT_TYPE = `application/dicom; transfer-syntax=${SYNTAX}`;

/** The value of `ETag` for an instance that is written as Explicit VR Little Endian. */
export function explicitVersion(
  { volumeId, dataOffset }: ManifestInstance,
  representation: Representation,
): string {
  return fileVersion(`${volumeId}.${dataOffset}.${SYNTAX}`, representation);
}

/**
 * Answers an instance as Explicit VR Little Endian. `allow` is called before the first byte. Undefined if it can't be so written.
 * @throws {AppError} 503 with Retry-After if too much is decoded
 * @throws {InstanceDamaged}
 */
export async function explicitInstanceResponse(
  reader: InstanceBytes,
  instance: ManifestInstance,
  representation: Representation,
  asked: AskedDecoding,
  allow: () => Promise<void>,
): Promise<Response | undefined> {
  const { decoding, asker } = asked;
  if (isLongDataSet(instance))
    return await longDataSetResponse(reader, instance, representation, asked, allow);
  const file = await explicitFile(reader, instance, (frameIndex) => {
    const frame = { instance, frameIndex, asDescribed: false };
    return frameIndex === 0 ? decoding.inTurn(frame, asker) : decoding.next(frame, asker);
  });
  if (!file) return undefined;
  if (file.sizeBytes <= SHORT_BYTES) {
    const bytes = await readShort(file);
    if (!bytes) return undefined;
    await allow();
    return fileResponse(ownBytes(bytes), { syntax: SYNTAX, sizeBytes: bytes.length }, representation);
  }
  const pieces = streamOf(file.pieces);
  const body = isDecodable(instance) ? await sentInPlace(pieces, file, asked) : pieces;
  await allow().catch(async (error) => {
    await body.cancel(error);
    throw error;
  });
  return fileResponse(body, { syntax: SYNTAX, sizeBytes: file.sizeBytes }, representation);
}

/** Undefined if one of its frames can't be decoded. @throws {InstanceDamaged} */
async function readShort(file: WrittenFile): Promise<Uint8Array | undefined> {
  await using _ = file;
  try {
    return await inMemory(file);
  } catch (error) {
    if (error instanceof NotDecoded) return undefined;
    throw error;
  }
}

/** The data set is in memory until it is sent, so the answer holds a place before it is read. */
async function longDataSetResponse(
  reader: InstanceBytes,
  instance: ManifestInstance,
  representation: Representation,
  { decoding, asker }: AskedDecoding,
  allow: () => Promise<void>,
): Promise<Response | undefined> {
  const place = decoding.takePlace(asker);
  let body: ReadableStream<Uint8Array> | undefined;
  try {
    const file = await explicitFile(reader, instance, async () => undefined);
    if (!file) return undefined;
    await allow();
    const { sizeBytes } = file;
    // Nobody reads the body for HEAD.
    if (asker.isHead)
      return fileResponse(streamOf(file.pieces), { syntax: SYNTAX, sizeBytes }, representation);
    body = holding(place, streamOf(file.pieces));
    return fileResponse(body, { syntax: SYNTAX, sizeBytes }, representation);
  } finally {
    if (!body) place[Symbol.dispose]();
  }
}
