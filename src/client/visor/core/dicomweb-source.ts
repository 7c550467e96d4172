import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { numberOf, textOf } from "../../../shared/pixels/pixel-module.ts";
import { readBounded } from "./read-bounded.ts";
import { type EncodedFrame, type FrameAddress, SourceEnded, type StackSource } from "./source.ts";

/** Larger than any frame that may be drawn. */
const MAX_FRAME_BYTES = 160 * 1024 * 1024;
const MAX_METADATA_BYTES = 96 * 1024 * 1024;

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
  async function request(path: string, init: RequestInit): Promise<Response> {
    const response = await get(`${base}${path}`, { credentials: "omit", ...init });
    if (response.ok) return response;
    if (response.status === 401 || response.status === 403)
      throw new SourceEnded(`answer ${response.status}`);
    throw new TypeError(`answer ${response.status}`);
  }

  async function readJson(path: string, signal: AbortSignal): Promise<DicomJson[]> {
    const response = await request(path, { headers: { Accept: "application/dicom+json" }, signal });
    const bytes = await readBounded(response, MAX_METADATA_BYTES);
    const json: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(json) ? json.filter((item) => typeof item === "object" && item !== null) : [];
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
        description: textOf(item[TagHex.SeriesDescription]) ?? "",
        instanceCount: numberOf(item[TagHex.NumberOfSeriesRelatedInstances]) ?? 0,
      }));
    },
    readMetadata: ({ studyInstanceUID, seriesInstanceUID }, signal) =>
      readJson(`/studies/${studyInstanceUID}/series/${seriesInstanceUID}/metadata`, signal),
    async readFrame(frame, { isUrgent, signal }) {
      const response = await request(pathOf(frame), {
        headers: { Accept: "application/octet-stream; transfer-syntax=*" },
        priority: isUrgent ? "high" : "low",
        signal,
      });
      return readFrameOf(response);
    },
  };
}

async function readFrameOf(response: Response): Promise<EncodedFrame> {
  const [, transferSyntaxUID = ""] =
    /transfer-syntax=([0-9.]+)/.exec(response.headers.get("Content-Type") ?? "") ?? [];
  return { bytes: await readBounded(response, MAX_FRAME_BYTES), transferSyntaxUID };
}

function pathOf({ studyInstanceUID, seriesInstanceUID, sopInstanceUID, frameIndex }: FrameAddress): string {
  return `/studies/${studyInstanceUID}/series/${seriesInstanceUID}/instances/${sopInstanceUID}/frames/${frameIndex + 1}`;
}
