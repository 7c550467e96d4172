import { frameSizeBytes } from "../../../../shared/dicom/reading/cut-frame.ts";
import { frameCountOf } from "../../../../shared/dicom/reading/frame-table.ts";
import {
  frameTransferSyntaxUID,
  isDeflatedDataSet,
  TransferSyntax,
} from "../../../../shared/dicom/transfer-syntax.ts";
import { METHOD_STORED } from "../../../../shared/zip/zip-format.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { giveUp } from "../../../archive/pieces.ts";
import { AppError } from "../../../http/app-error.ts";
import { notAcceptable, notFound, validationFailed } from "../../../http/http.errors.ts";
import { UNWATCHED_BYTES } from "../../../http/while-allowed.ts";
import { readAhead, SMALL_AHEAD } from "../../../runtime/read-ahead.ts";
import { frameHeaders } from "../answers/archive-headers.ts";
import { frameLocation } from "../answers/frame-location.ts";
import { namedFrames, negotiateFrames, type Representation } from "../answers/media-types.ts";
import { bareBody, multipartRelated, onePartRelated, type Part } from "../answers/multipart-related.ts";
import { decodedFramesResponse, isDecodable } from "../decoded/decoded-frames.ts";
import type { Bytes, DicomwebCatalogue } from "../dicomweb.catalogue.ts";
import { copiedFramesResponse, type FrameRequest } from "./copied-frames.ts";
import { borrowFrame, readFrame } from "./frame-bytes.ts";
import { type LittleEndianReader, openLittleEndian } from "./little-endian-frames.ts";

/** The most frames that a request may list; such a list takes about 40 kB of the path. */
export const MAX_LISTED_FRAMES = 8_192;
/** A short address that repeats one frame must not bring gigabytes. */
const MAX_REPEATED_FRAMES = 16;

/**
 * Answers frames as they are stored (PS3.18 §10.4.1.1.6), or to a client that names another syntax those of the lossless copy, or native
 * ones that are decoded for it. `list` is `1` or `3,1,2`; few frames may repeat, although PS3.18 has none do. A single frame may be
 * requested as a bare body, as the viewer does.
 * @throws {AppError} 400 for another list, 404 for a missing frame, 406 as {@link negotiateFrames}
 */
export async function framesResponse(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  list: string,
  request: FrameRequest,
): Promise<Response> {
  const frameNumbers = parseFrameList(list);
  const frameCount = frameCountOf(instance.frames);
  if (frameNumbers.some((frameNumber) => frameNumber > frameCount)) throw new AppError(notFound);

  return (
    (await respondAsNamed(instance, frameNumbers, request)) ??
    (await respond(catalogue, instance, frameNumbers, request))
  );
}

/** Whether nothing that an instance holds is large. A deflated one of a few bytes may hold gigabytes. */
export function isSmall({ sizeBytes, transferSyntaxUID }: ManifestInstance): boolean {
  return sizeBytes <= UNWATCHED_BYTES && !isDeflatedDataSet(transferSyntaxUID);
}

/** Whether a list asks for one frame, which is on its way at once. */
export function isOneSmallFrame(instance: ManifestInstance, list: string): boolean {
  if (list.includes(",")) return false;
  return isSmall(instance) || (frameSizeBytes(instance.frames, Number(list) - 1) ?? 0) <= UNWATCHED_BYTES;
}

/** Every frame of an instance, in order; see {@link framesResponse}. */
export function allFramesResponse(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  request: Asked,
): Promise<Response> {
  const frameCount = frameCountOf(instance.frames);
  const frameNumbers = Array.from({ length: frameCount }, (_, index) => index + 1);
  return respond(catalogue, instance, frameNumbers, request);
}

/** Answers in the first syntax of those that the client names in which there are frames, other than the stored one. */
async function respondAsNamed(
  instance: ManifestInstance,
  frameNumbers: number[],
  { accept, request, findCopy, decoded, instanceUrl }: FrameRequest,
): Promise<Response | undefined> {
  const { htJpeg2000Rpcl, explicitLittleEndian } = TransferSyntax;
  const { transferSyntaxUID, sopInstanceUID } = instance;
  const offered: string[] = findCopy ? [htJpeg2000Rpcl] : [];
  if (decoded && isDecodable(instance)) offered.push(explicitLittleEndian);
  for (const named of namedFrames(accept, frameTransferSyntaxUID(transferSyntaxUID), offered)) {
    const derivative = named.syntax === htJpeg2000Rpcl && (await findCopy?.());
    const response = derivative
      ? await copiedFramesResponse(derivative, { sopInstanceUID, frameNumbers, instanceUrl }, named, request)
      : decoded && named.syntax === explicitLittleEndian
        ? await decodedFramesResponse({ instance, frameNumbers, instanceUrl }, named, decoded)
        : undefined;
    if (response) return response;
  }
  return undefined;
}

