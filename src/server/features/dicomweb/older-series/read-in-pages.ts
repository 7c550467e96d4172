/** What one run of a job that reads older rows takes; the next run goes on behind it. */
export const ROWS_A_RUN = 500;
const ROWS_AT_ONCE = 50;
/** Between two rows, so that requests go first. */
export const PAUSE_MS = 10;

interface OlderRows<Row> {
  /** The rows behind an id, by id. */
  list(afterId: string | null, limit: number): Promise<Row[]>;
  idOf(row: Row): string;
  read(page: readonly Row[]): Promise<void>;
}

/** Reads rows page after page. Returns where the next run begins; `undefined` after the last row. */
export async function readInPages<Row>(
  afterId: string | null,
  { list, idOf, read }: OlderRows<Row>,
): Promise<string | undefined> {
  let after = afterId;
  for (let seen = 0; seen < ROWS_A_RUN; seen += ROWS_AT_ONCE) {
    const page = await list(after, ROWS_AT_ONCE);
    await read(page);
    const last = page.at(-1);
    if (last) after = idOf(last);
    if (page.length < ROWS_AT_ONCE) return undefined;
  }
  return after ?? undefined;
}
