import type { Coding } from "./fhir-resource.ts";

/** The types of resources that searches find. */
export type SearchedType = "ImagingStudy" | "DiagnosticReport";

interface SearchParameter {
  type: "token" | "reference" | "date";
  /** What its values are compared with. */
  meaning: "id" | "changed" | "study" | "patient" | "identifier" | "modality" | "day" | "status";
  /** Undefined for another spelling of one that is defined. */
  definition?: string;
  /** The type that a reference leads to. */
  target?: "Patient" | "ImagingStudy";
  documentation?: string;
}

const HL7 = "http://hl7.org/fhir/SearchParameter";
/** FHIR R4 has no parameter for the studies of a report, so this is the one of IHE's Interactive Multimedia Report. */
const IHE = "https://profiles.ihe.net/RAD/IMR/SearchParameter";

const patient = {
  type: "reference",
  meaning: "patient",
  target: "Patient",
  documentation: "Compares PatientID. Also as `.identifier` and `:identifier`.",
} as const;

const study = {
  type: "reference",
  meaning: "study",
  target: "ImagingStudy",
  documentation: "Also as `.identifier`.",
} as const;

const lastUpdated = {
  type: "date",
  meaning: "changed",
  definition: `${HL7}/Resource-lastUpdated`,
} as const;

/** What searches compare, by the names of FHIR R4 (§3.1.1). */
export const SEARCH_PARAMETERS: Readonly<Record<SearchedType, Readonly<Record<string, SearchParameter>>>> = {
  ImagingStudy: {
    _id: { type: "token", meaning: "id", definition: `${HL7}/Resource-id` },
    _lastUpdated: { ...lastUpdated, documentation: "When the study last got instances. UTC without a zone." },
    patient: { ...patient, definition: `${HL7}/clinical-patient` },
    subject: { ...patient, definition: `${HL7}/ImagingStudy-subject` },
    identifier: {
      type: "token",
      meaning: "identifier",
      definition: `${HL7}/clinical-identifier`,
      documentation: "The Study Instance UID, or the accession number without a system.",
    },
    started: { type: "date", meaning: "day", definition: `${HL7}/ImagingStudy-started` },
    modality: { type: "token", meaning: "modality", definition: `${HL7}/ImagingStudy-modality` },
    status: { type: "token", meaning: "status", definition: `${HL7}/ImagingStudy-status` },
  },
  DiagnosticReport: {
    _id: { type: "token", meaning: "id", definition: `${HL7}/Resource-id` },
    _lastUpdated: { ...lastUpdated, documentation: "When the report was attached. UTC without a zone." },
    patient: { ...patient, definition: `${HL7}/clinical-patient` },
    subject: { ...patient, definition: `${HL7}/DiagnosticReport-subject` },
    date: { type: "date", meaning: "day", definition: `${HL7}/clinical-date` },
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
