import { ApiError } from "./api.ts";

/**
 * Whether the server may have done what a failed call asked: the answer was lost or can't be read, or another call, such as from another
 * tab, had done the same before. Then what is shown must be read again.
 */
export function mayBeDone(failure: unknown): boolean {
  if (!(failure instanceof ApiError)) return false;
  const { status } = failure;
  return status < 300 || status === 404 || status === 409 || status >= 500;
}

/** Calls the server. If the call fails but may have done its work, `isDone` decides. @throws the call's failure unless it is done */
export async function actSurely(act: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> {
  try {
    await act();
  } catch (failure) {
    if (!mayBeDone(failure) || !(await isDone())) throw failure;
  }
}
