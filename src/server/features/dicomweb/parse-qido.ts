import { type Keyword, TagHex } from "../../../shared/dicom/tags.ts";
import { AppError } from "../../http/app-error.ts";
import { validationFailed } from "../../http/http.errors.ts";
import type { DateSpan, QidoQuery, SeriesQuery } from "./dicomweb.catalogue.ts";

const MAX_PAGE = 1_000;
const MAX_LIST = 200;
const MAX_TEXT_LENGTH = 128;

/**
 * Reads a QIDO-RS study search (PS3.18 §10.6). Unknown parameters, `includefield` and `fuzzymatching` are ignored: every answer has
 * all attributes that we store.
 * @throws {AppError} 400 if a limit, an offset or a date can't be read
 */
export function parseStudyQuery(parameters: URLSearchParams): QidoQuery {
  return {
    ...parsePage(parameters),
    ...defined({
      studyInstanceUIDs: list(parameters, "StudyInstanceUID"),
      patientName: text(parameters, "PatientName"),
      patientID: text(parameters, "PatientID"),
      accessionNumber: text(parameters, "AccessionNumber"),
      studyDate: dateSpan(text(parameters, "StudyDate")),
      modalitiesInStudy: list(parameters, "ModalitiesInStudy"),
    }),
  };
}

/** @throws {AppError} 400 as {@link parseStudyQuery} */
export function parseSeriesQuery(parameters: URLSearchParams): SeriesQuery {
  return {
    ...parsePage(parameters),
    ...defined({
      seriesInstanceUIDs: list(parameters, "SeriesInstanceUID"),
      modality: text(parameters, "Modality"),
    }),
  };
}

/** @throws {AppError} 400 if `limit` or `offset` is not a number */
export function parsePage(parameters: URLSearchParams): { limit: number; offset: number } {
  const limit = count(parameters, "limit") ?? MAX_PAGE;
  return { limit: Math.min(limit, MAX_PAGE), offset: count(parameters, "offset") ?? 0 };
}

/** Returns `undefined` for an empty value, which matches everything (PS3.4 §C.2.2.2.3). */
function text(parameters: URLSearchParams, keyword: Keyword): string | undefined {
  const value = (parameters.get(keyword) ?? parameters.get(TagHex[keyword]) ?? "").trim();
  if (value.length > MAX_TEXT_LENGTH) throw invalid(keyword);
  return value === "" || value === "*" ? undefined : value;
}

/** Values of a list are separated by commas, or backslashes as in a data set; the key may also be repeated. */
function list(parameters: URLSearchParams, keyword: Keyword): string[] | undefined {
  const values = [...parameters.getAll(keyword), ...parameters.getAll(TagHex[keyword])]
    .flatMap((value) => value.split(/[,\\]/))
    .map((value) => value.trim())
    .filter((value) => value !== "");
  if (values.length > MAX_LIST || values.some((value) => value.length > MAX_TEXT_LENGTH))
    throw invalid(keyword);
  return values.length > 0 ? values : undefined;
}

function count(parameters: URLSearchParams, name: "limit" | "offset"): number | undefined {
  const value = parameters.get(name);
  if (value === null || value === "") return undefined;
  if (!/^\d{1,9}$/.test(value)) throw invalid(name);
  return Number(value);
}

/** `20260131`, `20260101-20260131`, `20260101-` or `-20260131` (PS3.4 §C.2.2.2.5). */
function dateSpan(value: string | undefined): DateSpan | undefined {
  if (value === undefined) return undefined;
  const span = /^(\d{8})?(-)?(\d{8})?$/.exec(value);
  const [, first, dash, last] = span ?? [];
  if (
    dash === undefined ? first === undefined || last !== undefined : first === undefined && last === undefined
  ) {
    throw invalid("StudyDate");
  }
  return defined({ from: isoDate(first), to: isoDate(dash === undefined ? first : last) });
}

function isoDate(da: string | undefined): string | undefined {
  return da === undefined ? undefined : `${da.slice(0, 4)}-${da.slice(4, 6)}-${da.slice(6)}`;
}

function invalid(path: string): AppError {
  return new AppError(validationFailed, { violations: [{ path, code: "invalid", message: path }] });
}

function defined<Shape extends object>(
  shape: Shape,
): { [Key in keyof Shape]?: Exclude<Shape[Key], undefined> } {
  const entries = Object.entries(shape).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Shape]?: Exclude<Shape[Key], undefined> };
}
