import * as z from "zod/mini";

/** The number of items of one page. */
export const pageLimit = z._default(
  z.coerce.number<number>().check(z.int(), z.minimum(1), z.maximum(200)),
  50,
);

/** How many items come before the page. */
export const pageOffset = z._default(
  z.coerce.number<number>().check(z.int(), z.minimum(0), z.maximum(1_000_000)),
  0,
);

export const pageLimitSchema = z.object({ limit: pageLimit });

/** A page of a list that comes whole without `limit`, but for a bound. */
export const listPageSchema = z.object({
  limit: z.optional(z.coerce.number<number>().check(z.int(), z.minimum(1), z.maximum(1000))),
  offset: z.optional(z.coerce.number<number>().check(z.int(), z.minimum(0), z.maximum(10_000_000))),
});
