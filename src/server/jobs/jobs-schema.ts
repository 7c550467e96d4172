import { getConstructionPlans } from "pg-boss";
import type { ForeignSchema } from "../db/dump/write-dump.ts";

/** pg-boss's schema, for a dump: queues, schedules and jobs; its statistics start again. */
export function jobsSchema(): ForeignSchema {
  // The plan is a transaction of its own, and waits for locks as long as one may at a start.
  const construction = getConstructionPlans("pgboss")
    .replace(/^\s*BEGIN;/, "")
    .replace(/COMMIT;\s*$/, "")
    .replace(/SET LOCAL \w+ = \d+;/g, "");
  return { name: "pgboss", construction, tables: ["queue", "schedule", "subscription", "job"] };
}
