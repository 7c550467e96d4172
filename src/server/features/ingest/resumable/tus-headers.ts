import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "../../../http/app-error.ts";
import type { HttpEnv } from "../../../http/http-context.ts";
import { tusVersionUnsupported } from "./resumable.errors.ts";

export const TUS_VERSION = "1.0.0";
export const CHUNK_TYPE = "application/offset+octet-stream";

/** Names the version in every answer, also in those that the guard gives. */
export const nameTus: MiddlewareHandler<HttpEnv> = async (c, next) => {
  c.header("Tus-Resumable", TUS_VERSION);
  await next();
};

/** Whether the body is of a chunk's media type, in any spelling (RFC 9110 §8.3.1). */
export function bringsChunk(c: Context<HttpEnv>): boolean {
  const [type = ""] = (c.req.header("content-type") ?? "").split(";");
  return type.trim().toLowerCase() === CHUNK_TYPE;
}

export const speakTus: MiddlewareHandler<HttpEnv> = async (c, next) => {
  assertTus(c);
  await next();
};

/** @throws {AppError} 412 */
export function assertTus(c: Context<HttpEnv>): void {
  if (c.req.header("tus-resumable") === TUS_VERSION) return;
  c.header("Tus-Version", TUS_VERSION);
  throw new AppError(tusVersionUnsupported);
}
