/** Ends the holds of this page, by the row's id. */
const held = new Map<string, () => void>();

/**
 * Holds a row of the tray until it is released or the page ends, so that no other page of this browser sends it meanwhile. Returns
 * `false` if another page holds it.
 */
export async function holdRow(id: string): Promise<boolean> {
  const { locks }: { locks?: LockManager | null } = navigator;
  if (held.has(id) || !locks) return true;
  const { promise, resolve: release } = Promise.withResolvers<void>();
  held.set(id, release);
  const isHeld = await new Promise<boolean>((tell) => {
    locks
      .request(`upload-row/${id}`, { ifAvailable: true }, (lock) => {
        tell(lock !== null);
        return lock ? promise : undefined;
      })
      // A browser that gives this page no lock has none of another page either.
      .catch(() => tell(true));
  });
  if (!isHeld) held.delete(id);
  return isHeld;
}

export function releaseRow(id: string): void {
  held.get(id)?.();
  held.delete(id);
}

export function releaseAllRows(): void {
  for (const id of held.keys()) releaseRow(id);
}
