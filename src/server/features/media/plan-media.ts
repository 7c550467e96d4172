import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import { ENCAPSULATED_PDF } from "../../../shared/dicom/sop-class.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { TransferSyntax } from "../../../shared/dicom/transfer-syntax.ts";
import type { KeptVariant, ManifestInstance } from "../../archive/manifest.ts";
import type { Deps } from "../../deps.ts";
import { type DirectoryRecord, directoryRecord } from "../../dicom/dicomdir.ts";
import type { DicomElements } from "../../dicom/write-instance.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import { AppError } from "../../http/app-error.ts";
import { readAhead, SMALL_AHEAD } from "../../runtime/read-ahead.ts";
import { WorkTurn } from "../../runtime/work-turn.ts";
import { studyRecord } from "../dicomweb/catalogue/open-catalogue.ts";
import { studyJson } from "../dicomweb/qido/qido-json.ts";
import type { SeriesRow, StudyRow } from "../studies/studies.table.ts";
import { HeaderReader } from "./header-reader.ts";
import { mediaTooLarge } from "./media.errors.ts";
import { ENCAPSULATED, type RecordKind, recordKindOf } from "./record-types.ts";

/** The most instances on a medium: a record of each is in memory. */
const MAX_INSTANCES = 50_000;
/** The most files beside the directory. */
const MAX_VARIANTS = 100_000;
/** The most instances of a series whose headers are read because their records say more than a number. */
const MAX_HEADERS = 2_000;
/** The most bytes of all records. Those of {@link MAX_INSTANCES} images take half of it, but copied header values may be long. */
const MAX_RECORD_BYTES = 32 * 1024 * 1024;
/** A longer record goes without what is made of an instance's content: a document may have any number of items that modify its title. */
const MAX_MADE_BYTES = 16 * 1024;

/** A file of the medium that is copied from a volume. */
export interface MediaFile {
  name: string;
  /** What the directory says of it. */
  record: DirectoryRecord;
  instance: Pick<
    ManifestInstance,
    | "volumeId"
    | "dataOffset"
    | "storedBytes"
    | "sizeBytes"
    | "method"
    | "crc32"
    | "sopClassUID"
    | "sopInstanceUID"
    | "transferSyntaxUID"
  >;
}

export interface MediaPlan {
  files: MediaFile[];
  /** Other bytes under the SOP Instance UID of one of the files. A directory has no place for them. */
  variants: KeptVariant[];
  /** The patient's record. */
  patient: DirectoryRecord;
  /** Patient and study as the instances say, for the laudo. */
  about: DicomElements;
  /** Adds the laudo as a series of its own, and returns the name of its file. */
  addReport(elements: DicomElements): string;
}

interface PlannedSeries {
  row: SeriesRow;
  manifest: StoredObjectRow;
}

/**
 * The records and files of a study. Its folders and `SER00001/IMG00001` below them have eight characters each.
 * @throws {AppError} `media.too_large`; as reading its manifests does
 */
