import type { MiddlewareHandler } from "hono";
import type { HttpEnv } from "./http-context.ts";

export interface SecurityOptions {
  https: boolean;
  frameSource: string;
  /** Lets the development bundler put changed modules into open pages. */
  isDevelopment: boolean;
}

/** Headers of every answer. Routes that serve stored bytes or the viewer replace the policy with their own. */
export function securityHeaders(options: SecurityOptions): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
    c.set("nonce", nonce);
    await next();
    const headers = c.res.headers;
    setDefault(headers, "Content-Security-Policy", () => appPolicy(nonce, options));
    setDefault(headers, "X-Content-Type-Options", "nosniff");
    setDefault(headers, "Referrer-Policy", "no-referrer");
    if (c.req.path.startsWith("/api/")) setDefault(headers, "Cache-Control", "private, no-store");
    setDefault(headers, "Cross-Origin-Opener-Policy", "same-origin");
    setDefault(headers, "Cross-Origin-Resource-Policy", "same-origin");
    setDefault(headers, "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
    if (options.https) setDefault(headers, "Strict-Transport-Security", "max-age=31536000");
  };
}

function setDefault(headers: Headers, name: string, value: string | (() => string)): void {
  if (!headers.has(name)) headers.set(name, typeof value === "string" ? value : value());
}

function appPolicy(nonce: string, { frameSource, isDevelopment }: SecurityOptions): string {
  const ours = isDevelopment ? "'unsafe-inline' blob:" : `'nonce-${nonce}'`;
  return [
    "default-src 'none'",
    `script-src 'self' ${ours}`,
    `style-src 'self' ${ours}`,
    "img-src 'self' data: blob:",
    `font-src 'self'${isDevelopment ? " data:" : ""}`,
    // The visor reads images from where the viewer's are.
    `connect-src ${[...new Set(["'self'", frameSource])].join(" ")}`,
    "worker-src 'self' blob:",
    `frame-src ${frameSource}`,
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "object-src 'none'",
  ].join("; ");
}
