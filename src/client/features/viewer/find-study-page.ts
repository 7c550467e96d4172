import { ApiError, isOutage } from "../../calls/api.ts";
import { isOffline } from "../../calls/query-client.ts";
import { currentToken } from "../../session.ts";
import type { ViewerFailure, ViewerPage } from "./use-viewer-page.ts";
import { FIRST_SERIES, viewerApi } from "./viewer-api.ts";

/**
 * Assigns a study of the archive to its viewer, and requests the page's token.
 * @param beginWith a SeriesInstanceUID; undefined for the series that the server names
 */
export async function findStudyPage(
  studyId: string,
  userId: string,
  beginWith?: string,
): Promise<ViewerPage> {
  if (!currentToken()) return { state: "failed", failure: "noSession" };
  let failure: ViewerFailure = "assign";
  try {
    await viewerApi.assign(studyId, userId);
    failure = "token";
    const { url, obstacle } = await viewerApi.token(studyId, userId);
    return obstacle ? { state: "unseen", obstacle } : { state: "loading", url: beginning(url, beginWith) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isOffline(error)) return { state: "failed", failure: "connection" };
    if (isOutage(error)) return { state: "failed", failure: "outage" };
    return { state: "failed", failure: error.status === 401 ? "noSession" : failure };
  }
}

function beginning(url: string, seriesInstanceUID: string | undefined): string {
  if (seriesInstanceUID === undefined) return url;
  const page = new URL(url, location.href);
  page.searchParams.set(FIRST_SERIES, seriesInstanceUID);
  return page.href;
}
