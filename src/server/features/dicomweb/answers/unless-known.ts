import type { Context } from "hono";
import { isKnownVersion } from "../../../http/known-version.ts";

/** The version of an answer, and the headers of requests that decide its form. */
export interface Version {
  etag: string;
  vary: string;
}

/** Answers 304 to a client that has this version already. */
export async function unlessKnown<Answer extends Response | undefined>(
  c: Context,
  { etag, vary }: Version,
  respond: () => Promise<Answer>,
): Promise<Answer | Response> {
  const headers = { ETag: etag, Vary: vary, "Cache-Control": "private, no-store" };
  if (isKnownVersion(c.req.header("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  const response = await respond();
  response?.headers.set("ETag", etag);
  return response;
}
