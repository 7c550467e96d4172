import { TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import type { Derivative, ReadFrame } from "../../../holdings/derivatives/derivative.ts";
import { contentRange, type RangeRequest, requestedRange } from "../../../http/byte-range.ts";
import { ownBytes } from "../../../runtime/lent-bytes.ts";
import { readAhead, SMALL_AHEAD } from "../../../runtime/read-ahead.ts";
import { frameHeaders } from "../answers/archive-headers.ts";
import { frameLocation } from "../answers/frame-location.ts";
import type { Representation } from "../answers/media-types.ts";
import { multipartRelated, onePartRelated, type Part } from "../answers/multipart-related.ts";
import type { AskedDecoding } from "../decoded/decoding.ts";
import type { StoredMetadata } from "../dicomweb.catalogue.ts";

/** The lengths of the prefixes that are a smaller picture, from the smallest one to the whole frame. */
const PREFIX_LENGTHS = "HTJ2K-Prefix-Lengths";

/** What a request for frames says besides its path. */
export interface FrameRequest {
  accept: string | undefined;
  /** The address of the instance, which parts name frames by. */
  instanceUrl?: string | undefined;
  /** With the client's headers of ranges; without it, frames come whole. */
  request?: RangeRequest;
  /** Finds the metadata of the series, which tell how big-endian frames are swapped. */
  findMetadata?: () => Promise<StoredMetadata | undefined>;
  /** Finds the lossless copy of the series. */
  findCopy?: () => Promise<Derivative | undefined>;
  /** Decodes encapsulated frames. */
  decoded?: AskedDecoding | undefined;
}

interface CopiedFrames extends Pick<FrameRequest, "instanceUrl"> {
  sopInstanceUID: string;
  frameNumbers: number[];
}

/**
 * Answers frames of a lossless copy. A single frame without multipart framing can be asked for by ranges, since a prefix of it is a
 * smaller picture. `undefined` if the copy lacks a frame, or if its bytes are not right.
 */
export async function copiedFramesResponse(
  derivative: Derivative,
  copied: CopiedFrames,
  { multipart, type }: Representation,
  request: RangeRequest | undefined,
): Promise<Response | undefined> {
  const { sopInstanceUID, frameNumbers, instanceUrl } = copied;
  const contentType = `${type}; transfer-syntax=${TransferSyntax.htJpeg2000Rpcl}`;
  const [only] = frameNumbers;
  if (only !== undefined && frameNumbers.length === 1) {
    const frame = await derivative.readFrame(sopInstanceUID, only - 1);
    if (!frame) return undefined;
    if (!multipart) return rangeOfFrame(frame, contentType, request);
    const head = { contentType, location: frameLocation(instanceUrl, only) };
    const related = onePartRelated(type, head, ownBytes(frame.bytes));
    return new Response(related.body, { headers: frameHeaders(related.contentType) });
  }
  const count = derivative.instances.get(sopInstanceUID)?.frames.length ?? 0;
  if (!multipart || frameNumbers.some((frameNumber) => frameNumber > count)) return undefined;
  const related = multipartRelated(type, parts(derivative, copied, contentType));
  return new Response(related.body, { headers: frameHeaders(related.contentType) });
}

function rangeOfFrame(
  { bytes, prefixLengths }: ReadFrame,
  contentType: string,
  request: RangeRequest | undefined,
): Response {
  const headers = {
    ...frameHeaders(contentType),
    "Accept-Ranges": "bytes",
    "Access-Control-Expose-Headers": `Content-Range, ${PREFIX_LENGTHS}`,
    [PREFIX_LENGTHS]: prefixLengths.join(", "),
  };
  const range = request && requestedRange(request, undefined, bytes.length);
  if (range === "unsatisfiable")
    return new Response(null, {
      status: 416,
      headers: { ...headers, "Content-Range": contentRange(range, bytes.length) },
    });
  if (!range) return new Response(bytes as BodyInit, { headers });
  const { offset, length } = range;
  return new Response(bytes.subarray(offset, offset + length) as BodyInit, {
    status: 206,
    headers: { ...headers, "Content-Range": contentRange(range, bytes.length) },
  });
}

/** @throws if a frame is damaged, which ends the body early: the copy is made again */
async function* parts(
  derivative: Derivative,
  { sopInstanceUID, frameNumbers, instanceUrl }: CopiedFrames,
  contentType: string,
): AsyncGenerator<Part> {
  const { frames = [] } = derivative.instances.get(sopInstanceUID) ?? {};
  const read = (frameNumber: number) => derivative.readFrame(sopInstanceUID, frameNumber - 1);
  const bytesOf = (frameNumber: number) => frames[frameNumber - 1]?.length ?? 0;
  for await (const { item, result } of readAhead(frameNumbers, read, { ...SMALL_AHEAD, bytesOf })) {
    const frame = await result;
    if (!frame) throw new RangeError("a frame of the copy is lost");
    yield { contentType, location: frameLocation(instanceUrl, item), body: frame.bytes };
  }
}
