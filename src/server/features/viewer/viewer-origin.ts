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
    const { pathname } = new URL(c.req.url);
    if (!ANY_HOST.has(pathname)) {
      const host = requestHost(c.req.header("host"), c.req.url);
      if (host !== (isViewerPath(pathname) ? viewerHost : publicHost)) throw new AppError(notFound);
    }
    await next();
  };
}

function isViewerPath(pathname: string): boolean {
  return pathname === "/viewer" || pathname.startsWith("/viewer/") || pathname.startsWith("/dicomweb/t/");
}

/** The host without a default port, which `URL` drops, whatever a proxy put into Host. */
function requestHost(hostHeader: string | undefined, url: string): string {
  const host = (hostHeader ?? new URL(url).host).toLowerCase();
  return host.replace(/:(80|443)$/, "");
}
