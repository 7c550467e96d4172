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

/** Reads again everything that an upload, a download or a deletion of a study changes. */
export async function refreshExams(queryClient: QueryClient): Promise<void> {
  await invalidate(queryClient, [[STUDIES], [SUBSCRIPTIONS], [EXAM_COUNT]]);
}

/** Reads again everything that an upload, a download or a deletion of a laboratory PDF changes. */
export async function refreshLabs(queryClient: QueryClient): Promise<void> {
  await invalidate(queryClient, [[LABS], [SUBSCRIPTIONS]]);
}

/** Reads again everything that a payment or a cancellation changes: plan, usage, banner and menus. */
export async function refreshSubscription(queryClient: QueryClient): Promise<void> {
  await invalidate(queryClient, [[SUBSCRIPTIONS], CURRENT_USER]);
}
