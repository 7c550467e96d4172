import type { FilmFile } from "../contact-sheet/film-files.ts";
import type { FoundMetadata } from "../read-dicom/find-metadata.ts";
import type { Contents, FilmGreys } from "./contents.ts";

export interface LookRequest {
  files: FilmFile[];
}

/** What a look inside found. */
export interface Insight {
  found: FoundMetadata;
  contents: Contents;
}

export type LookReport =
  | { type: "loaded" }
  | { type: "read"; files: number; studies: number }
  | { type: "film"; frame: number; film: FilmGreys }
  | { type: "done"; insight: Insight }
  | { type: "failed"; name: string; message: string };
