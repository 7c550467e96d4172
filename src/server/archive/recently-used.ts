/** A map that forgets what was not used for longest once its entries weigh more than `maxWeight` together. */
export class RecentlyUsed<Value> {
  readonly #entries = new Map<string, { value: Value; weight: number }>();
  readonly #making = new Map<string, Promise<Value>>();
  #weight = 0;

  constructor(private readonly maxWeight: number) {}

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value, weight: number): void {
    this.delete(key);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.maxWeight || oldest === key) break;
      this.delete(oldest);
    }
  }

  /** The value under `key`, made where there is none; those who ask at the same time share one making. */
  async getOrMake(
    key: string,
    make: () => Promise<Value>,
    weightOf: (value: Value) => number,
  ): Promise<Value> {
    const known = this.get(key) ?? this.#making.get(key);
    if (known !== undefined) return await known;
    const making = make();
    this.#making.set(key, making);
    try {
      const value = await making;
      this.set(key, value, weightOf(value));
      return value;
    } finally {
      this.#making.delete(key);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }
}
