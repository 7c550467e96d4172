import { takesNoChanges } from "./database.errors.ts";

/** Makes a change that can be spared: while the database takes no changes, what only reads goes on without it. */
export async function spareChange(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!takesNoChanges(error)) throw error;
  }
}
