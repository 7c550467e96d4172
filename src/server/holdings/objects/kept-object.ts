import type { StoredObjectRow } from "./stored-objects.table.ts";

/** Stored bytes, with their size and hash on arrival. Kind `lab` is a laboratory PDF, which has its own table. */
export type KeptObject = Pick<
  StoredObjectRow,
  "id" | "key" | "sizeBytes" | "sha256" | "location" | "stagedOn"
> & {
  kind: StoredObjectRow["kind"] | "lab";
};
