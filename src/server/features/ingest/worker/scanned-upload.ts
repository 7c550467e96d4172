import type { ManifestInstance } from "../../../archive/manifest.ts";
import { MAX_WRITTEN_METADATA_BYTES } from "../../../archive/manifest-codec.ts";
import { instanceWeight, MAX_WRITTEN_WEIGHT_BYTES } from "../../../archive/manifest-weight.ts";
import { type MetadataRef, MetadataStore } from "../../../archive/metadata-store.ts";
import type { IndexAttributes, Instance } from "../../../dicom/instance.ts";
import { IngestRefused } from "./worker.errors.ts";
import type { IngestLimits, ScannedSeries, ScannedStudy } from "./worker-messages.ts";

/** Where the bytes of a scanned instance are, and how a volume shall hold them. */
export interface InstanceBytes {
  /** The file that holds them: the spooled ZIP, or what a large entry was inflated into. */
  source: "spool" | { inflatedPath: string };
  offset: number;
  storedBytes: number;
  method: 0 | 8;
  sizeBytes: number;
  crc32: number;
  /** Deflated in the ZIP, but to be stored: it has several frames, each of which must stay one range. */
  inflateBeforeWriting: boolean;
}

/** What the headers of an entry with a generated name take, in front of it and in the directory, but for ZIP64. */
const ENTRY_HEADER_BYTES = 138;

/** What an instance takes in a volume, at least. */
export function bytesAtRest({ inflateBeforeWriting, sizeBytes, storedBytes }: InstanceBytes): number {
  return ENTRY_HEADER_BYTES + (inflateBeforeWriting ? sizeBytes : storedBytes);
}

/** An instance of the upload: all of its manifest entry that does not depend on the volume. */
export interface ScannedInstance {
  described: Pick<
    ManifestInstance,
    "sopInstanceUID" | "sopClassUID" | "transferSyntaxUID" | "instanceNumber" | "rows" | "columns" | "frames"
  >;
  bytes: InstanceBytes;
  metadata: MetadataRef;
}

interface SeriesScan {
  index: IndexAttributes;
  instances: ScannedInstance[];
  metadataBytes: number;
  /** About what the index of its manifest takes in memory. */
  weightBytes: number;
}

export interface StudyScan {
  index: IndexAttributes;
  modalities: Set<string>;
  series: Map<string, SeriesScan>;
  /** SOP Instance UIDs, across the series: each instance is kept once in a study. */
  known: Set<string>;
  duplicates: number;
}

/** What a scan found, by study and series in the order of their first instance. Stays in the worker. */
export class ScannedUpload {
  readonly studies = new Map<string, StudyScan>();
  readonly metadata = new MetadataStore();
  readonly #limits: IngestLimits;
  #weightBytes = 0;
  instanceCount = 0;
  instanceBytes = 0;
  restBytes = 0;

  constructor(limits: IngestLimits) {
    this.#limits = limits;
  }

  /**
   * Adds an instance, or counts it as a duplicate of its study.
   * @returns whether it was added
   * @throws {IngestRefused} where the upload breaks a limit
   */
  add(instance: Instance, bytes: InstanceBytes, json: Uint8Array = jsonOf(instance)): boolean {
    const study = this.#study(instance);
    if (study.known.has(instance.sopInstanceUID)) {
      study.duplicates++;
      return false;
    }
    if (this.instanceCount >= this.#limits.maxInstances) {
      throw new IngestRefused("upload.too_many_instances", `more than ${this.#limits.maxInstances}`);
    }
    this.restBytes += bytesAtRest(bytes);
    if (this.restBytes > (this.#limits.maxRestBytes ?? Number.POSITIVE_INFINITY)) {
      throw new IngestRefused("upload.over_quota", "more at rest than the whole plan holds");
    }
    study.known.add(instance.sopInstanceUID);
    if (instance.index.modality !== null) study.modalities.add(instance.index.modality);
    const metadata = this.metadata.add(json);
    const { maxMetadataBytes, maxHeldMetadataBytes } = this.#limits;
    if (this.metadata.totalBytes > maxMetadataBytes || this.metadata.heldBytes > maxHeldMetadataBytes) {
      throw new IngestRefused("upload.too_much_metadata", `more than ${maxMetadataBytes} bytes`);
    }
    const series = this.#series(study, instance);
    series.metadataBytes += metadata.length;
    const weightBytes = instanceWeight(instance.frames);
    series.weightBytes += weightBytes;
    this.#weightBytes += weightBytes;
    if (
      series.metadataBytes > MAX_WRITTEN_METADATA_BYTES ||
      series.weightBytes > MAX_WRITTEN_WEIGHT_BYTES ||
      this.#weightBytes > this.#limits.maxIndexBytes
    ) {
      throw new IngestRefused("upload.series_too_large", "more than one manifest holds");
    }
    series.instances.push({ described: describe(instance), bytes, metadata });
    this.instanceCount++;
    this.instanceBytes += bytes.sizeBytes;
    return true;
  }

  /** The studies for the main thread: no bytes, no metadata. */
  summary(): ScannedStudy[] {
    return Array.from(this.studies, ([studyInstanceUID, study]) => ({
      studyInstanceUID,
      index: study.index,
      modalities: [...study.modalities].sort(),
      series: Array.from(
        study.series,
        ([seriesInstanceUID, series]): ScannedSeries => ({
          seriesInstanceUID,
          index: series.index,
          sopInstanceUIDs: series.instances.map(({ described }) => described.sopInstanceUID),
        }),
      ),
      duplicates: study.duplicates,
    }));
  }

  #study(instance: Instance): StudyScan {
    const existing = this.studies.get(instance.studyInstanceUID);
    if (existing) return existing;
    if (this.studies.size >= this.#limits.maxStudies) {
      throw new IngestRefused("upload.too_many_studies", `more than ${this.#limits.maxStudies}`);
    }
    const study = {
      index: instance.index,
      modalities: new Set<string>(),
      series: new Map(),
      known: new Set<string>(),
      duplicates: 0,
    };
    this.studies.set(instance.studyInstanceUID, study);
    return study;
  }

  #series(study: StudyScan, instance: Instance): SeriesScan {
    const existing = study.series.get(instance.seriesInstanceUID);
    if (existing) return existing;
    const series = { index: instance.index, instances: [], metadataBytes: 0, weightBytes: 0 };
    study.series.set(instance.seriesInstanceUID, series);
    return series;
  }
}

/** The DICOM JSON of an instance as UTF-8. */
export function jsonOf({ metadata }: Instance): Uint8Array {
  return Buffer.from(JSON.stringify(metadata));
}

function describe(instance: Instance): ScannedInstance["described"] {
  const { sopInstanceUID, sopClassUID, transferSyntaxUID, frames, index } = instance;
  const { instanceNumber, rows, columns } = index;
  return { sopInstanceUID, sopClassUID, transferSyntaxUID, frames, instanceNumber, rows, columns };
}
