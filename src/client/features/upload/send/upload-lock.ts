/** Runs `work` alone among all pages of this browser that would send the same upload. @throws the signal's reason when aborted */
export async function withLock<Result>(
  id: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const { locks }: { locks?: LockManager | null } = navigator;
  if (!locks) return await work();
  return await locks.request(`upload/${id}`, { signal }, work);
}
