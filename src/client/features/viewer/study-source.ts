import type { Study } from "../../../shared/api/studies.ts";
import { ApiError } from "../../calls/api.ts";
import { createDicomwebSource } from "../../visor/core/dicomweb-source.ts";
import { type BegunSource, withFirstImage } from "../../visor/core/first-image.ts";
import { createLateSource } from "../../visor/core/late-source.ts";
import { SourceEnded, type StackSource } from "../../visor/core/source.ts";
import { loadVisor } from "./lazy-visor.tsx";
import { FIRST_SERIES, viewerApi } from "./viewer-api.ts";

let begun: { study: StudyId; userId: string; source: StackSource } | undefined;

type StudyId = Pick<Study, "id" | "studyInstanceUID">;

/**
 * Starts to load what our own viewer shows first, while the viewer itself is still being drawn.
 * @param beginWith a SeriesInstanceUID; if it is undefined, the server chooses the series, and gives its first image at once
 */
export function beginStudy(study: StudyId, userId: string, beginWith?: string): void {
  const source = createSource(study.id, userId, beginWith);
  begun = { study, userId, source };
  // These are asked for at once, whether or not the viewer's code is there.
  source.beginWith?.(study.studyInstanceUID).catch(() => undefined);
  source.begin?.();
  loadVisor()
    .then(({ beginVisor }) => beginVisor(source, study.studyInstanceUID))
    .catch(() => undefined);
}

/** The source that a press has begun with, else a new one. */
export function takeStudySource(study: StudyId, userId: string, beginWith?: string): StackSource {
  const { source } = begun?.study.id === study.id && begun.userId === userId ? begun : { source: undefined };
  begun = undefined;
  return source ?? createSource(study.id, userId, beginWith);
}

function createSource(
  studyId: string,
  userId: string,
  beginWith: string | undefined,
): StackSource & Partial<BegunSource> {
  const source = createStudySource(studyId, userId, beginWith);
  return beginWith === undefined ? withFirstImage(source, viewerApi.firstImage(studyId)) : source;
}

/** Reads a study under a viewer token, which is asked for when the first thing is read. */
export function createStudySource(studyId: string, userId: string, chosen?: string): StackSource {
  return createLateSource(async () => {
    try {
      const { token, url } = await viewerApi.token(studyId, userId);
      const { origin, searchParams } = new URL(url, location.href);
      const beginWith = chosen ?? searchParams.get(FIRST_SERIES) ?? undefined;
      return createDicomwebSource({ base: `${origin}/dicomweb/t/${token}`, beginWith });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { status, message } = error;
      if (status === 401) throw new SourceEnded(message);
      throw status === 0 || status === 429 || status >= 500 ? new TypeError(message) : error;
    }
  });
}