export async function planMedia(
  deps: Pick<Deps, "series">,
  study: StudyRow,
  series: readonly PlannedSeries[],
  path: readonly string[] = ["DICOM", "PAT00001", "STU00001"],
): Promise<MediaPlan> {
  const allSeries = series.toSorted((a, b) => bySeriesNumber(a.row, b.row));
  const files: MediaFile[] = [];
  const variants: KeptVariant[] = [];
  const records: DirectoryRecord[] = [];
  let recordBytes = 0;
  let about: DicomElements | undefined;
  const turn = new WorkTurn();
  type Entry = [number, PlannedSeries];
  const warm = ([, { manifest }]: Entry) => deps.series.warm(manifest, true);
  const bytesOf = ([, { manifest }]: Entry) => manifest.sizeBytes;
  for await (const { item, result } of readAhead(allSeries.entries(), warm, { ...SMALL_AHEAD, bytesOf })) {
    await result;
    const [index, { row, manifest: object }] = item;
    const { instances, variants: others = [] } = await deps.series.manifest(object);
    if (files.length + instances.length > MAX_INSTANCES) throw new AppError(mediaTooLarge);
    if (variants.length + others.length > MAX_VARIANTS) throw new AppError(mediaTooLarge);
    variants.push(...others);
    await using headers = new HeaderReader(await deps.series.metadata(object));
    const [first] = instances;
    const header = first ? await headers.read(first) : undefined;
    about ??= aboutOf(study, header);
    const series = directoryRecord("SERIES", seriesElements(row, header ?? {}, index + 1));
    records.push(series);
    recordBytes += series.bytes.length;
    const folder = [...path, numbered("SER", index + 1)];
    for (const [place, instance] of instances.entries()) {
      if (turn.isOver()) await turn.next();
      const kind = recordKindOf(instance.sopClassUID);
      const needsHeader = kind.copied.length > 0 && place < MAX_HEADERS;
      const own = needsHeader ? await headers.read(instance) : undefined;
      const file = [...folder, numbered("IMG", place + 1)];
      const described = { ...instance, number: instance.instanceNumber ?? place + 1 };
      const record = instanceRecord(kind, file, described, own ?? {});
      recordBytes += record.bytes.length;
      if (recordBytes > MAX_RECORD_BYTES) throw new AppError(mediaTooLarge);
      series.lower.push(record);
      const { volumeId, dataOffset, storedBytes, sizeBytes, method, crc32 } = instance;
      const { sopClassUID, sopInstanceUID, transferSyntaxUID } = instance;
      const kept = { volumeId, dataOffset, storedBytes, sizeBytes, method, crc32 };
      const named = { sopClassUID, sopInstanceUID, transferSyntaxUID };
      files.push({ name: file.join("/"), record, instance: { ...kept, ...named } });
    }
  }
  const known = about ?? aboutOf(study, undefined);
  const recorded = forDirectory(study, known);
  const ofStudy = { ...directoryRecord("STUDY", pick(recorded, STUDY)), lower: records };
  const patient = { ...directoryRecord("PATIENT", pick(recorded, PATIENT)), lower: [ofStudy] };
  return {
    files,
    variants,
    patient,
    about: known,
    addReport(elements) {
      const file = [...path, numbered("SER", records.length + 1), "IMG00001"];
      const series = directoryRecord("SERIES", pick(elements, SERIES));
      const uid = String(elements[TagHex.SOPInstanceUID]?.Value?.[0]);
      const described = {
        sopClassUID: ENCAPSULATED_PDF,
        sopInstanceUID: uid,
        transferSyntaxUID: TransferSyntax.explicitLittleEndian,
        number: 1,
      };
      series.lower.push(instanceRecord(ENCAPSULATED, file, described, elements));
      records.push(series);
      return file.join("/");
    },
  };
}

const PATIENT = [TagHex.PatientName, TagHex.PatientID, TagHex.PatientBirthDate, TagHex.PatientSex];
const STUDY = [
  TagHex.StudyDate,
  TagHex.StudyTime,
  TagHex.AccessionNumber,
  TagHex.StudyDescription,
  TagHex.StudyInstanceUID,
  TagHex.StudyID,
];
const SERIES = [TagHex.Modality, TagHex.SeriesDescription, TagHex.SeriesInstanceUID, TagHex.SeriesNumber];

export function bySeriesNumber(a: SeriesRow, b: SeriesRow): number {
  return (a.seriesNumber ?? 0) - (b.seriesNumber ?? 0);
}

/** Files for other bytes under the UID of an image, which are taken along beside the directory. */
export function variantFiles(
  { variants }: Pick<MediaPlan, "variants">,
  folder: string,
): { name: string; instance: KeptVariant }[] {
  return variants.map((instance, index) => ({
    name: `${folder}VARIANTS/${numbered("VAR", index + 1)}`,
    instance,
  }));
}

/** A file ID's part of eight characters. */
export function numbered(prefix: string, number: number): string {
  return `${prefix}${String(number).padStart(8 - prefix.length, "0")}`;
}

function pick(elements: DicomElements, tags: readonly string[]): DicomElements {
  return Object.fromEntries(
    tags.flatMap((tag) => {
      const element = elements[tag];
      return element ? [[tag, element] as const] : [];
    }),
  );
}

/** With dates and times as PS3.5 writes them. */
function withPlainTimes(elements: DicomElements): DicomElements {
  const plain = Object.entries(elements).map(([tag, element]) => {
    const { vr } = element;
    const isTime = vr === "DA" || vr === "TM";
    return [tag, isTime ? given({ [tag]: element } as DicomJson, tag, vr) : element] as const;
  });
  return Object.fromEntries(plain);
}

/** A value of the header, or what stands in its place. */
function given(header: DicomJson, tag: string, vr: string, otherwise?: string) {
  const value = header[tag]?.Value?.map((one) => wellFormed(vr, one)).filter(
    (one) => one !== null && one !== "",
  );
  if (value && value.length > 0) return { vr, Value: value };
  return { vr, Value: otherwise === undefined ? [] : [otherwise] };
}

