import { LRUCache } from "lru-cache";

/**
 * Keeps recently used values by key, as many as fit into `maxBytes`. The least recently used value goes first. A value
 * larger than `maxBytes` is not kept.
 */
export class ByteCache<Value extends object> {
  readonly #values: LRUCache<string, Value>;
  readonly #making = new Map<string, Promise<Value | undefined>>();

  /** @param bytesOf about what a value takes in memory, with its key: a whole number above 0 */
  constructor(maxBytes: number, bytesOf: (value: Value, key: string) => number) {
    this.#values = new LRUCache({ maxSize: maxBytes, sizeCalculation: bytesOf });
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    this.#values.set(key, value);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
  }

  /**
   * Returns the value under `key`, or makes it; `undefined` is not kept. Callers that ask for it meanwhile wait for the same value, so all
   * callers make the same kind of it.
   */
  async getOrMake<Made extends Value | undefined>(
    key: string,
    make: () => Promise<Made>,
  ): Promise<Value | Made> {
    const known = this.get(key) ?? (this.#making.get(key) as Promise<Made> | undefined);
    if (known) return await known;
    const making = make();
    this.#making.set(key, making);
    try {
      const value = await making;
      if (value) this.set(key, value);
      return value;
    } finally {
      this.#making.delete(key);
    }
  }
}
