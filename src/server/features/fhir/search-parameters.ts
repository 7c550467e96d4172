import type { Coding } from "./fhir-resource.ts";

/** The types of resources that searches find. */
export type SearchedType = "ImagingStudy" | "DiagnosticReport";

/** What values are compared with. */
export type Meaning =
  | "id"
  | "changed"
  | "study"
  | "series"
  | "patient"
  | "name"
  | "birthday"
  | "identifier"
  | "modality"
  | "day"
  | "status";

interface SearchParameter {
  type: "token" | "reference" | "date";
  meaning: Meaning;
  /** Undefined for another spelling of one that is defined. */
  definition?: string;
  /** The type that a reference leads to. */
  target?: "Patient" | "ImagingStudy";
  /** What of the resource there can be compared, by its parameters. */
  chains?: Readonly<Record<string, Meaning>>;
  documentation?: string;
}

const HL7 = "http://hl7.org/fhir/SearchParameter";
/** FHIR R4 has no parameter for the studies of a report, so this is the one of IHE's Interactive Multimedia Report. */
const IHE = "https://profiles.ihe.net/RAD/IMR/SearchParameter";

const patient = {
  type: "reference",
  meaning: "patient",
  target: "Patient",
  chains: { identifier: "patient", name: "name", birthdate: "birthday" },
  documentation:
    "Compares PatientID, also as `.identifier` and `:identifier`. `.name` compares words of the name by how they begin, without case and accents, and takes one value; `.birthdate` the date of birth.",
} as const;

const study = {
  type: "reference",
  meaning: "study",
  target: "ImagingStudy",
  chains: { identifier: "identifier" },
  documentation: "Also as `.identifier`.",
} as const;

const PREFIXES = "Takes all prefixes of FHIR R4, and several values, of which one is enough.";
const OF_TIMES = `UTC without a zone. ${PREFIXES}`;

const lastUpdated = {
  type: "date",
  meaning: "changed",
  definition: `${HL7}/Resource-lastUpdated`,
} as const;

const attached = { ...lastUpdated, documentation: `When the report was attached. ${OF_TIMES}` } as const;

const day = {
  type: "date",
  meaning: "day",
  documentation: `The day of the study, as its instances write it; a time of day counts as its day. ${PREFIXES}`,
} as const;

/** What searches compare, by the names of FHIR R4 (§3.1.1). */
export const SEARCH_PARAMETERS: Readonly<Record<SearchedType, Readonly<Record<string, SearchParameter>>>> = {
  ImagingStudy: {
    _id: { type: "token", meaning: "id", definition: `${HL7}/Resource-id` },
    _lastUpdated: { ...lastUpdated, documentation: `When the study last got instances. ${OF_TIMES}` },
    patient: { ...patient, definition: `${HL7}/clinical-patient` },
    subject: { ...patient, definition: `${HL7}/ImagingStudy-subject` },
    identifier: {
      type: "token",
      meaning: "identifier",
      definition: `${HL7}/clinical-identifier`,
      documentation: "The Study Instance UID, or the accession number without a system.",
    },
    started: { ...day, definition: `${HL7}/ImagingStudy-started` },
    modality: { type: "token", meaning: "modality", definition: `${HL7}/ImagingStudy-modality` },
    series: {
      type: "token",
      meaning: "series",
      definition: `${HL7}/ImagingStudy-series`,
      documentation: "The Series Instance UID of one of its series.",
    },
    status: { type: "token", meaning: "status", definition: `${HL7}/ImagingStudy-status` },
  },
  DiagnosticReport: {
    _id: { type: "token", meaning: "id", definition: `${HL7}/Resource-id` },
    _lastUpdated: attached,
    patient: { ...patient, definition: `${HL7}/clinical-patient` },
    subject: { ...patient, definition: `${HL7}/DiagnosticReport-subject` },
    date: { ...day, definition: `${HL7}/clinical-date` },
    issued: { ...attached, definition: `${HL7}/DiagnosticReport-issued` },
    status: { type: "token", meaning: "status", definition: `${HL7}/DiagnosticReport-status` },
    imagingStudy: { ...study, definition: `${IHE}/DiagnosticReport-ImagingStudy` },
    "imaging-study": study,
  },
};

/** The one status that resources of a type have here. */
export const STATUS: Readonly<Record<SearchedType, Coding>> = {
  ImagingStudy: { system: "http://hl7.org/fhir/imagingstudy-status", code: "available" },
  DiagnosticReport: { system: "http://hl7.org/fhir/diagnostic-report-status", code: "final" },
};

/** The order of every answer: the newest study first. */
export const ORDER: Readonly<Record<SearchedType, string>> = {
  ImagingStudy: "-started",
  DiagnosticReport: "-date",
};

/** Types of resources that a page can bring along. */
export type Brought = "Endpoint" | "ImagingStudy" | "DiagnosticReport";

type Includes = Readonly<Record<string, Brought | "contained">>;

const ofStudy: Includes = {
  "ImagingStudy:endpoint": "Endpoint",
  "ImagingStudy:patient": "contained",
  "ImagingStudy:subject": "contained",
};
const reports: Includes = {
  "DiagnosticReport:imagingStudy": "DiagnosticReport",
  "DiagnosticReport:imaging-study": "DiagnosticReport",
};

/** What `_include` and `_revinclude` bring, by what names it (FHIR R4 §3.1.1.5.4). A contained resource is there without. */
export const INCLUDES: Readonly<Record<SearchedType, Readonly<Record<string, Includes>>>> = {
  ImagingStudy: { _include: ofStudy, "_include:iterate": ofStudy, _revinclude: reports },
  DiagnosticReport: {
    _include: {
      "DiagnosticReport:imagingStudy": "ImagingStudy",
      "DiagnosticReport:imaging-study": "ImagingStudy",
      "DiagnosticReport:patient": "contained",
      "DiagnosticReport:subject": "contained",
    },
    "_include:iterate": ofStudy,
  },
};

/** What names an inclusion that brings something, for one of its parameters. */
export function includesThatBring(type: SearchedType, parameter: string): string[] {
  const includes = Object.entries(INCLUDES[type][parameter] ?? {});
  return includes.filter(([, brought]) => brought !== "contained").map(([name]) => name);
}
