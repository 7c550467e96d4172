import type { Sql } from "./postgres.ts";

/** Statements with more values than this (bulk inserts, long lists) have too many variants to keep them prepared. */
const MAX_PARAMETERS = 40;

/**
 * Marks a statement whose best plan depends on its values, such as how common a searched name is. PostgreSQL plans a
 * prepared statement for any values after its fifth run.
 */
export const PLANNED_ANEW = "/* planned anew */";

/**
 * Wraps a client so that each connection prepares a statement with values once. drizzle sends every statement unnamed,
 * which costs a second round trip and a new plan each time.
 */
export function preparing(client: Sql): Sql {
  return new Proxy(client, {
    get(target, property) {
      switch (property) {
        case "unsafe":
          return (text: string, values: never[] = [], options: object = {}) => {
            const isKept =
              values.length > 0 && values.length <= MAX_PARAMETERS && !text.includes(PLANNED_ANEW);
            return target.unsafe(text, values, isKept ? { ...options, prepare: true } : options);
          };
        case "begin":
        case "savepoint":
          return (...args: unknown[]) => withPreparingCallback(target, property, args);
        default:
          return Reflect.get(target, property);
      }
    },
  });
}

function withPreparingCallback(target: Sql, method: "begin" | "savepoint", args: unknown[]): unknown {
  const work = args.pop() as (tx: Sql) => unknown;
  const run = Reflect.get(target, method) as (...args: unknown[]) => unknown;
  return run(...args, (tx: Sql) => work(preparing(tx)));
}
