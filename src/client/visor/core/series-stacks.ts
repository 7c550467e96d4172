import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import { isOfDocuments } from "../../../shared/dicom/modality.ts";
import type { DocumentRecord, SeriesRecord, StackSource } from "./source.ts";
import { buildStacks, hasPixels, type Stack } from "./stacks.ts";

/** What a series has. */
export interface SeriesContent {
  stacks: Stack[];
  documents: DocumentRecord[];
}

/** A series as the visor shows it; its content is known once its metadata are read. */
export interface SeriesEntry extends SeriesContent {
  series: SeriesRecord;
  state: "waiting" | "reading" | "ready" | "failed";
}

export interface SeriesStacksOptions {
  source: Pick<StackSource, "readMetadata" | "readDocument">;
  signal: AbortSignal;
  onChange(seriesInstanceUID: string, change: Partial<SeriesEntry>): void;
}

/** The stacks and documents of each series. Its metadata are read once, and again only after a failure. */
export class SeriesStacks {
  readonly #options: SeriesStacksOptions;
  readonly #reads = new Map<string, Promise<SeriesContent>>();

  constructor(options: SeriesStacksOptions) {
    this.#options = options;
  }

  read(series: SeriesRecord): Promise<SeriesContent> {
    const { source, signal, onChange } = this.#options;
    const { seriesInstanceUID: uid } = series;
    const known = this.#reads.get(uid);
    if (known) return known;
    const reading = source.readMetadata(series, signal).then((metadata) => this.#contentOf(series, metadata));
    this.#reads.set(uid, reading);
    onChange(uid, { state: "reading" });
    reading.then(
      (content) => onChange(uid, { state: "ready", ...content }),
      () => {
        this.#reads.delete(uid);
        onChange(uid, { state: "failed" });
      },
    );
    return reading;
  }

  /** Takes metadata that were asked for before the series had a name. */
  take(series: SeriesRecord, early: Promise<DicomJson[]>): void {
    const { seriesInstanceUID: uid } = series;
    const reading = early.then((metadata) => this.#contentOf(series, metadata));
    reading.then(
      (content) => this.#options.onChange(uid, { state: "ready", ...content }),
      () => this.#reads.delete(uid),
    );
    this.#reads.set(uid, reading);
  }

  async #contentOf(series: SeriesRecord, metadata: readonly DicomJson[]): Promise<SeriesContent> {
    const stacks = buildStacks(series, metadata);
    if (!this.#options.source.readDocument || metadata.every(hasPixels)) return { stacks, documents: [] };
    // Most exams have none.
    const { findDocuments } = await import("./documents.ts");
    return { stacks, documents: findDocuments(series, metadata) };
  }
}

/** What stands for the documents of a series that is not read yet; nothing if it has images. */
export function documentsToCome(series: SeriesRecord): DocumentRecord[] {
  if (!isOfDocuments(series.modality)) return [];
  const { seriesInstanceUID: key, modality, description: title } = series;
  return [{ key, series, sopInstanceUID: undefined, kind: modality === "DOC" ? "pdf" : "report", title }];
}
