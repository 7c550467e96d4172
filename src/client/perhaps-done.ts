import { ApiError } from "./api.ts";

/**
 * Whether the server may have done what a call asked that failed: its answer was lost, or the call came after another one that did the
 * same, such as from another tab. Then what is shown must be read again.
 */
export function isPerhapsDone(failure: unknown): boolean {
  if (!(failure instanceof ApiError)) return false;
  const { status } = failure;
  return status === 0 || status === 404 || status === 409 || status >= 500;
}

/** Has the server act. If the call fails, but perhaps did its work, `isDone` is asked. @throws the call's failure unless it is done */
export async function actSurely(act: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> {
  try {
    await act();
  } catch (failure) {
    if (!isPerhapsDone(failure) || !(await isDone())) throw failure;
  }
}
