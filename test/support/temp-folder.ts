import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of its own for a test; gone with everything in it once disposed. */
export function createTempFolder(): { path: string } & AsyncDisposable {
  const path = mkdtempSync(join(tmpdir(), "exameteca-test-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
