/** Runs work one call at a time for each key. Keys don't wait for each other. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<void>>();

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work);
    // The next turn begins whatever the outcome of this one, whose failure goes to its caller.
    const over = mine.then(
      () => {},
      () => {},
    );
    this.#last.set(key, over);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === over) this.#last.delete(key);
    }
  }
}
