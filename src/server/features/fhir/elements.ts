import type { FhirResource } from "./fhir-resource.ts";
import type { SearchedType } from "./search-parameters.ts";

/** Names of the elements that an answer has of what was asked for; all of them, if undefined. */
export type Elements = ReadonlySet<string> | undefined;

/** What each answer has: resources are none without it. */
const REQUIRED: Readonly<Record<SearchedType, readonly string[]>> = {
  ImagingStudy: ["resourceType", "id", "meta", "status", "subject"],
  DiagnosticReport: ["resourceType", "id", "meta", "status", "code"],
};

/** What FHIR R4 marks as summary (Σ), of what our resources have. */
const SUMMARY: Readonly<Record<SearchedType, readonly string[]>> = {
  ImagingStudy: [
    "identifier",
    "modality",
    "started",
    "referrer",
    "endpoint",
    "numberOfSeries",
    "numberOfInstances",
    "description",
    "series",
  ],
  DiagnosticReport: ["subject", "effectiveDateTime", "issued"],
};

/** Our resources have no narrative, so that `data` leaves nothing out. `count` is about the whole answer. */
export const SUMMARIES = ["true", "text", "data", "count", "false"];

/** The elements that `_elements` and `_summary` leave (FHIR R4 §3.1.1.5.8 and §3.1.1.5.9). */
export function elementsIn(parameters: URLSearchParams, type: SearchedType): Elements {
  const names = parameters.getAll("_elements").flatMap((value) => value.split(","));
  const named = names.map((name) => name.trim().replace(`${type}.`, "")).filter((name) => name !== "");
  const summary = parameters.get("_summary");
  if (named.length > 0) return new Set([...named, ...REQUIRED[type]]);
  if (summary === "text") return new Set(REQUIRED[type]);
  return summary === "true" ? new Set([...SUMMARY[type], ...REQUIRED[type]]) : undefined;
}

/** A resource that says what it is a part of, since an answer without some elements must not be taken for all. */
export function subsetOf(resource: FhirResource, elements: Elements): FhirResource {
  if (!elements) return resource;
  const isWanted = ([name]: [string, unknown]) =>
    // The patient is there for the reference to them.
    elements.has(name === "contained" ? "subject" : name) ||
    (name === "effectiveDateTime" && elements.has("effective"));
  return {
    ...Object.fromEntries(Object.entries(resource).filter(isWanted)),
    resourceType: resource.resourceType,
    meta: { ...(resource.meta as object), tag: [SUBSETTED] },
  };
}

const SUBSETTED = {
  system: "http://terminology.hl7.org/CodeSystem/v3-ObservationValue",
  code: "SUBSETTED",
};
