import type { Thumbnail } from "./thumbnails.repo.ts";

/** Answers 204 if there is no picture (yet): that is not an error, and browsers must not report one. */
export function answerThumbnail(thumbnail: Thumbnail | undefined): Response {
  if (!thumbnail)
    return new Response(null, { status: 204, headers: { "Cache-Control": "private, no-store" } });
  return new Response(Uint8Array.from(thumbnail.image), {
    headers: {
      "Content-Type": thumbnail.contentType,
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "private, max-age=3600",
      // Several people may share a browser, so an answer cached in one session must not serve another.
      Vary: "Authorization",
    },
  });
}
