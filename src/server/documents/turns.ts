/** Runs work that holds a whole file in memory one call at a time. */
export interface Turns {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(work) {
      const mine = last.then(work);
      // The next turn begins whatever the outcome of this one, whose failure goes to its caller.
      last = mine.catch(() => {});
      return mine;
    },
  };
}
