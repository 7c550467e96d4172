import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { TransactionSql } from "postgres";
import { OperatorError } from "../../runtime/operator-error.ts";
import { ROWS_END, STATEMENT_END } from "./write-dump.ts";

/** No row is larger: the largest have an image of some hundred kilobytes, twice as long in hexadecimal digits. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const BEGINS_ROWS = /^copy .* from stdin;$/;

/** A dump is truncated, or was not made by `writeDump`. */
export class DumpIsUnreadable extends OperatorError {
  override name = "DumpIsUnreadable";
}

/**
 * Runs a dump of `writeDump` in the transaction `tx`; the dump's own begin and commit are skipped. Constant memory.
 * @throws {DumpIsUnreadable}
 */
export async function loadDump(tx: TransactionSql, dump: AsyncIterable<Uint8Array>): Promise<void> {
  let statement: string[] = [];
  let rows: Rows | undefined;
  let isWhole = false;
  try {
    for await (const lines of linesOf(dump)) {
      for (let at = 0; at < lines.length; at++) {
        const line = lines[at] ?? "";
        if (rows) {
          const end = lines.indexOf(ROWS_END, at);
          const until = end < 0 ? lines.length : end;
          if (until > at) await rows.write(`${lines.slice(at, until).join("\n")}\n`);
          if (end >= 0) {
            await rows.end();
            rows = undefined;
          }
          at = until;
        } else if (line === STATEMENT_END) {
          const sql = statement.join("\n");
          statement = [];
          if (/^commit;$/.test(sql)) isWhole = true;
          else if (!/^(?:--.*\n)*begin;$/.test(sql)) await tx.unsafe(sql).simple();
        } else if (statement.length === 0 && BEGINS_ROWS.test(line)) {
          rows = new Rows(tx, await tx.unsafe(line).writable());
        } else {
          statement.push(line);
        }
      }
    }
  } finally {
    rows?.giveUp();
  }
  if (!isWhole) throw new DumpIsUnreadable("the dump ends early");
}

/** The rows of one table on their way to the database. */
class Rows {
  constructor(
    private readonly tx: TransactionSql,
    private readonly stream: Writable,
  ) {
    stream.on("error", () => {}); // each write reports its own error
  }

  async write(text: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  /**
   * Ends the rows. The driver does not report that the database rejected rows after the last of them was sent; the next
   * statement does.
   * @throws {DumpIsUnreadable}
   */
  async end(): Promise<void> {
    this.stream.end();
    await setImmediate(); // by then the end of the rows is sent, and the statement follows it
    try {
      await this.tx.unsafe("select 1");
    } catch (cause) {
      throw new DumpIsUnreadable("the database does not take its rows", { cause });
    }
  }

  giveUp(): void {
    this.stream.destroy();
  }
}

/** Lines of UTF-8 text without their line ends, all those of a chunk at a time. */
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
