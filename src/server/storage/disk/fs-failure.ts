import { StoreUnavailable } from "../object-store.ts";

/** The errno name of a failed system call, `undefined` for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Whether the call failed because nothing that can be an object is at its path. */
export function isAbsent(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === "ENOENT" || errno === "ENOTDIR" || errno === "ELOOP";
}

/** Runs `work`; a failed system call in it becomes a {@link StoreUnavailable}, all else passes. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const errno = errnoOf(error);
    throw errno ? new StoreUnavailable(`disk: ${errno}`, { cause: error }) : error;
  }
}