interface Asked extends Pick<FrameRequest, "accept" | "findMetadata" | "instanceUrl"> {
  /** The address of pixel data that are one frame, which its part names if they are asked for as bulk data (PS3.18 §10.4.3.3.5). */
  bulkDataUrl?: string;
}

async function respond(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  frameNumbers: number[],
  { accept, instanceUrl, bulkDataUrl, findMetadata }: Asked,
): Promise<Response> {
  const transferSyntaxUID = frameTransferSyntaxUID(instance.transferSyntaxUID);
  const { multipart, type, syntax } = negotiateFrames(accept, transferSyntaxUID);
  if (
    transferSyntaxUID === TransferSyntax.explicitBigEndian &&
    syntax !== "*" &&
    syntax !== transferSyntaxUID
  ) {
    const swapped = findMetadata && (await openLittleEndian(catalogue, instance, findMetadata));
    if (swapped) return await respondSwapped(swapped, { frameNumbers, instanceUrl }, { multipart, type });
    if (syntax !== undefined) throw new AppError(notAcceptable);
  }
  const contentType = `${type}; transfer-syntax=${namedSyntax(transferSyntaxUID)}`;
  const [only] = frameNumbers;
  if (only !== undefined && frameNumbers.length === 1) {
    const frame = await borrowFrame(catalogue, instance, only - 1);
    const head = { contentType, location: bulkDataUrl ?? frameLocation(instanceUrl, only) };
    const answer = multipart ? onePartRelated(type, head, frame) : bareBody(contentType, frame);
    return new Response(answer.body, { headers: frameHeaders(answer.contentType) });
  }
  if (!multipart) throw new AppError(notAcceptable);
  const answer = multipartRelated(
    type,
    frameParts(
      { frameNumbers, instanceUrl },
      contentType,
      (index) => readFrame(catalogue, instance, index),
      (index) => readBytesOf(instance, index),
    ),
  );
  return new Response(answer.body, { headers: frameHeaders(answer.contentType) });
}

/** Answers big-endian frames as little-endian ones: to a client that names that syntax, or none (PS3.18 §8.7.3.3). */
async function respondSwapped(
  swapped: LittleEndianReader,
  listed: ListedFrames,
  { multipart, type }: Representation,
): Promise<Response> {
  const contentType = `${type}; transfer-syntax=${TransferSyntax.explicitLittleEndian}`;
  const [only] = listed.frameNumbers;
  if (!multipart && only !== undefined && listed.frameNumbers.length === 1)
    return new Response((await swapped.frame(only - 1)) as BodyInit, { headers: frameHeaders(contentType) });
  if (!multipart) throw new AppError(notAcceptable);
  const answer = multipartRelated(
    type,
    frameParts(listed, contentType, (index) => swapped.frame(index)),
  );
  return new Response(answer.body, { headers: frameHeaders(answer.contentType) });
}

/** Native frames are named as those of an explicit data set, since the Web knows no implicit one (PS3.18 §8.7.3). */
function namedSyntax(transferSyntaxUID: string): string {
  const { implicitLittleEndian, explicitLittleEndian } = TransferSyntax;
  return transferSyntaxUID === implicitLittleEndian ? explicitLittleEndian : transferSyntaxUID;
}

interface ListedFrames {
  frameNumbers: number[];
  instanceUrl: string | undefined;
}

async function* frameParts(
  { frameNumbers, instanceUrl }: ListedFrames,
  contentType: string,
  read: (frameIndex: number) => Promise<Bytes>,
  readBytesOf: (frameIndex: number) => number = () => Number.POSITIVE_INFINITY,
): AsyncGenerator<Part> {
  const ahead = {
    ...SMALL_AHEAD,
    bytesOf: (frameNumber: number) => readBytesOf(frameNumber - 1),
    discard: giveUp,
  };
  for await (const { item, result } of readAhead(frameNumbers, (frameNumber) => read(frameNumber - 1), ahead))
    yield { contentType, location: frameLocation(instanceUrl, item), body: await result };
}

/** The bytes that are read for a frame; no end of them if everything before it has to be inflated. */
function readBytesOf({ frames, method }: ManifestInstance, frameIndex: number): number {
  const isInflated = method !== METHOD_STORED || (frames.kind === "native" && frames.deflated === true);
  return isInflated ? Number.POSITIVE_INFINITY : (frameSizeBytes(frames, frameIndex) ?? 0);
}

function parseFrameList(list: string): number[] {
  const frameNumbers = list
    .split(",", MAX_LISTED_FRAMES + 1)
    .map((text) => (/^\d{1,9}$/.test(text) ? Number(text) : 0));
  const isListed = frameNumbers.length <= MAX_LISTED_FRAMES && !frameNumbers.includes(0);
  if (!isListed || frameNumbers.length - new Set(frameNumbers).size > MAX_REPEATED_FRAMES) {
    throw new AppError(validationFailed, {
      violations: [{ path: "frames", code: "invalid" }],
    });
  }
  return frameNumbers;
}
