import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Seconds that `bsdtar -xf zip` and a sync of its output take; `undefined` if bsdtar is missing. */
export async function timeBsdtar(zipPath: string, folder: string): Promise<number | undefined> {
  if (!Bun.which("bsdtar")) return undefined;
  const target = join(folder, "extracted");
  await rm(target, { recursive: true, force: true });
  await mkdir(target);
  await Bun.$`sync -f ${target}`;
  const startedAt = performance.now();
  await Bun.$`bsdtar -xf ${zipPath} -C ${target} && sync -f ${target}`;
  const seconds = (performance.now() - startedAt) / 1000;
  await rm(target, { recursive: true, force: true });
  return seconds;
}

export interface LoopbackServer extends AsyncDisposable {
  url: string;
}

/** A bare Bun.serve in a process of its own. */
export async function startLoopbackServer(file: string): Promise<LoopbackServer> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "loopback-server.ts"), file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { value } = await child.stdout.getReader().read();
  return {
    url: new TextDecoder().decode(value).trim(),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}
