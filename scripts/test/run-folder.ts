import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fastFolder } from "../../test/support/fast-folder.ts";

const NAME = /^exameteca-run-(\d+)$/;
/** As `/tmp` is: PostgreSQL runs as another account than root. */
const ANYONES = 0o1777;

/** The temporary folder of a whole run, gone with everything in it once disposed; those that killed runs left go first. */
export function createRunFolder(): Disposable & { path: string } {
  const parent = fastFolder();
  for (const name of readdirSync(parent)) {
    const pid = NAME.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) removeIfPossible(join(parent, name));
  }
  const path = join(parent, `exameteca-run-${process.pid}`);
  mkdirSync(path, { recursive: true });
  chmodSync(path, ANYONES);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A disk that a killed test mounted in it, or a process that outlived its run, may hold it: that spoils no later run. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    process.stderr.write(`An earlier run left ${path} behind: ${(error as Error).message}\n`);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
