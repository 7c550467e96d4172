import { DatabaseUnavailable } from "./database.errors.ts";

/** Asks the database the same question with other values. */
export type Statement<Client, Values, Result> = (client: Client, values: Values) => Promise<Result>;

/** Those who wait for one statement that is not sent yet. */
interface Waiting<Result> {
  callers: PromiseWithResolvers<Result>[];
  /** Rejects them if they wait too long, counted from the first of them. */
  limit?: Timer | undefined;
}

/** As long as a single statement may wait for its answer; here it includes the statement in front. */
const MAX_WAIT_MS = 35_000;

/**
 * Lets callers that ask the same share a statement: those that come while it runs wait together for the next one. An answer is
 * never older than its question, since a statement is sent after everybody whom it answers has come. Nobody may change an answer.
 * The promise rejects with {@link DatabaseUnavailable} if both statements together take longer than `maxWaitMs`.
 */
export function shared<Client extends object, Values, Result>(
  run: Statement<Client, Values, Result>,
  { maxWaitMs = MAX_WAIT_MS } = {},
): Statement<Client, Values, Result> {
  /** Who waits behind each statement that runs, by client and values. */
  const running = new WeakMap<Client, Map<string, Waiting<Result>>>();

  async function runNow(client: Client, values: Values, key: string): Promise<Result> {
    const ofClient = running.get(client) ?? new Map<string, Waiting<Result>>();
    running.set(client, ofClient);
    const behind: Waiting<Result> = { callers: [] };
    ofClient.set(key, behind);
    try {
      return await run(client, values);
    } finally {
      if (behind.callers.length === 0) ofClient.delete(key);
      else answerInTurn(behind, runNow(client, values, key));
    }
  }

  return async (client, values) => {
    const key = JSON.stringify(values);
    const behind = running.get(client)?.get(key);
    if (!behind) return await runNow(client, values, key);
    const caller = Promise.withResolvers<Result>();
    behind.callers.push(caller);
    behind.limit ??= setTimeout(() => giveUp(behind), maxWaitMs).unref();
    return await caller.promise;
  };
}

function giveUp<Result>(waiting: Waiting<Result>): void {
  waiting.limit = undefined;
  const error = new DatabaseUnavailable("the database does not answer");
  for (const { reject } of waiting.callers.splice(0)) reject(error);
}

/** One caller in each turn of the event loop, so that each ends its work before the next one begins and takes memory for it. */
function answerInTurn<Result>({ callers, limit }: Waiting<Result>, answer: Promise<Result>): void {
  answer.then(
    (result) => {
      clearTimeout(limit);
      for (const { resolve } of callers) setImmediate(resolve, result);
    },
    (error) => {
      clearTimeout(limit);
      for (const { reject } of callers) reject(error);
    },
  );
}
