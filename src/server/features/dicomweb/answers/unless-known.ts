import type { Context } from "hono";
import { isKnownVersion } from "../../../http/known-version.ts";

/** Answers 304 to a client that has this version already. */
export async function unlessKnown<Answer extends Response | undefined>(
  c: Context,
  etag: string,
  respond: () => Promise<Answer>,
): Promise<Answer | Response> {
  const headers = { ETag: etag, "Cache-Control": "private, no-store" };
  if (isKnownVersion(c.req.header("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  const response = await respond();
  response?.headers.set("ETag", etag);
  return response;
}
