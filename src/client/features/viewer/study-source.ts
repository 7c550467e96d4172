import { ApiError } from "../../api.ts";
import { createDicomwebSource } from "../../visor/core/dicomweb-source.ts";
import { createLateSource } from "../../visor/core/late-source.ts";
import { SourceEnded, type StackSource } from "../../visor/core/source.ts";
import { viewerApi } from "./viewer-api.ts";

/** Reads a study under a viewer token, which is asked for when the first thing is read. */
export function createStudySource(studyId: string, userId: string): StackSource {
  return createLateSource(async () => {
    try {
      const { token, url } = await viewerApi.token(studyId, userId);
      const { origin, searchParams } = new URL(url, location.href);
      const beginWith = searchParams.get("initialSeriesInstanceUID") ?? undefined;
      return createDicomwebSource({ base: `${origin}/dicomweb/t/${token}`, beginWith });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) throw new SourceEnded(error.message);
      throw error;
    }
  });
}
