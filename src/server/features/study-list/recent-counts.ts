const MAX_KEPT = 1_000;

/** Counts that are valid while their revision stays the same. Keeps the most recently used ones. */
export class RecentCounts<Count = number> {
  #counts = new Map<string, { revision: string; count: Count }>();

  get(key: string, revision: string): Count | undefined {
    const known = this.#counts.get(key);
    this.#counts.delete(key);
    if (known?.revision !== revision) return undefined;
    this.#counts.set(key, known);
    return known.count;
  }

  set(key: string, revision: string, count: Count): void {
    this.#counts.set(key, { revision, count });
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_KEPT && oldest !== undefined) this.#counts.delete(oldest);
  }
}
