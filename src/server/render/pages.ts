import { type Context, Hono } from "hono";
import type { IslandProps } from "../../shared/islands.ts";
import type { HttpEnv } from "../http/http-context.ts";
import { relyingPartyOf } from "../http/relying-party.ts";
import { type AssetSource, serveAsset } from "./assets.ts";
import { type ClientGraph, readClientGraph } from "./client-graph.ts";
import type { DocumentContext } from "./document-context.ts";
import {
  deliveryDocument,
  entryDocument,
  helpDocument,
  hisDocument,
  notFoundDocument,
  verifyDocument,
  visitDocument,
} from "./documents.tsx";
import { SERVICE_WORKER_PATH, STORAGE_PICTURE_PATH, serviceWorkerScript } from "./service-worker.ts";
import { LOCAL_VIEW_PATH, MANIFEST_PATH, webManifest } from "./web-manifest.ts";

export interface PageOptions {
  /** The built client. */
  assets: AssetSource;
  productName: string;
  publicUrl: string;
  viewerOrigin?: string | undefined;
  registration: IslandProps<"auth">["registration"];
  trialDays: number;
  /** How many exams a trial allows; undefined if that can't be read now. */
  readTrialExams?: (() => Promise<number | undefined>) | undefined;
  maxUploadBytes: number;
  /** Where Pix are paid to; undefined if nobody can pay. */
  pix?: { provider: "local" | "bacen" } | undefined;
  /** Called for each page, because in development the client changes while the server runs. */
  clientGraph?: (() => Promise<ClientGraph>) | undefined;
}

/** The context of this request's document; also sets the headers that every page has. */
export type PageContext = (c: Context<HttpEnv>) => Promise<DocumentContext>;

const DECODER = /^decode-[\w-]+\.worker-\w+\.js$/;
/** Reads exams that stay on the device. */
const LOCAL_READER = /^read-local\.worker-\w+\.js$/;

/**
 * A worker has the policy of its own file. Those that decode images are the only ones that may compile WebAssembly; in return they
 * reach no address at all, and so does the one that reads the files of the local view.
 */
function policyOf(name: string): Record<string, string> {
  if (LOCAL_READER.test(name)) return { "Content-Security-Policy": "default-src 'none'; script-src 'self'" };
  if (!DECODER.test(name)) return {};
  return { "Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'" };
}

/** The token in the path of a mailed link, which the page hands to its form. */
type Tokens = Pick<IslandProps<"auth">, "resetToken" | "stopToken" | "invitationToken" | "local">;

/** Paths for programs: an unknown one answers a problem document instead of a page. */
const NOT_PAGES = /^\/(\.well-known|api|assets|dicomweb|viewer|metrics|generate-token)(\/|$)/;

export function createPageContext(
  options: Pick<PageOptions, "assets" | "productName" | "publicUrl" | "clientGraph">,
): PageContext {
  const { productName, publicUrl } = options;
  const graph = graphOf(options);
  return async (c) => {
    c.header("Cache-Control", "no-store");
    c.header("Vary", "Accept-Language");
    return { graph: await graph(), nonce: c.get("nonce"), productName, publicUrl, locale: c.get("locale") };
  };
}

function pixKind({ pix }: Pick<PageOptions, "pix">): IslandProps<"his">["pix"] {
  if (!pix) return "none";
  return pix.provider === "local" ? "manual" : "automatic";
}

function graphOf({ assets, clientGraph }: Pick<PageOptions, "assets" | "clientGraph">) {
  const built = readClientGraph(assets);
  // The first page that is rendered reports a missing build; until then the rejection is ignored.
  built.catch(() => undefined);
  return clientGraph ?? (() => built);
}

