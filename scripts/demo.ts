import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ensureBuilt } from "./build/ensure-built.ts";
import { inFreshProcess } from "./build/in-fresh-process.ts";
import { accountsTable, DEMO_ACCOUNTS } from "./demo/accounts.ts";
import { unfinishedText } from "./demo/unfinished.ts";

/** Serves `./demo-data` with accounts for each role and generated studies, as `bun run start` serves `./data`. */
await inFreshProcess();
ensureBuilt();
// Imported here because it needs packages, and a fresh checkout has to be given them first.
const { furnish } = await import("./demo/furnish.ts");

const main = join(import.meta.dir, "../src/server/main.ts");
const { admin } = DEMO_ACCOUNTS;
const dataDir = resolve(process.env.DATA_DIR ?? "demo-data");
const registration = process.env.REGISTRATION;
const isFirst = !existsSync(dataDir);
const environment = {
  // Nobody has this key: a payment to it goes nowhere, and the demo's admin confirms it.
  PIX_KEY: "00000000-0000-4000-8000-000000000000",
  PIX_MERCHANT_NAME: "Exameteca Demo",
  PIX_MERCHANT_CITY: "Brasilia",
  ...process.env,
  DATA_DIR: dataDir,
  ADMIN_EMAIL: admin.email,
  ADMIN_PASSWORD: admin.password,
  // Nobody reads the codes that a demo would mail.
  TWO_FACTOR: process.env.TWO_FACTOR ?? "off",
  LOG_LEVEL: process.env.LOG_LEVEL ?? "warn",
};
const server = Bun.spawn([process.execPath, main, "serve"], {
  env: environment,
  stdio: ["inherit", "pipe", "inherit"],
});
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    isStopped = true;
    server.kill("SIGTERM");
  });

const ready = Promise.withResolvers<string>();
relay(server.stdout, (text) => {
  const url = /is ready at (http:\S+)/.exec(text)?.[1];
  if (url) ready.resolve(url);
});
const url = await Promise.race([ready.promise, server.exited.then(() => undefined)]);
if (url !== undefined) {
  const addAccount = async (args: readonly string[]) => {
    const child = Bun.spawn([process.execPath, main, "user", "add", ...args], {
      env: environment,
      stdio: ["ignore", "ignore", "inherit"],
    });
    if ((await child.exited) !== 0) throw new Error("an account could not be added");
  };
  try {
    console.log(await furnish({ url, registration, addAccount, tell: (line) => console.log(line) }));
  } catch (error) {
    const text = unfinishedText(error, { isFirst, isStopped });
    if (text === undefined) {
      server.kill("SIGTERM");
      await server.exited;
      throw error;
    }
    console.warn(text);
    if (!isStopped) console.log(accountsTable({ url, registration }));
  }
}
process.exit(await server.exited);

/** Passes on the server's output and gives it to `see`. */
async function relay(output: ReadableStream<Uint8Array>, see: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    process.stdout.write(chunk);
    see(decoder.decode(chunk, { stream: true }));
  }
}
