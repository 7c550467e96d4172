import { once } from "node:events";
import type { Writable } from "node:stream";
import type { TransactionSql } from "postgres";
import { OperatorError } from "../../runtime/operator-error.ts";
import { ROWS_END, STATEMENT_END } from "./write-dump.ts";

/** No row of ours is larger: the largest hold a picture of some hundred kilobytes, twice as long in hexadecimal digits. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const BEGINS_ROWS = /^copy .* from stdin;$/;

/** A dump is cut, or not one that `writeDump` made. */
export class DumpIsUnreadable extends OperatorError {
  override name = "DumpIsUnreadable";
}

/**
 * Runs a dump of `writeDump` in `tx`, whose transaction it takes part in: the dump's own begin and commit are passed over.
 * Constant memory.
 * @throws {DumpIsUnreadable}
 */
export async function loadDump(tx: TransactionSql, dump: AsyncIterable<Uint8Array>): Promise<void> {
  let statement: string[] = [];
  let rows: Writable | undefined;
  let isWhole = false;
  try {
    for await (const lines of linesOf(dump)) {
      for (let at = 0; at < lines.length; at++) {
        const line = lines[at] ?? "";
        if (rows) {
          const end = lines.indexOf(ROWS_END, at);
          const until = end < 0 ? lines.length : end;
          if (until > at) await write(rows, `${lines.slice(at, until).join("\n")}\n`);
          if (end >= 0) {
            await finish(rows);
            rows = undefined;
          }
          at = until;
        } else if (line === STATEMENT_END) {
          const sql = statement.join("\n");
          statement = [];
          if (/^commit;$/.test(sql)) isWhole = true;
          else if (!/^(?:--.*\n)*begin;$/.test(sql)) await tx.unsafe(sql).simple();
        } else if (statement.length === 0 && BEGINS_ROWS.test(line)) {
          rows = await tx.unsafe(line).writable();
        } else {
          statement.push(line);
        }
      }
    }
    if (!isWhole) throw new DumpIsUnreadable("the dump ends early");
  } catch (error) {
    // The server waits for the rest of these rows, and the rollback for the server.
    rows?.destroy();
    throw error;
  }
}

async function write(rows: Writable, text: string): Promise<void> {
  if (!rows.write(text)) await once(rows, "drain");
}

async function finish(rows: Writable): Promise<void> {
  const finished = once(rows, "finish");
  rows.end();
  await finished;
}

/** Lines of UTF-8 text without their ends, as many at a time as a chunk brings. */
async function* linesOf(dump: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const chunk of dump) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_BYTES) throw new DumpIsUnreadable("a line is too long");
    if (lines.length > 0) yield lines;
  }
  if (rest !== "") throw new DumpIsUnreadable("the dump ends early");
}