/** The pages, the client's assets, and the not-found page for every other path: mount it last. */
export function createPageRoutes(options: PageOptions): Hono<HttpEnv> {
  const { assets, productName, publicUrl, viewerOrigin, registration, trialDays, maxUploadBytes } = options;
  const graph = graphOf(options);
  const contextOf = createPageContext(options);
  /** These keep their addresses at the root: browsers request some of them there, whatever the page says. */
  const markAt = (name: "png32" | "apple180" | "storage") => async (c: Context<HttpEnv>) => {
    const { marks } = await graph();
    const asset = assets.get(marks[name].replace("/assets/", ""));
    return asset ? serveAsset(c.req.raw, { ...asset, immutable: false }) : c.notFound();
  };
  const entry = async (c: Context<HttpEnv>, tokens: Tokens = {}) => {
    const passkeys = relyingPartyOf({ publicUrl, productName }) !== undefined;
    const trial = { trialDays, trialExams: trialDays > 0 ? await options.readTrialExams?.() : undefined };
    const props = { productName, registration, ...trial, passkeys, ...tokens };
    return c.html(entryDocument(await contextOf(c), props));
  };
  const elsewhere = viewerOrigin ? { viewerOrigin } : {};
  const his = async (c: Context<HttpEnv>) => {
    const props = { productName, maxUploadBytes, pix: pixKind(options), ...elsewhere };
    return c.html(hisDocument(await contextOf(c), props));
  };

  return (
    new Hono<HttpEnv>()
      .get("/assets/:name", (c) => {
        const asset = assets.get(c.req.param("name"));
        return asset ? serveAsset(c.req.raw, asset, policyOf(c.req.param("name"))) : c.notFound();
      })
      .get(MANIFEST_PATH, async (c) => {
        c.header("Vary", "Accept-Language");
        c.header("Cache-Control", "public, max-age=3600");
        c.header("Content-Type", "application/manifest+json; charset=utf-8");
        return c.body(JSON.stringify(webManifest(productName, c.get("locale"), (await graph()).marks)));
      })
      .get(SERVICE_WORKER_PATH, async (c) => {
        c.header("Cache-Control", "no-cache");
        c.header("Content-Type", "text/javascript; charset=utf-8");
        return c.body(serviceWorkerScript(await graph(), assets));
      })
      .get("/favicon.ico", markAt("png32"))
      .get("/apple-touch-icon.png", markAt("apple180"))
      .get(STORAGE_PICTURE_PATH, markAt("storage"))
      .get("/", (c) => entry(c))
      .get("/reset-password/:token", (c) => entry(c, { resetToken: c.req.param("token") }))
      // The page shows a button, because programs that scan mails open every link.
      .get("/stop-email-change/:token", (c) => entry(c, { stopToken: c.req.param("token") }))
      .get("/ajuda", async (c) => c.html(helpDocument(await contextOf(c), { productName })))
      .get("/verificar", async (c) => c.html(verifyDocument(await contextOf(c), { productName })))
      .get("/invitation/:token", (c) => entry(c, { invitationToken: c.req.param("token") }))
      .get(LOCAL_VIEW_PATH, (c) =>
        entry(c, { local: c.req.query("shared") === undefined ? "picked" : "shared" }),
      )
      // The service worker takes what is shared. Without it, the files would have to be picked again: they are not read here.
      .post(LOCAL_VIEW_PATH, (c) => c.redirect(LOCAL_VIEW_PATH, 303))
      .get("/his", his)
      .get("/his/subscription", his)
      .get("/v/:id", async (c) => {
        c.header("X-Robots-Tag", "noindex");
        const props = { productName, link: c.req.param("id"), ...elsewhere };
        return c.html(visitDocument(await contextOf(c), props));
      })
      .get("/r/:id", async (c) => {
        c.header("X-Robots-Tag", "noindex");
        const props = { productName, request: c.req.param("id"), maxUploadBytes };
        return c.html(deliveryDocument(await contextOf(c), props));
      })
      .get("*", async (c) => {
        if (NOT_PAGES.test(c.req.path)) return c.notFound();
        return c.html(notFoundDocument(await contextOf(c)), 404);
      })
  );
}
