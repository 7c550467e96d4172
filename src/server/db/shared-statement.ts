type Statement<Client, Values, Result> = (client: Client, values: Values) => Promise<Result>;
type Waiting<Result> = PromiseWithResolvers<Result>[];

/**
 * Lets callers that ask the same share a statement: those that come while it runs wait together for the next one. An answer is
 * never older than its question, since a statement is sent after everybody whom it answers has come. Nobody may change an answer.
 */
export function shared<Client extends object, Values, Result>(
  run: Statement<Client, Values, Result>,
): Statement<Client, Values, Result> {
  /** Who waits behind each statement that runs, by client and values. */
  const running = new WeakMap<Client, Map<string, Waiting<Result>>>();

  async function runNow(client: Client, values: Values, key: string): Promise<Result> {
    const ofClient = running.get(client) ?? new Map<string, Waiting<Result>>();
    running.set(client, ofClient);
    const behind: Waiting<Result> = [];
    ofClient.set(key, behind);
    try {
      return await run(client, values);
    } finally {
      if (behind.length === 0) ofClient.delete(key);
      else answerInTurn(behind, runNow(client, values, key));
    }
  }

  return async (client, values) => {
    const key = JSON.stringify(values);
    const behind = running.get(client)?.get(key);
    if (!behind) return await runNow(client, values, key);
    const caller = Promise.withResolvers<Result>();
    behind.push(caller);
    return await caller.promise;
  };
}

/** One caller in each turn of the event loop, so that each ends its work before the next one begins and takes memory for it. */
function answerInTurn<Result>(waiting: Waiting<Result>, answer: Promise<Result>): void {
  answer.then(
    (result) => {
      for (const { resolve } of waiting) setImmediate(resolve, result);
    },
    (error) => {
      for (const { reject } of waiting) reject(error);
    },
  );
}
