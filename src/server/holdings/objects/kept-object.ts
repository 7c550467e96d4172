import type { StoredObjectRow } from "./stored-objects.table.ts";

/** Bytes at rest, and what they were when they came. `lab`: a laboratory PDF, whose row is its own. */
export type KeptObject = Pick<
  StoredObjectRow,
  "id" | "key" | "sizeBytes" | "sha256" | "location" | "stagedOn"
> & {
  kind: StoredObjectRow["kind"] | "lab";
};
