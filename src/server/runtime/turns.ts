/** Runs work one call at a time, in order. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    // The next turn begins whatever the outcome of this one, whose failure goes to its caller.
    this.#last = turn.catch(() => {});
    return turn;
  }
}
