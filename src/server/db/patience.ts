import { AwakeClock } from "./awake-clock.ts";
import { DatabaseUnavailable, isDatabaseFull, isReadOnly } from "./database.errors.ts";
import { PoolSockets } from "./pool-sockets.ts";

/** How long a statement may wait for a connection. */
const UNSENT_MS = 10_000;
/** How long it may wait while the database is known not to answer. */
const UNSENT_WHILE_ABSENT_MS = 2_000;
/** How long a transaction may take to end: a disk may be slow, and the database itself sets no limit. */
const END_MS = 60_000;
const LOOK_EVERY_MS = 1_000;

/** The part of postgres.js's statements that shows and ends their waiting. */
export interface SentStatement {
  /** Set once a connection has taken it. */
  state: unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

interface Waiting {
  /** By {@link AwakeClock}. */
  since: number;
  /** After this time its connection counts as dead. */
  limitMs: number;
  giveUp: (error: DatabaseUnavailable) => void;
  isGivenUp: boolean;
}

/**
 * Bounds how long statements and transactions wait for a database that does not answer: postgres.js itself waits for ever. The
 * database may still carry out what was given up, as if only the answer were lost. Time in which this process stood still, as a
 * machine does that is paused, does not count: what was answered meanwhile has yet to be read.
 */
export class Patience {
  /** The pool's sockets. A silent one is destroyed here, because the system notices a dead connection only after minutes. */
  readonly sockets: PoolSockets;
  /** Whether a statement failed because the database's disk is full. Others, such as those that read, may still work. */
  foundFull = false;
  /** Called when a session is found to be read-only. */
  foundReadOnly: () => void = () => {};
  readonly #waiting = new Map<SentStatement, Waiting>();
  readonly #answerMs: number;
  readonly #unsentMs: number;
  readonly #endMs: number;
  readonly #lookMs: number;
  readonly #clock: AwakeClock;
  #timer: Timer | undefined;
  /** True from the moment a statement is given up until one is answered. */
  #isAbsent = false;

  /** @param answerMs longer than the database itself lets a statement run */
  constructor(answerMs: number, unsentMs = UNSENT_MS, endMs = END_MS) {
    this.#answerMs = answerMs;
    this.#unsentMs = unsentMs;
    this.#endMs = endMs;
    this.#lookMs = Math.min(LOOK_EVERY_MS, unsentMs, answerMs / 10);
    this.#clock = new AwakeClock(this.#lookMs);
    this.sockets = new PoolSockets(this.#clock);
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
      this.foundFull ||= isDatabaseFull(error);
      if (isReadOnly(error)) this.foundReadOnly();
      reject(error);
    };
    this.#add(statement, reject, this.#answerMs);
    return statement;
  }

  /** Bounds the beginning and the end of a transaction or a savepoint. One that begins too late is rolled back. */
  async begin<Result>(
    run: (work: (tx: unknown) => unknown) => Promise<Result>,
    work: (tx: unknown) => unknown,
  ): Promise<Result> {
    const given = Promise.withResolvers<never>();
    const beginning: SentStatement = { state: null, resolve: () => {}, reject: given.reject };
    const ending: SentStatement = { state: "sent", resolve: () => {}, reject: given.reject };
    const begun = this.#add(beginning, given.reject, this.#answerMs);
    let isOver = false;
    const running = run(async (tx) => {
      this.#waiting.delete(beginning);
      this.#isAbsent = false;
      if (begun.isGivenUp) throw new DatabaseUnavailable("the transaction began too late");
      try {
        return await work(tx);
      } finally {
        // If its connection broke, the transaction is over already.
        if (!isOver) this.#add(ending, given.reject, this.#endMs);
      }
    });
    const stop = () => {
      isOver = true;
      this.#waiting.delete(beginning);
      this.#waiting.delete(ending);
    };
    running.then(stop, stop);
    return await Promise.race([running, given.promise]);
  }

  #add(statement: SentStatement, giveUp: Waiting["giveUp"], limitMs: number): Waiting {
    const waiting = { since: this.#clock.now(), limitMs, giveUp, isGivenUp: false };
    this.#waiting.set(statement, waiting);
    if (!this.#timer) {
      this.#clock.begin();
      this.#timer = setInterval(() => this.#look(), this.#lookMs);
      this.#timer.unref();
    }
    return waiting;
  }

  #look(): void {
    this.#clock.tick();
    const now = this.#clock.now();
    this.sockets.look(now);
    const unsentMs = this.#isAbsent ? Math.min(UNSENT_WHILE_ABSENT_MS, this.#unsentMs) : this.#unsentMs;
    const shortest = Math.min(unsentMs, this.#answerMs, this.#endMs);
    // The oldest come first.
    for (const [statement, waiting] of this.#waiting) {
      const waitedMs = now - waiting.since;
      if (waitedMs < shortest) break;
      const isOverdue = waitedMs >= waiting.limitMs;
      if (!isOverdue && (statement.state || waitedMs < unsentMs)) continue;
      this.#isAbsent = true;
      if (!isOverdue) {
        giveUp(waiting);
        continue;
      }
      this.#waiting.delete(statement);
      // A look may notice received bytes one interval late.
      this.sockets.breakSilent(now, waiting.limitMs - 2 * this.#lookMs);
      // Only after the pool has noticed: until then it would send the caller's next statement over the same connection.
      setImmediate(giveUp, waiting);
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function giveUp(waiting: Waiting): void {
  if (waiting.isGivenUp) return;
  waiting.isGivenUp = true;
  waiting.giveUp(new DatabaseUnavailable("the database does not answer"));
}
