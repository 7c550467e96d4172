import type { Integrity } from "../objects/stored-objects.table.ts";

/** The damage that reading found. */
export type Damage = Extract<Integrity, "damaged" | "missing">;

/** Whether the bytes of an exam were found damaged or gone. */
export function isUnsound({ integrity }: { integrity: Integrity }): boolean {
  return integrity === "damaged" || integrity === "missing";
}
