import { DatabaseUnavailable } from "./database.errors.ts";

/** As long as a statement may wait until a connection takes it. */
const UNSENT_MS = 10_000;
/** The same while the database is known not to answer. */
const UNSENT_WHILE_ABSENT_MS = 2_000;
const LOOK_EVERY_MS = 1_000;

/** What postgres.js returns for a statement, as far as its waiting goes. */
export interface SentStatement {
  /** Set once a connection has taken it. */
  state: unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Bounds how long statements wait for a database that does not answer: postgres.js itself waits for ever. A statement that was
 * given up may still run later, as one whose answer was lost.
 */
export class Patience {
  readonly #waiting = new Map<SentStatement, number>();
  readonly #answerMs: number;
  readonly #unsentMs: number;
  #timer: Timer | undefined;
  /** Since a statement was given up, until one is answered. */
  #isAbsent = false;

  /** @param answerMs longer than the database itself lets a statement run */
  constructor(answerMs: number, unsentMs = UNSENT_MS) {
    this.#answerMs = answerMs;
    this.#unsentMs = unsentMs;
  }

  /** Rejects the statement with {@link DatabaseUnavailable} if it waits too long. */
  watch<Statement extends SentStatement>(statement: Statement): Statement {
    const { resolve, reject } = statement;
    const stop = () => this.#waiting.delete(statement);
    statement.resolve = (value) => {
      stop();
      this.#isAbsent = false;
      resolve(value);
    };
    statement.reject = (error) => {
      stop();
      reject(error);
    };
    this.#add(statement);
    return statement;
  }

  /** The same for a transaction, until it begins. One that begins later is rolled back. */
  async begin<Result>(
    run: (work: (tx: unknown) => unknown) => Promise<Result>,
    work: (tx: unknown) => unknown,
  ): Promise<Result> {
    const given = Promise.withResolvers<never>();
    const beginning: SentStatement = { state: null, resolve: () => {}, reject: given.reject };
    this.#add(beginning);
    try {
      const running = run((tx) => {
        const isWaitedFor = this.#waiting.delete(beginning);
        this.#isAbsent = false;
        if (!isWaitedFor) throw new DatabaseUnavailable("the transaction began too late");
        return work(tx);
      });
      return await Promise.race([running, given.promise]);
    } finally {
      this.#waiting.delete(beginning);
    }
  }

  #add(statement: SentStatement): void {
    this.#waiting.set(statement, performance.now());
    if (this.#timer) return;
    this.#timer = setInterval(() => this.#look(), Math.min(LOOK_EVERY_MS, this.#unsentMs));
    this.#timer.unref();
  }

  #look(): void {
    const now = performance.now();
    const unsentMs = this.#isAbsent ? Math.min(UNSENT_WHILE_ABSENT_MS, this.#unsentMs) : this.#unsentMs;
    // The oldest come first.
    for (const [statement, since] of this.#waiting) {
      if (now - since < Math.min(unsentMs, this.#answerMs)) break;
      if (statement.state && now - since < this.#answerMs) continue;
      this.#waiting.delete(statement);
      this.#isAbsent = true;
      statement.reject(new DatabaseUnavailable("the database does not answer"));
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
