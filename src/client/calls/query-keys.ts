import type { QueryClient } from "@tanstack/react-query";

// Roots of the query keys that more than one feature uses, and the invalidations after each change.
export const CURRENT_USER = ["auth", "me"];
export const STUDIES = "studies";
export const SUBSCRIPTIONS = "subscriptions";
export const EXAM_COUNT = "exam-count";
export const LABS = "labs";

function invalidate(queryClient: QueryClient, keys: readonly (readonly string[])[]): Promise<unknown> {
  return Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

/** What an upload, a download or a deletion of a study changes. */
export const EXAMS_AND_USAGE = [[STUDIES], [SUBSCRIPTIONS], [EXAM_COUNT]] as const;
/** What an upload, a download or a deletion of a laboratory PDF changes. */
export const LABS_AND_USAGE = [[LABS], [SUBSCRIPTIONS]] as const;

export async function refreshExams(queryClient: QueryClient): Promise<void> {
  await invalidate(queryClient, EXAMS_AND_USAGE);
}

export async function refreshLabs(queryClient: QueryClient): Promise<void> {
  await invalidate(queryClient, LABS_AND_USAGE);
}

/** Reads again everything that a payment or a cancellation changes: plan, usage, banner and menus. */
export async function refreshSubscription(queryClient: QueryClient): Promise<void> {
  await invalidate(queryClient, [[SUBSCRIPTIONS], CURRENT_USER]);
}
