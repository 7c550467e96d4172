import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { negotiateCoding } from "../http/content-coding.ts";
import { describeIn } from "../http/describe.ts";
import type { Guard } from "../http/guard.ts";
import type { HttpEnv } from "../http/http-context.ts";
import { ApiDocsPage, type ShownDocument } from "../render/api-docs-page.tsx";
import { apiDocsStyle } from "../render/api-docs-style.ts";
import { apiDocsDocument } from "../render/documents.tsx";
import type { PageContext } from "../render/pages.ts";
import { type ApiDocument, createApiDocument, openObjects } from "./api-document.ts";
import { problemKinds } from "./problem-kinds.ts";

const describe = describeIn("Operations");

interface Sources {
  app: Pick<Hono<HttpEnv>, "routes">;
  productName: string;
  publicUrl: string;
  pageContext: PageContext;
}

/** The document, made at the first request from the routes that the app then has, so that the start does not wait for it. */
interface Built {
  json: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
  page: Child;
}

/** `GET /api/openapi.json` and its readable page `GET /api/docs`, for anyone. */
export function createOpenapiRoutes({ app, pageContext, ...info }: Sources, guard: Guard) {
  let building: Promise<Built> | undefined;
  const built = () => {
    building ??= createApiDocument(app, info).then((document) =>
      build(openObjects(document), info.publicUrl),
    );
    return building;
  };

  return new Hono<HttpEnv>()
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
        return c.html(apiDocsDocument(context, { page, style: apiDocsStyle }));
      },
    );
}

async function build(document: ApiDocument, publicUrl: string): Promise<Built> {
  const text = JSON.stringify(document);
  const json = new TextEncoder().encode(text);
  const shown = JSON.parse(text) as ShownDocument;
  const page = await ApiDocsPage({ document: shown, publicUrl, problems: [...problemKinds.values()] });
  return { json, gzip: Bun.gzipSync(json), page };
}
