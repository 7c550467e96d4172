import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import { numberOf, shownTextOf, textOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { TransferSyntax } from "../../../shared/dicom/transfer-syntax.ts";
import { createCounterweight } from "./counterweight.ts";
import { createLentMemory, type LentMemory } from "./lent-memory.ts";
import { fillingReader, lengthOf, readBounded, readInto } from "./read-bounded.ts";
import {
  type EncodedFrame,
  type FrameAddress,
  type FrameReading,
  SourceDamaged,
  SourceEnded,
  SourceMissing,
  SourceUnreadable,
  type StackSource,
} from "./source.ts";

/**
 * The lossless copy of a series if there is one, which has fewer bytes; else the frame as it is stored. The server takes the first
 * that it has.
 */
export const FRAME_TYPES = [
  `image/jphc; transfer-syntax=${TransferSyntax.htJpeg2000Rpcl}`,
  "application/octet-stream; transfer-syntax=*",
].join(", ");

/** A CT slice of so many bytes differs from the whole one by 3 of 255 grey levels on average. */
const PREFIX_BYTES = 32 * 1024;
/** A frame that is hardly longer is not worth decoding twice. */
const MIN_PREFIXED_BYTES = 2 * PREFIX_BYTES;

/** Larger than any frame that may be drawn. */
const MAX_FRAME_BYTES = 160 * 1024 * 1024;
/** Longer frames are seldom followed by many: they get memory of their own. */
const MAX_LENT_BYTES = 1024 * 1024;
const MAX_METADATA_BYTES = 96 * 1024 * 1024;
/** It can't be shown, is of another kind, or ends before the part that was asked for. */
const UNREADABLE: ReadonlySet<number> = new Set([406, 416, 422]);
const MAX_PROBLEM_BYTES = 64 * 1024;

export interface DicomwebSourceOptions {
  /** Without a slash at its end, such as `/dicomweb/t/{token}`. */
  base: string;
  /** The series to begin with. */
  beginWith?: string | undefined;
  get?: Get;
}

type Get = (url: string, init: RequestInit) => Promise<Response>;

/** Reads from DICOMweb. */
export function createDicomwebSource({
  base,
  beginWith,
  get = (url, init) => fetch(url, init),
}: DicomwebSourceOptions): StackSource {
  const memory = createLentMemory();
  const counterweight = createCounterweight();

  async function request(path: string, init: RequestInit): Promise<Response> {
    const response = await get(`${base}${path}`, { credentials: "omit", ...init });
    if (response.ok) return response;
    if (response.status === 401 || response.status === 403)
      throw new SourceEnded(`answer ${response.status}`);
    if (response.status === 404) throw new SourceMissing("answer 404");
    if (UNREADABLE.has(response.status)) throw new SourceUnreadable(`answer ${response.status}`);
    if (response.status === 500 && (await tellsDamage(response))) throw new SourceDamaged("answer 500");
    throw new TypeError(`answer ${response.status}`);
  }

  async function readJson(path: string, signal: AbortSignal, until?: Promise<unknown>): Promise<DicomJson[]> {
    const response = await request(path, { headers: { Accept: "application/dicom+json" }, signal });
    await until;
    return await readDicomJson(response);
  }

  return {
    beginWith: async () => beginWith,
    async listSeries(studyInstanceUID, signal) {
      const series = await readJson(`/studies/${studyInstanceUID}/series`, signal);
      return series.map((item) => ({
        studyInstanceUID,
        seriesInstanceUID: textOf(item[TagHex.SeriesInstanceUID]) ?? "",
        seriesNumber: numberOf(item[TagHex.SeriesNumber]) ?? null,
        modality: textOf(item[TagHex.Modality]) ?? "",
        description: shownTextOf(item[TagHex.SeriesDescription]) ?? "",
        instanceCount: numberOf(item[TagHex.NumberOfSeriesRelatedInstances]) ?? 0,
      }));
    },
    readMetadata: ({ studyInstanceUID, seriesInstanceUID }, signal, until) =>
      readJson(`/studies/${studyInstanceUID}/series/${seriesInstanceUID}/metadata`, signal, until),
    async readFrame(frame, { isUrgent, signal, onPrefix }) {
      const response = await request(pathOf(frame), {
        headers: { Accept: FRAME_TYPES },
        // A frame may be kept by browsers, but has no age: they would only store it, and past the sign-out.
        cache: "no-store",
        priority: isUrgent ? "high" : "low",
        signal,
      });
      counterweight.add();
      return readFrameOf(response, memory, onPrefix);
    },
    async readDocument(document, options) {
      // Most exams have none.
      const { askForDocument } = await import("./document-answer.ts");
      return await askForDocument(request, document, options);
    },
    async readBulkData(instance, range, signal) {
      // Few images have any.
      const { askForBulkData } = await import("./bulk-data-answer.ts");
      return await askForBulkData(request, instance, range, signal);
    },
  };
}

async function tellsDamage(response: Response): Promise<boolean> {
  const problem = new TextDecoder().decode(await readBounded(response, MAX_PROBLEM_BYTES));
  return problem.includes('"archive.damaged"');
}

/** Reads an answer that is an array of data sets. @throws {RangeError} if it is longer than any series' */
export async function readDicomJson(response: Response): Promise<DicomJson[]> {
  const bytes = await readBounded(response, MAX_METADATA_BYTES);
  const json: unknown = JSON.parse(new TextDecoder().decode(bytes));
  return Array.isArray(json) ? json.filter((item) => typeof item === "object" && item !== null) : [];
}

/** Reads an answer that is a frame, in one of {@link FRAME_TYPES}. */
export async function readFrameOf(
  response: Response,
  { lend, giveBack }: LentMemory,
  onPrefix: FrameReading["onPrefix"],
): Promise<EncodedFrame> {
  const [, transferSyntaxUID = ""] =
    /transfer-syntax=([0-9.]+)/.exec(response.headers.get("Content-Type") ?? "") ?? [];
  const isCopy = transferSyntaxUID === TransferSyntax.htJpeg2000Rpcl;
  const isLong = Number(response.headers.get("Content-Length") ?? MIN_PREFIXED_BYTES) >= MIN_PREFIXED_BYTES;
  const length = lengthOf(response);
  const prefix =
    onPrefix && isCopy && isLong
      ? {
          bytes: PREFIX_BYTES,
          whole: length,
          take: (bytes: Uint8Array<ArrayBuffer>) => onPrefix({ bytes, transferSyntaxUID }),
        }
      : undefined;
  const reader = length > 0 && length <= MAX_LENT_BYTES ? fillingReader(response) : undefined;
  if (!reader) return { bytes: await readBounded(response, MAX_FRAME_BYTES, prefix), transferSyntaxUID };
  const bytes = await readInto(reader, lend(length), { maxBytes: MAX_FRAME_BYTES, prefix });
  return { bytes, transferSyntaxUID, giveBack };
}

function pathOf({ studyInstanceUID, seriesInstanceUID, sopInstanceUID, frameIndex }: FrameAddress): string {
  return `/studies/${studyInstanceUID}/series/${seriesInstanceUID}/instances/${sopInstanceUID}/frames/${frameIndex + 1}`;
}
