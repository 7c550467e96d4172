import type { UploadMetadata } from "../../../../shared/api/upload.ts";
import { AppError } from "../../../http/app-error.ts";
import { validationFailed } from "../../../http/http.errors.ts";
import { isKeepable } from "../../../http/validate.ts";
import { uploadNotZip } from "../ingest.errors.ts";
import { parseForm } from "../receive-upload.ts";

const MAX_FILENAME = 255;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SHA256_BYTES = 32;

/** What a creation says about the upload (tus 1.0.0, `Upload-Metadata`). */
export interface DescribedUpload {
  filename: string;
  form: UploadMetadata;
}

/** A creation as its headers describe it. */
export interface Creation extends DescribedUpload {
  /** Infinite for a length that no number here holds exactly. */
  sizeBytes: number;
  /** `Upload-Metadata` as it was sent. */
  metadata: string;
}

/**
 * Reads the headers of a creation. One with `Upload-Concat` is refused: there is no concatenation, so its parts could never become
 * one upload.
 * @throws {AppError} 400, `upload.not_zip`
 */
export function parseCreation(header: (name: string) => string | undefined): Creation {
  if (header("upload-concat") !== undefined) throw invalid("Upload-Concat");
  const metadata = header("upload-metadata") ?? "";
  const { filename, form } = parseUploadMetadata(metadata);
  return { filename, form, metadata, sizeBytes: parseLength(header("upload-length")) };
}

/**
 * Reads `Upload-Metadata`: keys with values in base64. Keys that are not ours are ignored.
 * @throws {AppError} 400, `upload.not_zip`
 */
function parseUploadMetadata(header: string): DescribedUpload {
  const values = new Map<string, string>();
  for (const pair of header.split(",")) {
    const [key = "", value = "", ...rest] = pair.trim().split(" ");
    if (key === "" && header.trim() === "") break;
    if (key === "" || rest.length > 0 || values.has(key) || !BASE64.test(value))
      throw invalid("Upload-Metadata");
    values.set(key, value);
  }
  const filename = decode(values.get("filename")) || "upload.zip";
  if (!filename.toLowerCase().endsWith(".zip")) throw new AppError(uploadNotZip);
  const json = decode(values.get("formData"));
  return { filename: filename.slice(-MAX_FILENAME).toWellFormed(), form: json ? parseForm(json) : {} };
}

function decode(base64: string | undefined): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(base64 ?? "", "base64"));
    if (isKeepable(text)) return text;
  } catch {
    // answered below
  }
  throw invalid("Upload-Metadata");
}

/** @throws {AppError} 400 */
function parseLength(header: string | undefined): number {
  if (!/^\d+$/.test(header ?? "")) throw invalid("Upload-Length");
  const bytes = Number(header);
  return Number.isSafeInteger(bytes) ? bytes : Number.POSITIVE_INFINITY;
}

/** A header that counts bytes. @throws {AppError} 400 */
export function parseBytes(header: string | undefined, name: string): number {
  const bytes = /^\d{1,16}$/.test(header ?? "") ? Number(header) : Number.NaN;
  if (!Number.isSafeInteger(bytes)) throw invalid(name);
  return bytes;
}

/** The SHA-256 (hex) that `Upload-Checksum` promises. @throws {AppError} 400 if it is of another kind */
export function parseChecksum(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [algorithm, value = ""] = header.split(" ");
  const bytes = Buffer.from(value, "base64");
  if (algorithm !== "sha256" || !BASE64.test(value) || bytes.length !== SHA256_BYTES)
    throw invalid("Upload-Checksum");
  return bytes.toString("hex");
}

function invalid(detail: string): AppError {
  return new AppError(validationFailed, { detail });
}
