import { KEYWORDS, type Level, searchedName } from "../features/dicomweb/qido/qido-attributes.ts";
import { xmlAttribute } from "../runtime/xml-text.ts";
import type { ApiDocument } from "./api-document.ts";
import { TRANSACTIONS } from "./dicomweb-transactions.ts";

/** A method of a WADL resource. */
export interface WadlMethod {
  name: string;
  id: string;
  request: { param: WadlParam[] };
  response: { status: string; representation: { mediaType: string }[] }[];
}

interface WadlParam {
  name: string;
  style: "header" | "query";
  option: string[];
}

export interface WadlResource {
  path: string;
  method: WadlMethod[];
  resource: WadlResource[];
}

/** A Capabilities Description (PS3.18 annex H): a WADL document as objects. */
export interface Capabilities {
  application: { resources: { base: string; resource: WadlResource[] } };
}

export interface ServicePlace {
  /** The address of the service. */
  base: string;
  /** How paths of the API's document begin that belong to it. */
  prefix: string;
}

/** Describes a DICOMweb service by what the API's document has of it, and so by the routes that answer. */
export function capabilitiesOf(document: ApiDocument, { base, prefix }: ServicePlace): Capabilities {
  const root: WadlResource = { path: "", method: [], resource: [] };
  for (const { method, resource, operation } of dicomwebCalls(document, prefix)) {
    const steps = resource.split("/").slice(1);
    descend(root, steps).method.push(methodOf(method, resource, operation));
  }
  return { application: { resources: { base, resource: root.resource } } };
}

type Operation = NonNullable<NonNullable<ApiDocument["paths"][string]>["get"]>;

export interface DicomwebCall {
  /** `GET` or `POST`. */
  method: string;
  /** Below the service: `/studies/{study}`. */
  resource: string;
  operation: Operation;
}

/** The calls of one DICOMweb service: those of sessions, or those below a viewer token. */
export function dicomwebCalls(document: ApiDocument, prefix: string): DicomwebCall[] {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const resource = path.slice(prefix.length);
    if (!path.startsWith(`${prefix}/`) || resource.startsWith("/t/")) return [];
    return (["get", "post"] as const).flatMap((method) => {
      const operation = item?.[method];
      return operation ? [{ method: method.toUpperCase(), resource, operation }] : [];
    });
  });
}

function descend(from: WadlResource, steps: string[]): WadlResource {
  let at = from;
  for (const path of steps) {
    let next = at.resource.find((one) => one.path === path);
    if (!next) {
      next = { path, method: [], resource: [] };
      at.resource.push(next);
    }
    at = next;
  }
  return at;
}

function methodOf(name: string, resource: string, operation: Operation): WadlMethod {
  const responses = Object.entries(operation.responses ?? {}).filter(([status]) => Number(status) < 400);
  const types = new Set(responses.flatMap(([, response]) => mediaTypesOf(response)));
  return {
    name,
    id: idOf(TRANSACTIONS[`${name} ${resource}`]),
    request: {
      param: [
        { name: "Accept", style: "header", option: [...types] },
        ...(name === "POST"
          ? [
              {
                name: "Content-Type",
                style: "header" as const,
                option: ['multipart/related; type="application/dicom"', "application/dicom"],
              },
            ]
          : []),
        ...queryOf(name, resource),
      ],
    },
    response: responses.map(([status, response]) => ({
      status,
      representation: mediaTypesOf(response).map((mediaType) => ({ mediaType })),
    })),
  };
}

/** `Search for Studies` → `SearchForStudies`. */
function idOf(transaction = ""): string {
  return transaction.replace(/(?:^| )(\w)/g, (_, first: string) => first.toUpperCase());
}

export function mediaTypesOf(response: object | undefined): string[] {
  return response && "content" in response ? Object.keys(response.content as object) : [];
}

/** The levels that a search asks about. */
function searchedLevels(resource: string): Level[] {
  if (resource === "/studies") return ["study"];
  if (resource === "/series") return ["study", "series"];
  if (resource === "/instances") return ["study", "series", "instance"];
  if (resource.endsWith("}/series")) return ["series"];
  if (resource.endsWith("{series}/instances")) return ["instance"];
  return resource.endsWith("}/instances") ? ["series", "instance"] : [];
}

function queryOf(method: string, resource: string): WadlParam[] {
  if (method === "POST") return [];
  if (/\/(rendered|thumbnail)$/.test(resource))
    return ["accept", "window", "viewport", "quality"].map((name) => query(name));
  const levels = searchedLevels(resource);
  if (levels.length === 0) return [query("accept")];
  const names = levels.flatMap((level) => KEYWORDS[level].map(searchedName));
  return [
    ...["limit", "offset"].map((name) => query(name)),
    query("fuzzymatching", ["true", "false"]),
    query("includefield", ["all", ...names]),
    ...names.map((name) => query(name)),
  ];
}

function query(name: string, option: string[] = []): WadlParam {
  return { name, style: "query", option };
}

/** The same as the XML of WADL. */
export function wadlXml({ application: { resources } }: Capabilities): string {
  const inner = resources.resource.map((one) => resourceXml(one)).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>
<application xmlns="http://wadl.dev.java.net/2009/02" xmlns:xs="http://www.w3.org/2001/XMLSchema"><resources base=${xmlAttribute(resources.base)}>${inner}</resources></application>
`;
}

function resourceXml({ path, method, resource }: WadlResource): string {
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  const params = names.map(
    (name) => `<param name="${name}" style="template" type="xs:string" required="true"/>`,
  );
  const inner = [...params, ...method.map(methodXml), ...resource.map(resourceXml)].join("");
  return `<resource path=${xmlAttribute(path)}>${inner}</resource>`;
}

function methodXml({ name, id, request, response }: WadlMethod): string {
  const params = request.param.map((param) => {
    const options = param.option.map((value) => `<option value=${xmlAttribute(value)}/>`).join("");
    const head = `<param name=${xmlAttribute(param.name)} style="${param.style}" type="xs:string"`;
    return options ? `${head}>${options}</param>` : `${head}/>`;
  });
  const responses = response.map(({ status, representation }) => {
    const inner = representation
      .map(({ mediaType }) => `<representation mediaType=${xmlAttribute(mediaType)}/>`)
      .join("");
    return `<response status="${status}">${inner}</response>`;
  });
  return `<method name="${name}" id=${xmlAttribute(id)}><request>${params.join("")}</request>${responses.join("")}</method>`;
}
