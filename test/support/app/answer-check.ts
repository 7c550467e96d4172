import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import type { createApp } from "../../../src/server/app.ts";
import { type ApiDocument, createApiDocument } from "../../../src/server/openapi/api-document.ts";
import { problemKinds } from "../../../src/server/openapi/problem-kinds.ts";

type App = ReturnType<typeof createApp>;

/** The documentation of one path; `document` has nothing else. */
interface Documented {
  path: string;
  document: ApiDocument;
  /** Judges by the schema at a JSON pointer of `document`. */
  judge(pointer: string): ValidateFunction;
}

/** Whether a document is OpenAPI is judged elsewhere. */
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, validateSchema: false });

/** By path and methods: all apps of this process have the same routes, and to describe one takes long. */
const documented = new Map<string, Promise<Documented | undefined>>();

/**
 * From now on no answer leaves `app` that its document does not know: its status, its media type and, where it is JSON,
 * every member of it. Pages and files, which the document leaves out, go as they are.
 */
export function checkAnswers(app: App): App {
  const answer = app.fetch;
  app.fetch = async (request, ...rest) => {
    const response = await answer(request, ...rest);
    const route = routeOf(app, request);
    const known = route && (await documentOf(app, route));
    if (known && request.method !== "HEAD") await assertDocumented(known, request, response);
    return response;
  };
  return app;
}

/** The path of the route that answers, as the router finds it. */
function routeOf(app: App, { method, url }: Request): string | undefined {
  const [matches] = app.router.match(method === "HEAD" ? "GET" : method, new URL(url).pathname);
  return matches.map(([[, route]]) => route).find((route) => route.method !== "ALL")?.path;
}

function documentOf(app: App, path: string): Promise<Documented | undefined> {
  const routes = app.routes.filter((route) => route.path === path);
  const key = [path, ...routes.map(({ method }) => method)].join(" ");
  const found = documented.get(key) ?? documentRoutes(routes, `api${documented.size}`);
  documented.set(key, found);
  return found;
}

async function documentRoutes(routes: App["routes"], key: string): Promise<Documented | undefined> {
  const document = await createApiDocument({ routes }, { productName: "", publicUrl: "http://localhost" });
  const [documentedPath] = Object.keys(document.paths);
  if (documentedPath === undefined) return undefined;
  ajv.addSchema(document, key);
  const judges = new Map<string, ValidateFunction>();
  const judge = (pointer: string) => {
    const known = judges.get(pointer) ?? ajv.compile({ $ref: `${key}#${pointer}` });
    judges.set(pointer, known);
    return known;
  };
  return { path: documentedPath, document, judge };
}

async function assertDocumented(known: Documented, request: Request, response: Response): Promise<void> {
  const method = request.method.toLowerCase();
  const { status, headers } = response;
  const type = headers.get("content-type")?.split(";")[0];
  const fail = (why: string): never => {
    throw new Error(`${request.method} ${known.path} answered ${status} ${type}: ${why}`);
  };
  if (type === "application/problem+json") {
    const problem = (await response.clone().json()) as { code: string };
    assertFits(known.judge("/components/schemas/Problem"), problem, fail);
    if (problemKinds.get(problem.code)?.status !== status) fail(`unknown code ${problem.code}`);
    return;
  }
  const operation = known.document.paths[known.path]?.[method as "get"];
  const documented = operation?.responses?.[status];
  if (!documented || "$ref" in documented) return fail("the document has no such status");
  const types = Object.keys(documented.content ?? {});
  if (type === undefined || response.body === null) return;
  if (!types.includes(type)) fail(`the document has ${types.join(", ") || "no body"}`);
  if (type !== "application/json" || headers.has("content-encoding")) return;
  const schema = documented.content?.[type]?.schema;
  if (!schema) return;
  const pointer = ["", "paths", known.path, method, "responses", status, "content", type, "schema"]
    .map((part) => encodeURIComponent(String(part).replaceAll("~", "~0").replaceAll("/", "~1")))
    .join("/");
  assertFits(known.judge(pointer), await response.clone().json(), fail);
}

function assertFits(validate: ValidateFunction, body: unknown, fail: (why: string) => never): void {
  if (validate(body)) return;
  fail(
    (validate.errors ?? [])
      .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
      .join("; "),
  );
}
