/** A resource of FHIR R4 (4.0.1) as JSON. */
export interface FhirResource {
  resourceType: string;
  id?: string;
  [element: string]: unknown;
}

export interface Coding {
  system?: string;
  code: string;
  display?: string;
}

/** BR-Core, the national profiles. */
const BR_CORE = "https://br-core.saude.gov.br/fhir/StructureDefinition";

export const Profile = {
  imagingStudy: `${BR_CORE}/br-core-imagingstudy`,
  diagnosticReport: `${BR_CORE}/br-core-diagnosticreport`,
} as const;

/** Codes of DICOM (PS3.16), such as modalities. */
export const DICOM_CODES = "http://dicom.nema.org/resources/ontology/DCM";
/** The system of UIDs; their values are `urn:oid:` and the UID (FHIR R4, ImagingStudy §12.6.4). */
export const DICOM_UID = "urn:dicom:uid";

/** The id of the one Endpoint. */
export const ENDPOINT = "dicomweb";

/**
 * A text that FHIR allows in a string (R4 §2.24.0.1): without control characters, and with no other spaces than the plain one, which is
 * all that validators take. Undefined for one that says nothing.
 */
export function fhirText(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  return text.replace(/[\p{Cc}\p{Z}\ufeff]/gu, " ").trim() || undefined;
}
