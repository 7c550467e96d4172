import type { FhirResource } from "./fhir-resource.ts";
import type { FhirSearch } from "./parse-fhir-search.ts";
import type { FoundPage } from "./search-fhir.ts";
import type { SearchedType } from "./search-parameters.ts";

/** A page of a search (Bundle of type searchset), with the addresses of it and of the next one. */
export function searchBundle(
  fhirUrl: string,
  type: SearchedType,
  { used, limit, offset }: FhirSearch,
  { matches, brought, next, total }: FoundPage,
): FhirResource {
  const address = (...page: [string, string][]) =>
    `${fhirUrl}/${type}?${new URLSearchParams([...used, ...page])}`;
  const pageAt = (at: number) => address(["_count", String(limit)], ["_offset", String(at)]);
  const entryOf = (mode: "match" | "include") => (resource: FhirResource) => ({
    fullUrl: `${fhirUrl}/${resource.resourceType}/${resource.id}`,
    resource,
    search: { mode },
  });
  return {
    resourceType: "Bundle",
    type: "searchset",
    ...(total !== undefined && { total }),
    link: [
      { relation: "self", url: limit === 0 ? address(["_summary", "count"]) : pageAt(offset) },
      ...(next === undefined ? [] : [{ relation: "next", url: pageAt(next) }]),
    ],
    ...(matches.length > 0 && {
      entry: [...matches.map(entryOf("match")), ...brought.map(entryOf("include"))],
    }),
  };
}
