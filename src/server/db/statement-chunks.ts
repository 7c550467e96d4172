import { chunks } from "../runtime/chunks.ts";

/** PostgreSQL takes 65,534 parameters a statement, and an item may be several. */
const ITEMS_PER_STATEMENT = 1_000;

/** Cuts a list of any length into lists that one statement each can take, in order. */
export function statementChunks<Item>(items: readonly Item[]): Generator<Item[]> {
  return chunks(items, ITEMS_PER_STATEMENT);
}
