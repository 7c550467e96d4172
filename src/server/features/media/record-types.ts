import { TagHex } from "../../../shared/dicom/tags.ts";
import type { DicomElements } from "../../dicom/write-instance.ts";

/** What a directory record says of an instance, beside its file and its number (PS3.3 §F.5). */
export interface RecordKind {
  type: string;
  /** Elements that are copied from the instance. */
  copied: readonly string[];
  /** Those among them that a record has without a value where the instance lacks them (Type 2), with their VR. */
  orEmpty?: Readonly<Record<string, string>>;
  /** Elements that are made of others. */
  made?: (header: DicomElements) => DicomElements;
}

const CONTENT_DATE = [TagHex.ContentDate, TagHex.ContentTime];
const CONTENT_NAME = [TagHex.ContentLabel, TagHex.ContentDescription, TagHex.ContentCreatorName];
const CONTENT_NAME_OR_EMPTY = { [TagHex.ContentDescription]: "LO", [TagHex.ContentCreatorName]: "PN" };
const IMAGE: RecordKind = { type: "IMAGE", copied: [] };
const DOCUMENT: RecordKind = {
  type: "SR DOCUMENT",
  copied: [...CONTENT_DATE, TagHex.CompletionFlag, TagHex.VerificationFlag, TagHex.ConceptNameCodeSequence],
  made: (header) => ({ ...verified(header), ...titleModifiers(header) }),
};
const KEY_OBJECTS: RecordKind = {
  type: "KEY OBJECT DOC",
  copied: [...CONTENT_DATE, TagHex.ConceptNameCodeSequence],
  made: titleModifiers,
};
export const ENCAPSULATED: RecordKind = {
  type: "ENCAP DOC",
  copied: [
    ...CONTENT_DATE,
    TagHex.DocumentTitle,
    TagHex.HL7InstanceIdentifier,
    TagHex.MIMETypeOfEncapsulatedDocument,
    TagHex.ConceptNameCodeSequence,
  ],
  orEmpty: {
    [TagHex.ContentDate]: "DA",
    [TagHex.ContentTime]: "TM",
    [TagHex.DocumentTitle]: "ST",
    [TagHex.ConceptNameCodeSequence]: "SQ",
  },
};
const PRESENTATION: RecordKind = {
  type: "PRESENTATION",
  copied: [
    TagHex.PresentationCreationDate,
    TagHex.PresentationCreationTime,
    ...CONTENT_NAME,
    TagHex.ReferencedSeriesSequence,
  ],
  orEmpty: CONTENT_NAME_OR_EMPTY,
};

const ofContent = (type: string): RecordKind => ({
  type,
  copied: [...CONTENT_DATE, ...CONTENT_NAME],
  orEmpty: CONTENT_NAME_OR_EMPTY,
});
const REGISTRATION = ofContent("REGISTRATION");
const TREATMENT: RecordKind = {
  type: "RT TREAT RECORD",
  copied: [TagHex.TreatmentDate, TagHex.TreatmentTime],
  orEmpty: { [TagHex.TreatmentDate]: "DA", [TagHex.TreatmentTime]: "TM" },
};
const PLAN: RecordKind = {
  type: "RT PLAN",
  copied: [TagHex.RTPlanLabel, TagHex.RTPlanDate, TagHex.RTPlanTime],
  orEmpty: { [TagHex.RTPlanDate]: "DA", [TagHex.RTPlanTime]: "TM" },
};
const SPECTROSCOPY: RecordKind = {
  type: "SPECTROSCOPY",
  copied: [
    ...CONTENT_DATE,
    TagHex.ImageType,
    TagHex.ReferencedImageEvidenceSequence,
    TagHex.NumberOfFrames,
    TagHex.Rows,
    TagHex.Columns,
    TagHex.DataPointRows,
    TagHex.DataPointColumns,
  ],
};

/** By the beginning of the SOP Class UID below `1.2.840.10008.5.1.4.1.1.`; the first that fits counts. */
const KINDS: readonly [start: string, kind: RecordKind][] = [
  ["88.59", KEY_OBJECTS],
  ["88.", DOCUMENT],
  ["11.", PRESENTATION],
  ["9.", { type: "WAVEFORM", copied: CONTENT_DATE }],
  ["104.", ENCAPSULATED],
  ["481.2", { type: "RT DOSE", copied: [TagHex.DoseSummationType] }],
  [
    "481.3",
    {
      type: "RT STRUCTURE SET",
      copied: [TagHex.StructureSetLabel, TagHex.StructureSetDate, TagHex.StructureSetTime],
      orEmpty: { [TagHex.StructureSetDate]: "DA", [TagHex.StructureSetTime]: "TM" },
    },
  ],
  ["481.4", TREATMENT],
  ["481.5", PLAN],
  ["481.6", TREATMENT],
  ["481.7", TREATMENT],
  ["481.8", PLAN],
  ["481.9", TREATMENT],
  ["4.2", SPECTROSCOPY],
  ["66.1", REGISTRATION],
  ["66.2", ofContent("FIDUCIAL")],
  ["66.3", REGISTRATION],
  ["66.5", ofContent("SURFACE")],
  ["66.6", ofContent("TRACT")],
  // Segmentations and maps below it are images.
  ["66.", IMAGE],
  ["66", { type: "RAW DATA", copied: CONTENT_DATE }],
  ["67", ofContent("VALUE MAP")],
  ["68.", { type: "SURFACE SCAN", copied: CONTENT_DATE }],
  ["77.1.5.3", { type: "STEREOMETRIC", copied: CONTENT_NAME, orEmpty: CONTENT_NAME_OR_EMPTY }],
];
const STORAGE = "1.2.840.10008.5.1.4.1.1.";

export function recordKindOf(sopClassUID: string): RecordKind {
  const below = sopClassUID.startsWith(STORAGE) ? sopClassUID.slice(STORAGE.length) : "";
  return (
    KINDS.find(
      ([start]) => below === start || below.startsWith(start.endsWith(".") ? start : `${start}.`),
    )?.[1] ?? IMAGE
  );
}

/** When the last observer verified a document: each of them says it in an item of their own. */
function verified(header: DicomElements): DicomElements {
  const times = itemsOf(header, TagHex.VerifyingObserverSequence)
    .flatMap((observer) => observer[TagHex.VerificationDateTime]?.Value ?? [])
    .filter((time) => typeof time === "string" && /^\d{4}/.test(time));
  const last = times.sort().at(-1);
  return last === undefined ? {} : { [TagHex.VerificationDateTime]: { vr: "DT", Value: [last] } };
}

/** The content items that modify the title of a document. */
function titleModifiers(header: DicomElements): DicomElements {
  const modifiers = itemsOf(header, TagHex.ContentSequence).filter(
    (item) => item[TagHex.RelationshipType]?.Value?.[0] === "HAS CONCEPT MOD",
  );
  return modifiers.length === 0 ? {} : { [TagHex.ContentSequence]: { vr: "SQ", Value: modifiers } };
}

function itemsOf(header: DicomElements, tag: string): DicomElements[] {
  return (header[tag]?.Value ?? []).filter(
    (item): item is DicomElements => typeof item === "object" && item !== null,
  );
}
