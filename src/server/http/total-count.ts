import type { Context } from "hono";

const NAME = "X-Total-Count";

/** The header of a list that comes by pages, as the API's document describes it. */
export const totalCount = { [NAME]: "How many there are on all pages." };

/** Says how many rows a list has on all its pages. */
export function sayTotal(c: Context, total: number): void {
  c.header(NAME, String(total));
}
