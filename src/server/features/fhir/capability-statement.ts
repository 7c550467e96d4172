import { ENDPOINT, type FhirResource, Profile } from "./fhir-resource.ts";
import { INCLUDES, includesThatBring, SEARCH_PARAMETERS, type SearchedType } from "./search-parameters.ts";

const FHIR_VERSION = "4.0.1";
export const FHIR_JSON = "application/fhir+json";

export interface ServerFacts {
  productName: string;
  fhirUrl: string;
  dicomwebUrl: string;
}

/** What this server does of FHIR, by what it reads from searches. */
export function capabilityStatement({ productName, fhirUrl }: ServerFacts): FhirResource {
  const searchable = (type: SearchedType, profile: string) => ({
    type,
    supportedProfile: [profile],
    interaction: [{ code: "read" }, { code: "search-type" }],
    versioning: "no-version",
    searchInclude: includesThatBring(type, "_include"),
    ...("_revinclude" in INCLUDES[type] && { searchRevInclude: includesThatBring(type, "_revinclude") }),
    searchParam: Object.entries(SEARCH_PARAMETERS[type]).map(
      ([name, { type: kind, definition, documentation }]) => ({
        name,
        ...(definition && { definition }),
        type: kind,
        ...(documentation && { documentation }),
      }),
    ),
  });
  return {
    resourceType: "CapabilityStatement",
    status: "active",
    date: "2026-11-28",
    kind: "instance",
    software: { name: productName },
    implementation: { description: `${productName}: studies and their reports`, url: fhirUrl },
    fhirVersion: FHIR_VERSION,
    format: ["json", FHIR_JSON],
    rest: [
      {
        mode: "server",
        documentation:
          "Read only. Studies that the caller may see, and their reports as PDF. Answers are in pages of `_count` (at most 100), the newest study first (`_sort=-started`, `_sort=-date`); `_total=none` spares the count, `_summary=count` asks for it alone. `_elements`, `_summary=true` and `_summary=text` leave elements of matches, and of a resource that is read, out. A search may be sent as a form by POST to `_search`. `_include:iterate=ImagingStudy:endpoint` works where studies are included.",
        security: {
          description:
            "Authorization: Bearer with a session, or an access token with the scope dicomweb:read.",
        },
        resource: [
          searchable("ImagingStudy", Profile.imagingStudy),
          searchable("DiagnosticReport", Profile.diagnosticReport),
          { type: "Endpoint", interaction: [{ code: "read" }], versioning: "no-version" },
          { type: "Binary", interaction: [{ code: "read" }], versioning: "no-version" },
        ],
      },
    ],
  };
}

/** Where the images of every ImagingStudy are: DICOMweb, with the same credentials. */
export function dicomwebEndpoint({ productName, dicomwebUrl }: ServerFacts): FhirResource {
  return {
    resourceType: "Endpoint",
    id: ENDPOINT,
    status: "active",
    connectionType: {
      system: "http://terminology.hl7.org/CodeSystem/endpoint-connection-type",
      code: "dicom-wado-rs",
    },
    name: `${productName} DICOMweb`,
    payloadType: [{ text: "DICOM" }],
    payloadMimeType: ["application/dicom", "application/dicom+json"],
    address: dicomwebUrl,
  };
}
