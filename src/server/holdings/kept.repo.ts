import { isNull, type SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";

/**
 * An exam is kept while no removal took it: what waits to be purged is in no list, counts for nothing and can only be
 * brought back. The one place that says so.
 */
export const KEPT = "removal_id is null";

/** As {@link KEPT}, for a statement of drizzle's. */
export function isKept(exam: { removalId: AnyPgColumn }): SQL {
  return isNull(exam.removalId);
}
