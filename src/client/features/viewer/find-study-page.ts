import { ApiError } from "../../api.ts";
import { isOffline } from "../../query-client.ts";
import { currentToken } from "../../session.ts";
import type { ViewerFailure, ViewerPage } from "./use-viewer-page.ts";
import { viewerApi } from "./viewer-api.ts";

/** Assigns a study of the archive to its viewer, and requests the page's token. */
export async function findStudyPage(studyId: string, userId: string): Promise<ViewerPage> {
  if (!currentToken()) return { state: "failed", failure: "noSession" };
  let failure: ViewerFailure = "assign";
  try {
    await viewerApi.assign(studyId, userId);
    failure = "token";
    const { url, obstacle } = await viewerApi.token(studyId, userId);
    return obstacle ? { state: "unseen", obstacle } : { state: "loading", url };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isOffline(error)) return { state: "failed", failure: "connection" };
    return { state: "failed", failure: error.status === 401 ? "noSession" : failure };
  }
}
