/** Lets one at a time do what holds a whole file in memory; the others wait for their turn. */
export interface Turns {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(work) {
      const mine = last.then(work);
      // The next turn comes whatever became of this one; its failure is its caller's.
      last = mine.catch(() => {});
      return mine;
    },
  };
}
