import * as z from "zod/mini";

/** The number of items of one page. */
export const pageLimit = z._default(
  z.coerce.number<number>().check(z.int(), z.minimum(1), z.maximum(200)),
  50,
);

export const pageLimitSchema = z.object({ limit: pageLimit });
