import { dataSetText } from "../../../../shared/dicom/reading/data-set-text.ts";
import type { IndexAttributes, Instance } from "../../../../shared/dicom/reading/instance.ts";
import { keptAttributes, patientNameInGroups } from "../../../../shared/dicom/reading/kept-attributes.ts";
import { TagHex } from "../../../../shared/dicom/tags.ts";
import { type Content, isSameContent } from "../../../archive/content-hash.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { MAX_WRITTEN_METADATA_BYTES } from "../../../archive/manifest-codec.ts";
import { instanceWeight, MAX_WRITTEN_WEIGHT_BYTES } from "../../../archive/manifest-weight.ts";
import { type MetadataRef, MetadataStore } from "../../../archive/metadata-store.ts";
import { IngestRefused } from "./worker.errors.ts";
import type { IngestLimits, ScannedSeries, ScannedStudy } from "./worker-messages.ts";

/** The source of a scanned instance's bytes, and how a volume is to hold them. */
export interface InstanceBytes {
  /** The file that holds them: the spooled ZIP, or what a large entry was inflated into. */
  source: "spool" | { inflatedPath: string };
  offset: number;
  storedBytes: number;
  method: 0 | 8;
  sizeBytes: number;
  crc32: number;
  contentHash: string;
  /** The instance is deflated in the ZIP but must be stored: it has several frames, and each must be one range. */
  inflateBeforeWriting: boolean;
}

/** Bytes of both headers of an entry with a generated name (local and in the directory), without ZIP64. */
const ENTRY_HEADER_BYTES = 138;

/** The fewest bytes that an instance takes in a volume. */
export function bytesAtRest({ inflateBeforeWriting, sizeBytes, storedBytes }: InstanceBytes): number {
  return ENTRY_HEADER_BYTES + (inflateBeforeWriting ? sizeBytes : storedBytes);
}

/** An instance of the upload, with the part of its manifest entry that does not depend on the volume. */
export interface ScannedInstance {
  described: Pick<
    ManifestInstance,
    "sopInstanceUID" | "sopClassUID" | "transferSyntaxUID" | "instanceNumber" | "rows" | "columns" | "frames"
  >;
  bytes: InstanceBytes;
  metadata: MetadataRef;
  /** Of its entry in the ZIP. */
  name: string;
}

/** Other bytes than those of an earlier instance of the upload, under its SOP Instance UID. */
export interface ScannedVariant {
  sopInstanceUID: string;
  bytes: InstanceBytes;
  name: string;
}

interface SeriesScan {
  index: IndexAttributes;
  instances: ScannedInstance[];
  metadataBytes: number;
  /** The approximate memory of its manifest's index, in bytes. */
  weightBytes: number;
}

export interface StudyScan {
  index: IndexAttributes;
  modalities: Set<string>;
  series: Map<string, SeriesScan>;
  variants: ScannedVariant[];
  /** The contents seen under each SOP Instance UID, across the series. */
  known: Map<string, Content[]>;
  duplicates: number;
}

/** The result of a scan, by study and series in the order of their first instance. It stays in the worker. */
export class ScannedUpload {
  readonly studies = new Map<string, StudyScan>();
  readonly metadata = new MetadataStore();
  readonly limits: IngestLimits;
  #weightBytes = 0;
  instanceCount = 0;
  instanceBytes = 0;
  restBytes = 0;

  constructor(limits: IngestLimits) {
    this.limits = limits;
  }

  /**
   * Adds an instance. If its study has one of the same UID, it is added as a variant or counted as a duplicate.
   * @throws {IngestRefused} when the upload breaks a limit
   */
  add(
    instance: Instance,
    bytes: InstanceBytes,
    { name = "", json = jsonOf(instance) }: { name?: string; json?: Uint8Array } = {},
  ): "added" | "duplicate" | "left_out" {
    const study = this.#study(instance);
    const { sopInstanceUID } = instance;
    const same = study.known.get(sopInstanceUID) ?? [];
    if (same.some((content) => isSameContent(content, bytes))) {
      study.duplicates++;
      return "duplicate";
    }
    if (same.length > this.limits.maxVariants) return "left_out";
    if (this.instanceCount >= this.limits.maxInstances) {
      throw new IngestRefused("upload.too_many_instances", `more than ${this.limits.maxInstances}`);
    }
    this.restBytes += bytesAtRest(bytes);
    if (this.restBytes > (this.limits.maxRestBytes ?? Number.POSITIVE_INFINITY)) {
      throw new IngestRefused("upload.over_quota", "more at rest than the whole plan holds");
    }
    this.instanceCount++;
    this.instanceBytes += bytes.sizeBytes;
    study.known.set(sopInstanceUID, [...same, bytes]);
    if (same.length > 0) {
      study.variants.push({ sopInstanceUID, bytes, name });
      return "added";
    }
    if (instance.index.modality !== null) study.modalities.add(instance.index.modality);
    const metadata = this.metadata.add(json);
    const { maxMetadataBytes, maxHeldMetadataBytes } = this.limits;
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
      this.#weightBytes > this.limits.maxIndexBytes
    ) {
      throw new IngestRefused("upload.series_too_large", "more than one manifest holds");
    }
    series.instances.push({ described: describe(instance), bytes, metadata, name });
    return "added";
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
    if (this.studies.size >= this.limits.maxStudies) {
      throw new IngestRefused("upload.too_many_studies", `more than ${this.limits.maxStudies}`);
    }
    const study = {
      index: indexOfFirst(instance),
      modalities: new Set<string>(),
      series: new Map(),
      variants: [],
      known: new Map<string, Content[]>(),
      duplicates: 0,
    };
    this.studies.set(instance.studyInstanceUID, study);
    return study;
  }

  #series(study: StudyScan, instance: Instance): SeriesScan {
    const existing = study.series.get(instance.seriesInstanceUID);
    if (existing) return existing;
    const series = { index: indexOfFirst(instance), instances: [], metadataBytes: 0, weightBytes: 0 };
    study.series.set(instance.seriesInstanceUID, series);
    return series;
  }
}

/** What the database keeps of a study or series, which its first instance tells. */
function indexOfFirst({ index, metadata }: Instance): IndexAttributes {
  const { study, series } = keptAttributes(metadata);
  const name = patientNameInGroups(metadata);
  return { ...index, kept: { study: { ...study, ...(name && { [TagHex.PatientName]: name }) }, series } };
}

/** The DICOM JSON of an instance as UTF-8. */
export function jsonOf({ metadata }: Instance): Uint8Array {
  return Buffer.from(dataSetText(metadata));
}

function describe(instance: Instance): ScannedInstance["described"] {
  const { sopInstanceUID, sopClassUID, transferSyntaxUID, frames, index } = instance;
  const { instanceNumber, rows, columns } = index;
  return { sopInstanceUID, sopClassUID, transferSyntaxUID, frames, instanceNumber, rows, columns };
}
