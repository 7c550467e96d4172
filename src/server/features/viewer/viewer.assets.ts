import { AppError } from "../../http/app-error.ts";
import { notFound } from "../../http/http.errors.ts";
import { type AssetSource, serveAsset } from "../../render/assets.ts";
import { viewerAssetPolicy, viewerDocumentPolicy } from "./viewer.csp.ts";

export interface ViewerAssets {
  /**
   * Answers GET or HEAD for `/viewer/basic` and the viewer's files.
   * @throws {AppError} 404 for any other path
   */
  serve(request: Request): Response;
}

export interface ViewerAssetsOptions {
  source: AssetSource;
  /** Origin of the application's own pages (PUBLIC_URL). */
  publicOrigin: string;
  /** The viewer's own origin (VIEWER_ORIGIN). */
  viewerOrigin?: string | undefined;
}

/** A sandboxed page has an opaque origin, so our files are cross-origin to it, and browsers refuse an opener policy there. */
const SANDBOX_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Cross-Origin-Opener-Policy": "unsafe-none",
};
const PREFIX = "/viewer/";
const PAGE = "/viewer/basic";
const MAX_PATH_LENGTH = 300;

export function createViewerAssets({
  source,
  publicOrigin,
  viewerOrigin,
}: ViewerAssetsOptions): ViewerAssets {
  const knownOrigin = new URL(viewerOrigin ?? publicOrigin).origin;
  const isSandboxed = viewerOrigin === undefined;
  const frameAncestors = viewerOrigin === undefined ? "'self'" : publicOrigin;

  return {
    serve(request) {
      const { pathname, origin } = new URL(request.url);
      const isPage = pathname === PAGE;
      const page = isSandboxed ? "sandboxed.html" : "index.html";
      const asset = source.get(isPage ? page : assetPath(pathname));
      if (!asset) throw new AppError(notFound);
      // Behind a proxy, the request's origin may differ from the browser's; without PUBLIC_URL, the known origin may. A policy that
      // names both is right in each case.
      const origins = [...new Set([knownOrigin, origin])];
      return serveAsset(request, asset, {
        "Content-Security-Policy": isPage
          ? viewerDocumentPolicy({ origins, frameAncestors, isSandboxed })
          : viewerAssetPolicy({ origins }),
        "Referrer-Policy": "no-referrer",
        ...(isSandboxed ? SANDBOX_HEADERS : { "Cross-Origin-Resource-Policy": "same-origin" }),
      });
    },
  };
}

/** Maps `/viewer/basic` to the page, which no other path reaches. */
function assetPath(pathname: string): string {
  const path = pathname.length <= MAX_PATH_LENGTH ? pathname.slice(PREFIX.length) : "";
  return path.endsWith(".html") ? "" : path;
}
