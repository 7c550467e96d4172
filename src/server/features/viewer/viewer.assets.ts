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
  /** Origin the viewer has for itself (VIEWER_ORIGIN). */
  viewerOrigin?: string | undefined;
}

/** A sandboxed page is of no origin, so to it our files are another's; a browser shows none together with an opener policy. */
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
      // Behind a proxy the origin we see may not be the one the browser sees, and without PUBLIC_URL the other way
      // round; a policy that names both is right for either.
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

/** The page is reached as `/viewer/basic` alone, never under the name of a file. */
function assetPath(pathname: string): string {
  const path = pathname.length <= MAX_PATH_LENGTH ? pathname.slice(PREFIX.length) : "";
  return path.endsWith(".html") ? "" : path;
}
