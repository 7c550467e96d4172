import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { INFLATED_PREFIX } from "./worker-messages.ts";

/** Removes what a stopped scan inflated. */
export async function removeInflated(uploadFolder: string): Promise<void> {
  for (const name of await readdir(uploadFolder)) {
    if (name.startsWith(INFLATED_PREFIX)) await rm(join(uploadFolder, name), { force: true });
  }
}