/** A date or time as PS3.5 writes it: older instances have dots and colons in them. Any other is left out. */
function wellFormed(vr: string, value: unknown): unknown {
  if (vr !== "DA" && vr !== "TM") return value;
  const digits = String(value ?? "").replace(vr === "DA" ? /[.-]/g : /:/g, "");
  return (vr === "DA" ? /^\d{8}$/ : /^\d{2,6}(\.\d{1,6})?$/).test(digits) ? digits : null;
}

/** Patient and study as an instance says, or without its header as searches answer them. */
function aboutOf(study: StudyRow, header: DicomJson = studyJson(studyRecord(study))): DicomElements {
  const issuer = given(header, TagHex.IssuerOfPatientID, "LO");
  const description = given(header, TagHex.StudyDescription, "LO");
  return {
    [TagHex.PatientName]: given(header, TagHex.PatientName, "PN"),
    [TagHex.PatientID]: given(header, TagHex.PatientID, "LO"),
    ...(issuer.Value.length > 0 && { [TagHex.IssuerOfPatientID]: issuer }),
    [TagHex.PatientBirthDate]: given(header, TagHex.PatientBirthDate, "DA"),
    [TagHex.PatientSex]: given(header, TagHex.PatientSex, "CS"),
    [TagHex.StudyDate]: given(header, TagHex.StudyDate, "DA"),
    [TagHex.StudyTime]: given(header, TagHex.StudyTime, "TM"),
    [TagHex.AccessionNumber]: given(header, TagHex.AccessionNumber, "SH"),
    [TagHex.ReferringPhysicianName]: given(header, TagHex.ReferringPhysicianName, "PN"),
    ...(description.Value.length > 0 && { [TagHex.StudyDescription]: description }),
    [TagHex.StudyInstanceUID]: { vr: "UI", Value: [study.studyInstanceUID] },
    [TagHex.StudyID]: given(header, TagHex.StudyID, "SH"),
  };
}

/** What a directory must have and the instances lack is made up (PS3.11 §D.3.3.2). In the laudo it would make another patient. */
function forDirectory({ id, createdAt }: StudyRow, about: DicomElements): DicomElements {
  const madeUp: DicomElements = {
    [TagHex.PatientID]: { vr: "LO", Value: [id.slice(0, 8).toUpperCase()] },
    [TagHex.StudyDate]: { vr: "DA", Value: [createdAt.toISOString().slice(0, 10).replaceAll("-", "")] },
    [TagHex.StudyTime]: { vr: "TM", Value: ["000000"] },
    [TagHex.StudyDescription]: { vr: "LO", Value: [] },
    [TagHex.StudyID]: { vr: "SH", Value: ["1"] },
  };
  const missing = Object.entries(madeUp).filter(([tag]) => !about[tag]?.Value?.length);
  return { ...about, ...Object.fromEntries(missing) };
}

function seriesElements(row: SeriesRow, header: DicomJson, number: number): DicomElements {
  return {
    [TagHex.Modality]: given(header, TagHex.Modality, "CS", row.modality ?? "OT"),
    [TagHex.SeriesInstanceUID]: { vr: "UI", Value: [row.seriesInstanceUID] },
    [TagHex.SeriesNumber]: { vr: "IS", Value: [row.seriesNumber ?? number] },
    ...(row.description && { [TagHex.SeriesDescription]: { vr: "LO", Value: [row.description] } }),
  };
}

function instanceRecord(
  { type, copied, orEmpty = {}, made }: RecordKind,
  file: string[],
  instance: Pick<ManifestInstance, "sopClassUID" | "sopInstanceUID" | "transferSyntaxUID"> & {
    number: number;
  },
  header: DicomJson | DicomElements,
): DirectoryRecord {
  const empty = Object.entries(orEmpty).map(([tag, vr]) => [tag, { vr, Value: [] }] as const);
  const known = {
    ...Object.fromEntries(empty),
    ...withPlainTimes(pick(header as DicomElements, copied)),
    [TagHex.ReferencedFileID]: { vr: "CS", Value: file },
    [TagHex.ReferencedSOPClassUIDInFile]: { vr: "UI", Value: [instance.sopClassUID] },
    [TagHex.ReferencedSOPInstanceUIDInFile]: { vr: "UI", Value: [instance.sopInstanceUID] },
    [TagHex.ReferencedTransferSyntaxUIDInFile]: { vr: "UI", Value: [instance.transferSyntaxUID] },
    [TagHex.InstanceNumber]: { vr: "IS", Value: [Math.trunc(instance.number)] },
  };
  const more = made?.(header as DicomElements);
  const record = directoryRecord(type, { ...known, ...more });
  return more && record.bytes.length > MAX_MADE_BYTES ? directoryRecord(type, known) : record;
}
