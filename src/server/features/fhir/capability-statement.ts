import { ENDPOINT, type FhirResource, Profile } from "./fhir-resource.ts";
import { SEARCH_PARAMETERS } from "./parse-fhir-search.ts";

export const FHIR_VERSION = "4.0.1";
export const FHIR_JSON = "application/fhir+json";

export interface ServerFacts {
  productName: string;
  fhirUrl: string;
  dicomwebUrl: string;
}

/** What this server does of FHIR, by what it reads from searches. */
export function capabilityStatement({ productName, fhirUrl }: ServerFacts): FhirResource {
  const searchable = (type: keyof typeof SEARCH_PARAMETERS, profile: string) => ({
    type,
    supportedProfile: [profile],
    interaction: [{ code: "read" }, { code: "search-type" }],
    searchParam: Object.entries(SEARCH_PARAMETERS[type]).map(([name, kind]) => ({ name, type: kind })),
  });
  return {
    resourceType: "CapabilityStatement",
    status: "active",
    date: "2026-11-22",
    kind: "instance",
    software: { name: productName },
    implementation: { description: `${productName}: studies and their reports`, url: fhirUrl },
    fhirVersion: FHIR_VERSION,
    format: ["json", FHIR_JSON],
    rest: [
      {
        mode: "server",
        documentation: "Read only. Studies that the caller may see, and their reports as PDF.",
        security: {
          description:
            "Authorization: Bearer with a session, or an access token with the scope dicomweb:read.",
        },
        resource: [
          searchable("ImagingStudy", Profile.imagingStudy),
          searchable("DiagnosticReport", Profile.diagnosticReport),
          { type: "Endpoint", interaction: [{ code: "read" }] },
          { type: "Binary", interaction: [{ code: "read" }] },
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
