import * as z from "zod/mini";

/** How many come at once. */
export const pageLimit = z._default(
  z.coerce.number<number>().check(z.int(), z.minimum(1), z.maximum(200)),
  50,
);

export const pageLimitSchema = z.object({ limit: pageLimit });
