import { setImmediate } from "node:timers/promises";
import { Hono } from "hono";
import type { RouterRoute } from "hono/types";
import { generateSpecs } from "hono-openapi";
import { problemSchema } from "../../shared/api/problem.ts";
import { answerOf, FAILURE_TYPE, PROBLEM_CODES, rooms } from "../http/describe.ts";
import { bodyTooLarge, unsupportedMediaType, validationFailed } from "../http/http.errors.ts";
import type { HttpEnv } from "../http/http-context.ts";
import { problemKinds } from "./problem-kinds.ts";

export type ApiDocument = Awaited<ReturnType<typeof generateSpecs>>;

export interface ApiInfo {
  productName: string;
  publicUrl: string;
}

const PROBLEM = "application/problem+json";
const problemContent = { [PROBLEM]: { schema: { $ref: "#/components/schemas/Problem" } } };

const methods = ["get", "post", "patch", "put", "delete", "options"] as const;

/** How many handlers are described in one turn of the event loop. */
const MAX_SLICE = 40;

/** Descriptions of path parameters by name; a route may describe its own differently. */
const parameterTexts: Record<string, string> = {
  study: "The study's `id`, or its Study Instance UID (the caller's own study first).",
  series: "The series' `id`, or its Series Instance UID.",
  id: "The `id` of a list.",
  userId: "The `userId` of a list.",
};
const dicomwebTexts: Record<string, string> = {
  study: "Study Instance UID.",
  series: "Series Instance UID.",
  instance: "SOP Instance UID.",
  frames: "Frame numbers from 1, separated by commas.",
  path: "Where the value lies in the data set, as `BulkDataURI` of the metadata names it.",
  resource: "Any resource of the service; the answer describes all of it.",
};

const introduction = `Errors are \`${PROBLEM}\` (RFC 9457). \`code\` is stable; \`message\` is in the language of
\`Accept-Language\` (pt-BR, en-US). Clients ignore members that they don't know: members are added, never taken away.
Times are ISO 8601 in UTC, DICOM dates \`YYYY-MM-DD\`, money integer cents of BRL.`;

/**
 * Describes the API as OpenAPI 3.1 from what the routes declare: guards, validating schemas, calls and descriptions. Its objects
 * are closed, as the server makes them; {@link openObjects} makes the document for clients.
 */
export async function createApiDocument(
  app: Pick<Hono<HttpEnv>, "routes">,
  info: ApiInfo,
): Promise<ApiDocument> {
  const slice = new Hono<HttpEnv>();
  const document = await generateSpecs(slice, { documentation: frameOf(info) });
  for (const routes of slicesOf(app.routes)) {
    slice.routes = routes;
    const { paths, components } = await generateSpecs(slice, generating);
    for (const [path, item] of Object.entries(paths)) {
      document.paths[path] = { ...document.paths[path], ...item };
    }
    document.components = {
      ...document.components,
      schemas: { ...document.components?.schemas, ...components?.schemas },
    };
    await setImmediate();
  }
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const operation = item?.[method];
      if (!operation) continue;
      addProblems(operation);
      explainParameters(operation, path);
    }
  }
  // A problem may have additional members, such as `ids` of `study.ambiguous` (RFC 9457 §3.2).
  const problem = document.components?.schemas?.Problem;
  if (problem && "additionalProperties" in problem) delete problem.additionalProperties;
  return document;
}

const generating = {
  excludeStaticFile: false,
  excludeMethods: [],
  defaultValidationErrorResponse: { description: validationFailed.code },
};

/** The parts of the document other than its calls. */
function frameOf({ productName, publicUrl }: ApiInfo) {
  return {
    info: {
      title: `${productName} API`,
      version: "1",
      description: introduction,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(rooms).map(([name, description]) => ({ name, description })),
    components: {
      securitySchemes: {
        session: {
          type: "http" as const,
          scheme: "bearer",
          description: "`token` of `POST /api/auth/login`, `verify-2fa` or `passkeys/sign-in`.",
        },
        accessToken: {
          type: "http" as const,
          scheme: "bearer",
          description: "`token` of `POST /api/tokens`, with the scope that the call names.",
        },
        delivery: {
          type: "http" as const,
          scheme: "bearer",
          description: "`token` of `POST /api/deliveries`; for uploads alone.",
        },
        metricsToken: {
          type: "http" as const,
          scheme: "bearer",
          description: "METRICS_TOKEN of the operator.",
        },
      },
      responses: {
        Problem: {
          description: "The call failed; `code` says why.",
          content: { [PROBLEM]: { schema: answerOf(problemSchema) } },
        },
      },
    },
  };
}

/** Splits the routes into slices, each of which takes a short time; all handlers of one route stay together. */
function slicesOf(routes: RouterRoute[]): RouterRoute[][] {
  const byPath = Map.groupBy(routes, ({ path }) => path);
  const slices: RouterRoute[][] = [[]];
  for (const ofPath of byPath.values()) {
    if ((slices.at(-1)?.length ?? 0) >= MAX_SLICE) slices.push([]);
    slices.at(-1)?.push(...ofPath);
  }
  return slices;
}

function explainParameters({ parameters = [] }: Operation, path: string): void {
  const texts = path.startsWith("/dicomweb/") ? dicomwebTexts : parameterTexts;
  for (const parameter of parameters) {
    if ("name" in parameter && parameter.in === "path") parameter.description ??= texts[parameter.name];
  }
}

type Operation = NonNullable<NonNullable<ApiDocument["paths"][string]>["get"]>;

/** Adds the problem codes of guard, validation and route under their statuses, and a default for any other failure. */
function addProblems(operation: Operation & { [PROBLEM_CODES]?: string[]; [FAILURE_TYPE]?: string }): void {
  const responses = operation.responses ?? {};
  const failureType = operation[FAILURE_TYPE];
  delete operation[FAILURE_TYPE];
  const content = failureType === undefined ? problemContent : { [failureType]: {} };
  const codes = new Set(operation[PROBLEM_CODES]);
  delete operation[PROBLEM_CODES];
  const rejected = responses["400"];
  if (rejected && "description" in rejected && rejected.description === validationFailed.code) {
    codes.add(validationFailed.code);
  }
  if (takesJson(operation)) for (const { code } of [bodyTooLarge, unsupportedMediaType]) codes.add(code);
  const byStatus = Map.groupBy(codes, (code) => String(problemKinds.get(code)?.status ?? "default"));
  for (const [status, listed] of byStatus) {
    const description = listed.map((code) => `\`${code}\``).join(", ");
    responses[status] = { description, content };
  }
  responses.default ??=
    failureType === undefined
      ? { $ref: "#/components/responses/Problem" }
      : { description: "The call failed; the body says why.", content };
  operation.responses = responses;
}

function takesJson({ requestBody }: Operation): boolean {
  return requestBody !== undefined && "content" in requestBody && "application/json" in requestBody.content;
}

/** Returns the document for clients, which accept answers with unknown members, since newer servers may add some. */
export function openObjects<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(openObjects) as Part;
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).filter(
    ([name, value]) => name !== "additionalProperties" || value !== false,
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, openObjects(value)])) as Part;
}
