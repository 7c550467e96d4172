import { is } from "drizzle-orm";
import { PostgresJsSession } from "drizzle-orm/postgres-js";
import type { DbOrTx, Tx } from "./client.ts";
import { KEPT } from "./preparing.ts";

/** A statement that drizzle wrote. */
export interface Statement<Result> {
  execute(): Promise<Result>;
  getQuery(): { sql: string; params: unknown[] };
}

interface Part {
  statement: Statement<unknown>;
  params: unknown[];
  answer: PromiseWithResolvers<unknown>;
}

/** Stands for the transaction while {@link asOneStatement} collects statements. */
export class OneStatement {
  readonly #parts: Part[] = [];
  #isSent = false;

  add<Result>(statement: Statement<Result>, params: unknown[]): Promise<Result> {
    if (this.#isSent) throw new TypeError("the statement is sent already");
    const answer = Promise.withResolvers<unknown>();
    this.#parts.push({ statement, params, answer });
    return answer.promise as Promise<Result>;
  }

  send(tx: Tx): void {
    this.#isSent = true;
    const { joint, others } = divide(this.#parts);
    const last = joint.at(-1);
    if (last) {
      const params = joint.flatMap((part) => part.params);
      const text = joint.length > 1 ? jointText(joint) : undefined;
      statementFor(tx, last.statement, params, text)
        .execute()
        .then(
          (rows) => {
            for (const { answer } of joint) answer.resolve(answer === last.answer ? rows : []);
          },
          (error) => {
            for (const { answer } of joint) answer.reject(error);
          },
        );
    }
    for (const { statement, params, answer } of others) {
      statementFor(tx, statement, params).execute().then(answer.resolve, answer.reject);
    }
  }
}

/**
 * Runs the prepared statements that `work` gives to `one` as one statement, since each costs PostgreSQL and this process an answer
 * of its own. All see the database as it was before, so none may need what another one writes. References between rows that they
 * write are checked at the end. `work` gives all of them before it first waits. A statement that is given twice, and a second one
 * that returns rows, follow by themselves.
 */
export async function asOneStatement<Result>(
  tx: Tx,
  work: (one: OneStatement) => Promise<Result>,
): Promise<Result> {
  const one = new OneStatement();
  const working = work(one);
  one.send(tx);
  return await working;
}

/** The statement for one run: with the client and the values of this run instead of those drizzle tied to it. */
export function statementFor<Result>(
  db: DbOrTx,
  statement: Statement<Result>,
  params: unknown[],
  text?: string,
): Statement<Result> {
  const { session } = db._;
  if (!is(session, PostgresJsSession)) throw new TypeError("not a database of postgres.js");
  const own = { client: { value: session.client }, params: { value: params } };
  return Object.create(statement, text === undefined ? own : { ...own, queryString: { value: text } });
}

/** Only the last of the joint statements returns rows. */
function divide(parts: readonly Part[]): { joint: Part[]; others: Part[] } {
  const joint: Part[] = [];
  const others: Part[] = [];
  const seen = new Set<Statement<unknown>>();
  let last: Part | undefined;
  for (const part of parts) {
    const returns = RETURNS.test(part.statement.getQuery().sql);
    if (seen.has(part.statement) || (returns && last)) others.push(part);
    else if (returns) last = part;
    else joint.push(part);
    seen.add(part.statement);
  }
  if (last) joint.push(last);
  return { joint, others };
}

const RETURNS = / returning /;

/** By the numbers of their statements. There are few, since no statement is twice in one text. */
const texts = new Map<string, string>();
const numbers = new WeakMap<Statement<unknown>, number>();
let lastNumber = 0;

function jointText(joint: readonly Part[]): string {
  const key = joint.map(({ statement }) => numberOf(statement)).join();
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = writeJoint(joint);
  texts.set(key, text);
  return text;
}

function numberOf(statement: Statement<unknown>): number {
  const known = numbers.get(statement);
  if (known !== undefined) return known;
  numbers.set(statement, ++lastNumber);
  return lastNumber;
}

function writeJoint(joint: readonly Part[]): string {
  let taken = 0;
  const written = joint.map(({ statement, params }) => {
    const before = taken;
    taken += params.length;
    return statement.getQuery().sql.replace(/\$(\d+)/g, (_, number) => `$${before + Number(number)}`);
  });
  const last = written.pop();
  const others = written.map((text, index) => `"part_${index}" as (${text})`);
  return `${KEPT}with ${others.join(", ")} ${last}`;
}
