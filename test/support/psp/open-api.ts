import { readFileSync } from "node:fs";
import Ajv, { type ValidateFunction } from "ajv";

/** Checks of a call by the Central Bank's OpenAPI file. Each returns the violations, one line each. */
export interface OpenApi {
  request(call: {
    method: string;
    route: string;
    parameters: Record<string, string>;
    body: unknown;
  }): string[];
  answer(call: { method: string; route: string; status: number; type: string; body?: unknown }): string[];
  webhook(body: unknown): string[];
  /** Which of these scopes allow the call. */
  scopes(call: { method: string; route: string }): string[];
  /** The catalogue of errors: name and HTTP statuses, as the description tells them. */
  errorTypes: { name: string; statuses: number[] }[];
  /** Every "Pix copia e cola" in the examples. */
  brCodes: string[];
}

type Node = Record<string, unknown>;

const CALLBACK = [
  "paths",
  "/webhook/{chave}",
  "put",
  "callbacks",
  "listaPix",
  "{$request.body#/webhookUrl}/pix",
  "post",
];

/** Read once: it is long, and each of its schemas is compiled at its first use. */
let loaded: OpenApi | undefined;

/** The file that `PIX_OPENAPI` names (API Pix 2.9); undefined if it is unset. */
export function loadOpenApi(): OpenApi | undefined {
  const path = process.env.PIX_OPENAPI;
  if (path) loaded ??= read(path);
  return loaded;
}

function read(path: string): OpenApi {
  const text = readFileSync(path, "utf8");
  const document = Bun.YAML.parse(text) as Node;
  // Not strict: OpenAPI 3.0 has keywords of its own, and a `location` there has no scheme, URI or not.
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, logger: false });
  ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
  ajv.addFormat("date", /^\d{4}-\d\d-\d\d$/);
  ajv.addFormat("uri", (uri) => URL.canParse(uri.includes("://") ? uri : `https://${uri}`));
  for (const [format, bits] of [
    ["int32", 31],
    ["int64", 53],
  ] as const)
    ajv.addFormat(format, {
      type: "number",
      validate: (value) => Number.isInteger(value) && Math.abs(value) < 2 ** bits,
    });
  ajv.addSchema({ $id: "api", ...document });
  const compiled = new Map<string, ValidateFunction>();

  function get(node: unknown, key: string | number): unknown {
    return typeof node === "object" && node !== null ? (node as Node)[key] : undefined;
  }

  /** Walks from the root through references; returns the final path and its value. */
  function walk(segments: readonly (string | number)[]): { path: (string | number)[]; node: unknown } {
    let path: (string | number)[] = [];
    let node: unknown = document;
    for (const segment of segments) {
      path = [...path, segment];
      node = get(node, segment);
      const reference = get(node, "$ref");
      if (typeof reference === "string") {
        path = reference.slice(2).split("/");
        node = path.reduce(get, document);
      }
    }
    return { path, node };
  }

  function validate(what: string, segments: readonly (string | number)[], value: unknown): string[] {
    const { path: found, node } = walk(segments);
    if (node === undefined) return [`${what}: the OpenAPI file has no ${segments.join(" ")}`];
    const pointer = found.map((part) =>
      encodeURIComponent(String(part).replaceAll("~", "~0").replaceAll("/", "~1")),
    );
    const reference = `api#/${pointer.join("/")}`;
    const check = compiled.get(reference) ?? ajv.compile({ $ref: reference });
    compiled.set(reference, check);
    if (check(value)) return [];
    return (check.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath}: ${message}`);
  }

  function parametersOf(route: string, method: string): { name: string; at: (string | number)[] }[] {
    return [
      ["paths", route, "parameters"],
      ["paths", route, method, "parameters"],
    ].flatMap((at) => {
      const list = walk(at).node;
      return (Array.isArray(list) ? list : []).map((_, index) => ({
        name: String(get(walk([...at, index]).node, "name")),
        at: [...at, index, "schema"],
      }));
    });
  }

  return {
    request({ method, route, parameters, body }) {
      const operation = ["paths", route, method.toLowerCase()];
      const breaches = parametersOf(route, method.toLowerCase())
        .filter(({ name }) => name in parameters)
        .flatMap(({ name, at }) => validate(`${method} ${route} ${name}`, at, parameters[name]));
      const hasBody = walk([...operation, "requestBody"]).node !== undefined;
      if (!hasBody) return body === undefined ? breaches : [...breaches, `${method} ${route}: has a body`];
      const schema = [...operation, "requestBody", "content", "application/json", "schema"];
      return [...breaches, ...validate(`${method} ${route}`, schema, body)];
    },
    answer({ method, route, status, type, body }) {
      const response = ["paths", route, method.toLowerCase(), "responses", String(status)];
      const { node } = walk(response);
      if (node === undefined) return [`${method} ${route}: ${status} isn't an answer to it`];
      if (get(node, "content") === undefined)
        return body === undefined ? [] : [`${method} ${route}: has a body`];
      return validate(`${method} ${route} ${status}`, [...response, "content", type, "schema"], body);
    },
    webhook: (body) =>
      validate("webhook", [...CALLBACK, "requestBody", "content", "application/json", "schema"], body),
    scopes({ method, route }) {
      const security = walk(["paths", route, method.toLowerCase(), "security", 0, "OAuth2"]).node;
      return Array.isArray(security) ? security.map(String) : [];
    },
    errorTypes: errorTypesIn(String(walk(["info", "description"]).node)),
    brCodes: Array.from(text.matchAll(/pixCopiaECola: (000201.*)$/gm), ([, code = ""]) => code),
  };
}

function errorTypesIn(description: string): OpenApi["errorTypes"] {
  return description
    .split(/^\s*### /m)
    .slice(1)
    .map((section) => ({
      name: /^`(\w+)`/.exec(section)?.[1] ?? "",
      statuses: [...new Set(Array.from(section.matchAll(/\[(\d{3})\b/g), ([, status]) => Number(status)))],
    }));
}
