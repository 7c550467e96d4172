import type { QueryClient } from "@tanstack/react-query";

/** Roots of the query keys that uploads, downloads and deletes change. */
export const STUDIES = "studies";
export const SUBSCRIPTIONS = "subscriptions";
export const EXAM_COUNT = "exam-count";

/** Reads again what an upload, a download or a delete changed. */
export async function refreshExams(queryClient: QueryClient): Promise<void> {
  await Promise.all(
    [STUDIES, SUBSCRIPTIONS, EXAM_COUNT].map((root) => queryClient.invalidateQueries({ queryKey: [root] })),
  );
}
