import { type Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { AppError } from "../http/app-error.ts";
import { negotiateCoding } from "../http/content-coding.ts";
import { describeIn } from "../http/describe.ts";
import type { Guard } from "../http/guard.ts";
import { notAcceptable, notFound } from "../http/http.errors.ts";
import type { HttpEnv } from "../http/http-context.ts";
import { ApiDocsPage, type ShownDocument } from "../render/api-docs-page.tsx";
import { apiDocsStyle } from "../render/api-docs-style.ts";
import { ConformancePage } from "../render/conformance-page.tsx";
import { apiDocsDocument } from "../render/documents.tsx";
import type { PageContext } from "../render/pages.ts";
import { loadOnce } from "../runtime/load-once.ts";
import { type ApiDocument, createApiDocument, openObjects } from "./api-document.ts";
import { capabilitiesOf, wadlXml } from "./capabilities.ts";
import { conformanceSections } from "./conformance.ts";
import { problemKinds } from "./problem-kinds.ts";

const describe = describeIn("Operations");
const describeDicomweb = describeIn("DICOMweb");

const titles = {
  docs: /*i18n*/ { id: "shell.apiDocs.title", message: "API" },
  conformance: /*i18n*/ { id: "shell.conformance.title", message: "DICOM conformance statement" },
};

const WADL = "application/vnd.sun.wadl+xml";
/** Of all resources of a viewer's service together, which takes nothing in; each of them names its own. */
const VIEWER_METHODS = ["OPTIONS", "GET", "HEAD"];
const SERVICE_METHODS = [...VIEWER_METHODS, "POST"];

interface Sources {
  app: Pick<Hono<HttpEnv>, "routes">;
  productName: string;
  publicUrl: string;
  maxUploadBytes: number;
  pageContext: PageContext;
}

/** The document, made at the first request from the routes that the app then has, so that the start does not wait for it. */
interface Built {
  document: ApiDocument;
  json: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
  page: Child;
  conformance: Child;
}

/** `GET /api/openapi.json`, its readable page, the DICOM conformance statement and the capabilities of DICOMweb, for anyone. */
export function createOpenapiRoutes({ app, pageContext, maxUploadBytes, ...info }: Sources, guard: Guard) {
  const built = loadOnce(async () =>
    build(openObjects(await createApiDocument(app, info)), { ...info, maxUploadBytes }),
  );

  /** Retrieve Capabilities (PS3.18 §8.9); also on each resource, as editions before 2019 have it. */
  async function capabilities(c: Context<HttpEnv>): Promise<Response> {
    const isService = /^\/dicomweb(\/t\/[^/]+)?\/?$/.test(c.req.path);
    const [, token] = /^\/dicomweb\/t\/([^/]+)/.exec(c.req.path) ?? [];
    const ofService = token === undefined ? SERVICE_METHODS : VIEWER_METHODS;
    const methods = isService ? ofService : c.get("allowedMethods")(c.req.path);
    if (methods.length === 0) throw new AppError(notFound);
    const type = negotiateCapabilities(c.req.header("accept"));
    const { document } = await built();
    const service =
      token === undefined
        ? { base: `${info.publicUrl}/dicomweb`, prefix: "/dicomweb" }
        : { base: `${info.publicUrl}/dicomweb/t/${token}`, prefix: "/dicomweb/t/{token}" };
    const described = capabilitiesOf(document, service);
    const body = type === WADL ? wadlXml(described) : JSON.stringify(described);
    return c.body(body, 200, { "Content-Type": type, Allow: methods.join(", "), Vary: "Accept" });
  }
  const describedCapabilities = describeDicomweb(
    {},
    {
      summary: "Read what DICOMweb does here (Retrieve Capabilities)",
      details: "A WADL document, as XML or JSON. `/api/conformance` says the same to people.",
      media: [WADL, "application/json"],
      also: { 204: "To a browser that asks whether a page may call (below a viewer token)." },
      problems: [notFound, notAcceptable],
    },
  );

  return new Hono<HttpEnv>()
    .options("/dicomweb", guard("public"), describedCapabilities, capabilities)
    .options("/dicomweb/:resource{.*}", guard("public"), describedCapabilities, capabilities)
    .get(
      "/api/conformance",
      describe({}, { summary: "Read the DICOM conformance statement", media: ["text/html"] }),
      async (c) => {
        const [{ conformance }, context] = await Promise.all([built(), pageContext(c)]);
        return c.html(
          apiDocsDocument(context, { title: titles.conformance, page: conformance, style: apiDocsStyle }),
        );
      },
    )
    .get(
      "/api/openapi.json",
      guard("public"),
      describe({}, { summary: "Read this document (OpenAPI 3.1)", media: ["application/json"] }),
      async (c) => {
        const { json, gzip } = await built();
        c.header("Content-Type", "application/json");
        c.header("Cache-Control", "public, max-age=300");
        c.header("Vary", "Accept-Encoding");
        if (negotiateCoding(c.req.header("accept-encoding"), ["gzip"]) === "identity") return c.body(json);
        c.header("Content-Encoding", "gzip");
        return c.body(gzip);
      },
    )
    .get(
      "/api/docs",
      describe({}, { summary: "Read this document as a page", media: ["text/html"] }),
      async (c) => {
        const [{ page }, context] = await Promise.all([built(), pageContext(c)]);
        return c.html(apiDocsDocument(context, { title: titles.docs, page, style: apiDocsStyle }));
      },
    );
}

type Info = Pick<Sources, "productName" | "publicUrl" | "maxUploadBytes">;

async function build(document: ApiDocument, info: Info): Promise<Built> {
  const { productName, publicUrl } = info;
  const text = JSON.stringify(document);
  const json = new TextEncoder().encode(text);
  const shown = JSON.parse(text) as ShownDocument;
  const page = await ApiDocsPage({ document: shown, publicUrl, problems: [...problemKinds.values()] });
  const conformance = ConformancePage({ productName, sections: conformanceSections(document, info) });
  return { document, json, gzip: Bun.gzipSync(json), page, conformance };
}

/** @throws {AppError} 406 */
function negotiateCapabilities(accept = "*/*"): string {
  const types = accept.split(",", 100).map((entry) => entry.split(";")[0]?.trim().toLowerCase() ?? "");
  if (types.some((type) => ["*/*", "application/*", WADL, "application/xml", ""].includes(type))) {
    const json = types.indexOf("application/json");
    const wadl = types.indexOf(WADL);
    return json >= 0 && (wadl < 0 || json < wadl) ? "application/json" : WADL;
  }
  if (types.includes("application/json")) return "application/json";
  throw new AppError(notAcceptable);
}
