import type { Patience, SentStatement } from "./patience.ts";
import type { Sql } from "./postgres.ts";

/** Statements with more values than this (bulk inserts, long lists) have too many variants to keep them prepared. */
const MAX_PARAMETERS = 40;

/**
 * Marks a statement whose best plan depends on its values, such as how common a searched name is. PostgreSQL plans a
 * prepared statement for any values after its fifth run.
 */
export const PLANNED_ANEW = "/* planned anew */";

/** Begins a statement that is kept prepared however many values it has, since its text has few variants. */
export const KEPT = "/* kept */ ";

/**
 * Wraps a client so that each connection prepares a statement with values once. drizzle sends every statement unnamed,
 * which costs a second round trip and a new plan each time. Statements wait no longer than `patience` lets them.
 */
export function preparing(client: Sql, patience: Patience): Sql {
  return new Proxy(client, {
    get(target, property) {
      switch (property) {
        case "unsafe":
          return (text: string, values: never[] = [], options: object = {}) => {
            const hasFewVariants = values.length <= MAX_PARAMETERS || text.startsWith(KEPT);
            const isKept = values.length > 0 && hasFewVariants && !text.includes(PLANNED_ANEW);
            const statement = target.unsafe(text, values, isKept ? { ...options, prepare: true } : options);
            return patience.watch(statement as typeof statement & SentStatement);
          };
        case "begin":
        case "savepoint":
          return (...args: unknown[]) => {
            const work = args.pop() as (tx: Sql) => unknown;
            const run = Reflect.get(target, property) as (...args: unknown[]) => Promise<unknown>;
            return patience.begin(
              (begun) => run(...args, begun),
              (tx) => work(preparing(tx as Sql, patience)),
            );
          };
        default:
          return Reflect.get(target, property);
      }
    },
  });
}
