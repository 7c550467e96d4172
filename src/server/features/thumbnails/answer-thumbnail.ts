import type { Deps } from "../../deps.ts";
import { describeError } from "../../runtime/log.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import { redrawQueue } from "./thumbnail-queues.ts";
import type { FoundThumbnail } from "./thumbnails.repo.ts";

type RedrawDeps = Pick<Deps, "jobs" | "log">;

/** How long a picture waits for a database that takes no changes. */
const ASKING_MS = 1_000;

/**
 * Answers 204 if there is no picture (yet): that is not an error, and browsers must not report one. What an older release drew is
 * answered, and drawn anew for the next look.
 */
export async function answerThumbnail(
  deps: RedrawDeps,
  studyId: string,
  { thumbnail, isOutdated }: FoundThumbnail,
): Promise<Response> {
  if (isOutdated) await withTimeout(askToRedraw(deps, studyId), ASKING_MS);
  if (!thumbnail)
    return new Response(null, { status: 204, headers: { "Cache-Control": "private, no-store" } });
  return new Response(Uint8Array.from(thumbnail.image), {
    headers: {
      "Content-Type": thumbnail.contentType,
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "X-Content-Type-Options": "nosniff",
      // The page keeps its pictures itself. In the browser's cache they would outlast the sign-out.
      "Cache-Control": "private, no-store",
    },
  });
}

/** Never rejects: exams are also read while nothing can be written, and the next look asks again. */
async function askToRedraw({ jobs, log }: RedrawDeps, studyId: string): Promise<void> {
  try {
    await jobs.enqueue(redrawQueue, { studyId }, { singletonKey: studyId });
  } catch (error) {
    log.warn("thumbnail.redraw_failed", describeError(error));
  }
}
