import { isNull, type SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";

/**
 * The only definition of a kept exam: no removal took it. An exam that waits to be purged is in no list, counts for nothing, and
 * can only be brought back.
 */
export const KEPT = "removal_id is null";

/** As {@link KEPT}, for a statement of drizzle's. */
export function isKept(exam: { removalId: AnyPgColumn }): SQL {
  return isNull(exam.removalId);
}
