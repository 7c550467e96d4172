import type { Context, MiddlewareHandler } from "hono";
import { chunkType } from "../../../../shared/api/resumable.ts";
import { AppError } from "../../../http/app-error.ts";
import { assertUncoded } from "../../../http/body-coding.ts";
import type { HttpEnv } from "../../../http/http-context.ts";
import { tusVersionUnsupported } from "./resumable.errors.ts";

export const TUS_VERSION = "1.0.0";
export const EXTENSIONS = "creation,creation-with-upload,checksum,termination,expiration";

export const ofUpload = { upload: "The upload's id." };
export const tusHeaders = { "Tus-Resumable": `The protocol's version: ${TUS_VERSION}.` };
export const offsetHeaders = {
  ...tusHeaders,
  "Upload-Offset": "Bytes on stable storage.",
  "Upload-Expires": "When the upload is dropped if no more bytes come.",
};

const checksumText = "`sha256` and the SHA-256 of the body in base64.";
export const chunkHeaders = {
  ...tusHeaders,
  "Upload-Offset": "Where the body belongs: the bytes that the server has.",
  "Upload-Checksum?": checksumText,
};

export const creationHeaders = {
  ...tusHeaders,
  "Upload-Length": "Bytes of the whole upload.",
  "Upload-Metadata?": "`filename` and `formData`, each with its value in base64.",
  "Upload-Checksum?": checksumText,
};
export const overrideHeaders = {
  ...tusHeaders,
  "X-HTTP-Method-Override": "PATCH, HEAD or DELETE.",
  "Upload-Offset?": chunkHeaders["Upload-Offset"],
  "Upload-Checksum?": checksumText,
};

/** Names the version in every answer, also in those that the guard gives. */
export const nameTus: MiddlewareHandler<HttpEnv> = async (c, next) => {
  c.header("Tus-Resumable", TUS_VERSION);
  await next();
};

/** Whether the body is of a chunk's media type, in any spelling (RFC 9110 §8.3.1). */
export function bringsChunk(c: Context<HttpEnv>): boolean {
  const [type = ""] = (c.req.header("content-type") ?? "").split(";");
  return type.trim().toLowerCase() === chunkType;
}

/** Refuses what is not tus, and bodies in a content coding, before anything is made of the request. @throws {AppError} 412, 415 */
export const speakTus: MiddlewareHandler<HttpEnv> = async (c, next) => {
  assertTus(c);
  assertUncoded(c.req.raw.headers);
  await next();
};

/** @throws {AppError} 412 */
export function assertTus(c: Context<HttpEnv>): void {
  if (c.req.header("tus-resumable") === TUS_VERSION) return;
  throw new AppError(tusVersionUnsupported, { headers: { "Tus-Version": TUS_VERSION } });
}
