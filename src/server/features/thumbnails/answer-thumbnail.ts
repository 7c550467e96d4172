import type { Deps } from "../../deps.ts";
import { redrawQueue } from "./thumbnail-queues.ts";
import type { FoundThumbnail } from "./thumbnails.repo.ts";

/**
 * Answers 204 if there is no picture (yet): that is not an error, and browsers must not report one. What an older release drew is
 * answered, and drawn anew for the next look.
 */
export async function answerThumbnail(
  { jobs }: Pick<Deps, "jobs">,
  studyId: string,
  { thumbnail, isOutdated }: FoundThumbnail,
): Promise<Response> {
  if (isOutdated) await jobs.enqueue(redrawQueue, { studyId }, { singletonKey: studyId });
  if (!thumbnail)
    return new Response(null, { status: 204, headers: { "Cache-Control": "private, no-store" } });
  return new Response(Uint8Array.from(thumbnail.image), {
    headers: {
      "Content-Type": thumbnail.contentType,
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": isOutdated ? "private, no-store" : "private, max-age=3600",
      // Several people may share a browser, so an answer cached in one session must not serve another.
      Vary: "Authorization",
    },
  });
}
