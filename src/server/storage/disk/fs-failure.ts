import { StoreUnavailable } from "../object-store.ts";

/** The errno name of a failed system call, `undefined` for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Whether the call failed because there is no object at its path. */
export function isAbsent(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === "ENOENT" || errno === "ENOTDIR" || errno === "ELOOP";
}

/** Whether the medium no longer gives the bytes, while it can be reached. */
export function isUnreadable(error: unknown): boolean {
  return [error, error instanceof Error && error.cause].some((failure) => errnoOf(failure) === "EIO");
}

/** Runs `work` and turns a failed system call into a {@link StoreUnavailable}. Other errors pass. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const errno = errnoOf(error);
    throw errno ? new StoreUnavailable(`disk: ${errno}`, { cause: error }) : error;
  }
}
