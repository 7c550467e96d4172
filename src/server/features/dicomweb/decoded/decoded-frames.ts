import { isVideo, TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { AppError } from "../../../http/app-error.ts";
import { notAcceptable } from "../../../http/http.errors.ts";
import { holding, streamOf } from "../../../http/stream-of.ts";
import { ownBytes } from "../../../runtime/lent-bytes.ts";
import { frameHeaders } from "../answers/archive-headers.ts";
import { frameLocation } from "../answers/frame-location.ts";
import type { Representation } from "../answers/media-types.ts";
import { bareBody, multipartRelated, onePartRelated, type Part } from "../answers/multipart-related.ts";
import { type AskedDecoding, placeWith } from "./decoding.ts";
import { framePieces, type NativeFrame, NotDecoded } from "./frame-decoder.ts";

/** An answer up to this size is held in memory and holds no place. */
export const SHORT_BYTES = 2 * 1024 * 1024;

const CONTENT_TYPE = `application/octet-stream; transfer-syntax=${TransferSyntax.explicitLittleEndian}`;

/** Whether an instance has frames to decode. */
export function isDecodable({ frames, transferSyntaxUID }: ManifestInstance): boolean {
  return frames.kind === "encapsulated" && !isVideo(transferSyntaxUID);
}

interface DecodedFrames {
  instance: ManifestInstance;
  frameNumbers: number[];
  /** The address of the instance, which parts name frames by. */
  instanceUrl: string | undefined;
}

/**
 * Answers encapsulated frames as native ones, in the colours that the metadata name. Returns undefined if the first of them can't be
 * decoded. The answer breaks off at another one that can't.
 * @throws {AppError} 406 for several frames without parts, 503 with Retry-After if too much is decoded
 */
export async function decodedFramesResponse(
  { instance, frameNumbers, instanceUrl }: DecodedFrames,
  { multipart, type }: Representation,
  { decoding, asker }: AskedDecoding,
): Promise<Response | undefined> {
  const [firstNumber = 1, ...others] = frameNumbers;
  if (!multipart && others.length > 0) throw new AppError(notAcceptable);
  if (others.length > 0) decoding.assertPlace(asker);
  const frameOf = (frameNumber: number) => ({ instance, frameIndex: frameNumber - 1, asDescribed: true });
  const first = await decoding.inTurn(frameOf(firstNumber), asker);
  if (!first) return undefined;
  if (others.length === 0 && isShort(first)) {
    const part = ownBytes(first.bytes);
    const head = { contentType: CONTENT_TYPE, location: frameLocation(instanceUrl, firstNumber) };
    const { contentType, body } = multipart ? onePartRelated(type, head, part) : bareBody(CONTENT_TYPE, part);
    return new Response(body, { headers: frameHeaders(contentType) });
  }
  const partOf = (frame: NativeFrame, frameNumber: number): Part => ({
    contentType: CONTENT_TYPE,
    location: frameLocation(instanceUrl, frameNumber),
    body: streamOf(framePieces(frame)),
  });
  const parts = async function* (): AsyncGenerator<Part> {
    yield partOf(first, firstNumber);
    for (const frameNumber of others) {
      await using frame = await decoding.next(frameOf(frameNumber), asker);
      if (!frame) throw new NotDecoded("a frame of a list");
      yield partOf(frame, frameNumber);
    }
  };
  const { contentType, body } = multipart
    ? multipartRelated(type, parts())
    : { contentType: CONTENT_TYPE, body: streamOf(framePieces(first)) };
  const headers = frameHeaders(contentType);
  return new Response(await sentInPlace(body, first, { decoding, asker }), { headers });
}

/** A frame that is held in memory and needs no place. */
function isShort(frame: NativeFrame): frame is NativeFrame & { bytes: Uint8Array } {
  return frame.sizeBytes <= SHORT_BYTES && frame.bytes instanceof Uint8Array;
}

/**
 * The body, which holds a place and the frame that it begins with until it is sent. That of HEAD, which nobody reads, holds nothing.
 * @throws {AppError} 503 with Retry-After
 */
export async function sentInPlace(
  body: ReadableStream<Uint8Array>,
  first: AsyncDisposable,
  { decoding, asker }: AskedDecoding,
): Promise<ReadableStream<Uint8Array>> {
  try {
    if (!asker.isHead) return holding(placeWith(decoding.takePlace(asker), first), body);
  } catch (error) {
    await first[Symbol.asyncDispose]();
    throw error;
  }
  await first[Symbol.asyncDispose]();
  return body;
}
