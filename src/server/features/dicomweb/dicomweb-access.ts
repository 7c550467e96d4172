import type { Context, MiddlewareHandler } from "hono";
import type { ElapsedMs } from "../../runtime/clock.ts";
import type { Decoding } from "./decoded/decoding.ts";
import type { DicomwebDocument } from "./describe-dicomweb.ts";
import type { DicomwebCatalogue, Retrieval } from "./dicomweb.catalogue.ts";
import type { SeriesUIDs } from "./dicomweb.repo.ts";

/** How the routes of DICOMweb know their caller, and what answers say of this server. */
export interface DicomwebAccess {
  /**
   * Resolves the caller. It runs for each request, so an expired token ends an open viewer. With `series`, the series that the
   * request is about, it can look that up in the same statement. That answer may be 10 ms old: the series may have grown since.
   * @throws {AppError} if the caller has no access
   */
  resolve(c: Context, series?: SeriesUIDs): Promise<DicomwebCatalogue>;
  /**
   * Refuses a caller who may not retrieve whole files, before anything is read or said of them. It asks nobody; what only the database
   * knows is up to `allowRetrieval`.
   * @throws {AppError}
   */
  assertRetrievable?(retrieval: Retrieval, catalogue: DicomwebCatalogue): void;
  /** Called before the first byte of whole files. @throws {AppError} if the caller may not retrieve them */
  allowRetrieval(c: Context, retrieval: Retrieval): Promise<void>;
  /** Asks again whether the caller may see the study of the path, while an answer of many parts is sent. @throws {AppError} */
  assertStillVisible(c: Context): Promise<void>;
  /**
   * Asks instead of `assertStillVisible` while whole files are sent, where not everybody who sees a study may have them.
   * @throws {AppError}
   */
  assertStillRetrievable?(c: Context): Promise<void>;
  /** Decodes frames for clients that take only native ones; none for a viewer, which decodes them itself. */
  decoding?: Decoding;
  elapsedMs: ElapsedMs;
  /** Runs before each route, if a guard resolves the caller. */
  guard?: MiddlewareHandler;
  document: DicomwebDocument;
  /** Whether there is a search over all studies of the catalogue; every other route names its study. */
  hasSearch: boolean;
  /** The address by which answers name studies, series and instances; none for a viewer. */
  baseUrl?: string;
  /** Whether a search without a result is answered without a body (PS3.18 table 10.6.3-1), not by an empty list. */
  answersNoContent?: boolean;
}
