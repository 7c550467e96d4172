import { useEffect, useState } from "react";
import { ApiError } from "../../api.ts";
import { currentToken } from "../../session.ts";
import { viewerApi } from "./viewer-api.ts";

/** Which step of opening the viewer failed. */
export type ViewerFailure = "noSession" | "assign" | "token" | "page";

export type ViewerPage =
  | { state: "opening" }
  | { state: "loading"; url: string }
  | { state: "shown"; url: string }
  | { state: "failed"; failure: ViewerFailure };

const PAGE_TIMEOUT_MS = 30_000;

/** Grants the study to its viewer, has a token made, and follows the page until it has loaded. */
export function useViewerPage(studyId: string, userId: string) {
  const [page, setPage] = useState<ViewerPage>({ state: "opening" });
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is another opening
  useEffect(() => {
    let isCurrent = true;
    setPage({ state: "opening" });
    void openViewerPage(studyId, userId).then((opened) => {
      if (isCurrent) setPage(opened);
    });
    return () => {
      isCurrent = false;
    };
  }, [studyId, userId, attempt]);

  const isLoading = page.state === "loading";
  useEffect(() => {
    if (!isLoading) return;
    const timer = setTimeout(() => setPage({ state: "failed", failure: "page" }), PAGE_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, [isLoading]);

  return {
    page,
    onLoaded: () => setPage((now) => (now.state === "loading" ? { ...now, state: "shown" } : now)),
    retry: () => setAttempt((count) => count + 1),
  };
}

async function openViewerPage(studyId: string, userId: string): Promise<ViewerPage> {
  if (!currentToken()) return { state: "failed", failure: "noSession" };
  let failure: ViewerFailure = "assign";
  try {
    await viewerApi.assign(studyId, userId);
    failure = "token";
    const { url } = await viewerApi.token(studyId, userId);
    return { state: "loading", url };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { state: "failed", failure: error.status === 401 ? "noSession" : failure };
  }
}
