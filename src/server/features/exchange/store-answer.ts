import type { DicomJson, DicomJsonElement } from "../../../shared/dicom/reading/instance.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import type { NamedInstance, SkippedReason } from "../ingest/worker/worker-messages.ts";

export interface StoreOutcome {
  /** 200: all are stored; 202: some, or with a warning; 409: none (PS3.18 table 10.5.3-1). */
  status: 200 | 202 | 409;
  body: DicomJson;
}

/** What became of one instance of a request. */
export interface StoredInstance {
  /** Absent if the part could not be read so far. */
  identity: NamedInstance | undefined;
  failure: SkippedReason | undefined;
  /** Kept beside other bytes under the same SOP Instance UID, which are the ones shown. */
  isConflict: boolean;
}

/** PS3.18 table I.2-2. */
export const FailureReason = {
  processingFailure: 0x0110,
  outOfResources: 0xa700,
  /** In the range "Data Set does not match SOP Class": it is of another study than the request says. */
  otherStudy: 0xa901,
  cannotUnderstand: 0xc000,
} as const;
/** PS3.18 table I.2-1: elements of the data set that is shown differ from those that were sent. */
export const COERCION_WARNING = 0xb000;

const REASONS: Partial<Record<SkippedReason, number>> = {
  not_dicom: FailureReason.cannotUnderstand,
  dicomdir: FailureReason.cannotUnderstand,
  "instance.no_uid": FailureReason.cannotUnderstand,
  "instance.bad_uid": FailureReason.cannotUnderstand,
  "instance.truncated": FailureReason.cannotUnderstand,
  "instance.too_complex": FailureReason.outOfResources,
  "instance.too_many_variants": FailureReason.outOfResources,
  "zip.nested": FailureReason.cannotUnderstand,
  "zip.too_large": FailureReason.outOfResources,
  "study.other": FailureReason.otherStudy,
};

/** The Store Instances Response Module (PS3.18 annex I). */
export function storeAnswer(
  instances: readonly StoredInstance[],
  { baseUrl, studyInstanceUID }: { baseUrl: string; studyInstanceUID: string | undefined },
): StoreOutcome {
  const stored = instances.filter(({ failure }) => failure === undefined);
  const failed = instances.filter(({ failure }) => failure !== undefined);
  // A part that names no instance is among the failed ones too, which is all that many clients read.
  const unnamed = failed.filter(({ identity }) => identity === undefined);
  const studies = new Set(stored.flatMap(({ identity }) => identity?.studyInstanceUID ?? []));
  const [only] = studies;
  const study = studyInstanceUID ?? (studies.size === 1 ? only : undefined);
  const hasWarning = stored.some(({ isConflict }) => isConflict);
  return {
    status: stored.length === 0 ? 409 : failed.length > 0 || hasWarning ? 202 : 200,
    body: {
      // Of type 2: without a value where no one study was stored.
      [TagHex.RetrieveURL]:
        study !== undefined && stored.length > 0
          ? element("UR", `${baseUrl}/studies/${study}`)
          : { vr: "UR" },
      ...(failed.length > 0 && {
        [TagHex.FailedSOPSequence]: { vr: "SQ", Value: failed.map(failedItem) },
      }),
      ...(stored.length > 0 && {
        [TagHex.ReferencedSOPSequence]: {
          vr: "SQ",
          Value: stored.map((instance) => storedItem(instance, baseUrl)),
        },
      }),
      ...(unnamed.length > 0 && {
        [TagHex.OtherFailuresSequence]: { vr: "SQ", Value: unnamed.map(failedItem) },
      }),
    },
  };
}

function storedItem({ identity, isConflict }: StoredInstance, baseUrl: string): DicomJson {
  if (!identity) return {};
  const { studyInstanceUID, seriesInstanceUID, sopInstanceUID } = identity;
  const url = `${baseUrl}/studies/${studyInstanceUID}/series/${seriesInstanceUID}/instances/${sopInstanceUID}`;
  return {
    ...reference(identity),
    // What is shown under the UID of a conflict may be in another series than what was sent.
    [TagHex.RetrieveURL]: isConflict ? { vr: "UR" } : element("UR", url),
    ...(isConflict && { [TagHex.WarningReason]: element("US", COERCION_WARNING) }),
  };
}

function failedItem({ identity, failure }: StoredInstance): DicomJson {
  const reason = (failure && REASONS[failure]) ?? FailureReason.processingFailure;
  return { ...(identity && reference(identity)), [TagHex.FailureReason]: element("US", reason) };
}

function reference({ sopClassUID, sopInstanceUID }: NamedInstance): DicomJson {
  return {
    [TagHex.ReferencedSOPClassUID]: element("UI", sopClassUID),
    [TagHex.ReferencedSOPInstanceUID]: element("UI", sopInstanceUID),
  };
}

function element(vr: string, value: string | number): DicomJsonElement {
  return { vr, Value: [value] };
}
