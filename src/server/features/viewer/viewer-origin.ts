import type { MiddlewareHandler } from "hono";
import { AppError } from "../../http/app-error.ts";
import { notFound } from "../../http/http.errors.ts";

export interface SeparateOriginsOptions {
  /** PUBLIC_URL: where the application's pages and API answer. */
  publicUrl: string;
  /** VIEWER_ORIGIN; if unset, the viewer and the application answer on any host. */
  viewerOrigin?: string | undefined;
}

/** Paths that load balancers and monitors may request on any host. */
const ANY_HOST = new Set(["/api/health", "/metrics"]);

/**
 * Keeps the viewer (much third-party code) on an origin of its own: `/viewer` and `/dicomweb/t/` answer only
 * there, everything else only on PUBLIC_URL's host. So the viewer's scripts can never read the app's session.
 * @throws {AppError} 404 on the wrong host
 */
export function separateOrigins({ publicUrl, viewerOrigin }: SeparateOriginsOptions): MiddlewareHandler {
  if (viewerOrigin === undefined) return (_c, next) => next();
  const publicHost = new URL(publicUrl).host;
  const viewerHost = new URL(viewerOrigin).host;
  return async (c, next) => {
    // The path by which routes are found: that of the address may be written otherwise.
    const { path } = c.req;
    if (!ANY_HOST.has(path)) {
      const host = requestHost(c.req.header("host"), c.req.url);
      if (host !== (isViewerPath(path) ? viewerHost : publicHost)) throw new AppError(notFound);
    }
    await next();
  };
}

function isViewerPath(path: string): boolean {
  return path === "/viewer" || path.startsWith("/viewer/") || path.startsWith("/dicomweb/t/");
}

/** The host without a default port, which `URL` drops, whatever a proxy put into Host. */
function requestHost(hostHeader: string | undefined, url: string): string {
  const host = (hostHeader ?? new URL(url).host).toLowerCase();
  return host.replace(/:(80|443)$/, "");
}
