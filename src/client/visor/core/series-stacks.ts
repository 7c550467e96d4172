import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import type { SeriesRecord, StackSource } from "./source.ts";
import { buildStacks, type Stack } from "./stacks.ts";

/** A series as the visor shows it; its stacks are known once its metadata are read. */
export interface SeriesEntry {
  series: SeriesRecord;
  state: "waiting" | "reading" | "ready" | "failed";
  stacks: Stack[];
}

export interface SeriesStacksOptions {
  source: Pick<StackSource, "readMetadata">;
  signal: AbortSignal;
  onChange(seriesInstanceUID: string, change: Partial<SeriesEntry>): void;
}

/** The stacks of each series. Its metadata are read once, and again only after a failure. */
export class SeriesStacks {
  readonly #options: SeriesStacksOptions;
  readonly #reads = new Map<string, Promise<Stack[]>>();

  constructor(options: SeriesStacksOptions) {
    this.#options = options;
  }

  read(series: SeriesRecord): Promise<Stack[]> {
    const { source, signal, onChange } = this.#options;
    const { seriesInstanceUID: uid } = series;
    const known = this.#reads.get(uid);
    if (known) return known;
    const reading = source.readMetadata(series, signal).then((metadata) => buildStacks(series, metadata));
    this.#reads.set(uid, reading);
    onChange(uid, { state: "reading" });
    reading.then(
      (stacks) => onChange(uid, { state: "ready", stacks }),
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
    const stacks = early.then((metadata) => buildStacks(series, metadata));
    stacks.then(
      (made) => this.#options.onChange(uid, { state: "ready", stacks: made }),
      () => this.#reads.delete(uid),
    );
    this.#reads.set(uid, stacks);
  }
}
