import type { Page } from "../dicomweb/qido/parse-qido.ts";
import type { FhirResource } from "./fhir-resource.ts";
import type { FhirSearch } from "./parse-fhir-search.ts";
import type { FoundPage } from "./search-fhir.ts";
import type { SearchedType } from "./search-parameters.ts";

/** A page of a search (Bundle of type searchset), with the addresses of it and of the pages around it. */
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
      ...back({ limit, offset }).map(([relation, at]) => ({ relation, url: pageAt(at) })),
      ...(next === undefined ? [] : [{ relation: "next", url: pageAt(next) }]),
    ],
    ...(matches.length > 0 && {
      entry: [...matches.map(entryOf("match")), ...brought.map(entryOf("include"))],
    }),
  };
}

/** Where the pages before one begin. The previous one has some of its matches too, if fewer than a page come before it. */
function back({ limit, offset }: Page): [relation: string, at: number][] {
  if (limit === 0 || offset === 0) return [];
  return [
    ["first", 0],
    ["previous", Math.max(0, offset - limit)],
  ];
}
