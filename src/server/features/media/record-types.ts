import { TagHex } from "../../../shared/dicom/tags.ts";

/** What a directory record says of an instance, beside its file and its number (PS3.3 §F.5). */
export interface RecordKind {
  type: string;
  /** Elements that are copied from the instance. */
  copied: readonly string[];
}

const CONTENT_DATE = [TagHex.ContentDate, TagHex.ContentTime];
const IMAGE: RecordKind = { type: "IMAGE", copied: [] };
const DOCUMENT: RecordKind = {
  type: "SR DOCUMENT",
  copied: [
    ...CONTENT_DATE,
    TagHex.CompletionFlag,
    TagHex.VerificationFlag,
    TagHex.VerificationDateTime,
    TagHex.ConceptNameCodeSequence,
  ],
};
const KEY_OBJECTS: RecordKind = {
  type: "KEY OBJECT DOC",
  copied: [...CONTENT_DATE, TagHex.ConceptNameCodeSequence],
};
export const ENCAPSULATED: RecordKind = {
  type: "ENCAP DOC",
  copied: [
    ...CONTENT_DATE,
    TagHex.DocumentTitle,
    TagHex.MIMETypeOfEncapsulatedDocument,
    TagHex.ConceptNameCodeSequence,
  ],
};
const PRESENTATION: RecordKind = {
  type: "PRESENTATION",
  copied: [
    TagHex.PresentationCreationDate,
    TagHex.PresentationCreationTime,
    TagHex.ContentLabel,
    TagHex.ContentDescription,
    TagHex.ContentCreatorName,
    TagHex.ReferencedSeriesSequence,
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
    },
  ],
  ["481.5", { type: "RT PLAN", copied: [TagHex.RTPlanLabel, TagHex.RTPlanDate, TagHex.RTPlanTime] }],
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
