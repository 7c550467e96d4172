import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { ensureBuilt } from "./build/ensure-built.ts";

/**
 * Everything that must hold: types, lint, catalogues, then the tests, on a machine with nothing but Bun. The last
 * line is `N passed, N failed`.
 */
const root = resolve(import.meta.dir, "..");
const filters = process.argv.slice(2);

interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
}

const total: Outcome = { passed: 0, failed: 0, skipped: 0 };

function count({ passed, failed, skipped }: Outcome): void {
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}

const endToEnd = (name: string) => `./test/e2e/${name}.test.ts`;

/** A command that passes or fails as a whole. */
function check(name: string, command: string[]): void {
  process.stdout.write(`\n== ${name}\n`);
  const { exitCode } = Bun.spawnSync(command, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const isGood = exitCode === 0;
  process.stdout.write(`${isGood ? "passed" : "FAILED"}: ${name}\n`);
  count({ passed: isGood ? 1 : 0, failed: isGood ? 0 : 1, skipped: 0 });
}

/** A run of `bun test`, counted by its own closing lines. */
async function runTests(name: string, args: string[], environment: Record<string, string>): Promise<void> {
  process.stdout.write(`\n== ${name}\n`);
  const run = Bun.spawn([process.execPath, "test", ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [, report] = await Promise.all([pass(run.stdout, process.stdout), pass(run.stderr, process.stderr)]);
  const exitCode = await run.exited;
  const closing = (word: string) => Number(report.match(new RegExp(`^\\s*(\\d+) ${word}$`, "m"))?.[1] ?? 0);
  const outcome = { passed: closing("pass"), failed: closing("fail"), skipped: closing("skip") };
  // A run that died before its closing lines, or failed outside a test, has failed all the same.
  if (exitCode !== 0 && outcome.failed === 0) outcome.failed = 1;
  count(outcome);
}

async function pass(from: ReadableStream<Uint8Array>, to: NodeJS.WriteStream): Promise<string> {
  const decoder = new TextDecoder();
  let tail = "";
  for await (const chunk of from) {
    to.write(chunk);
    tail = (tail + decoder.decode(chunk, { stream: true })).slice(-20_000);
  }
  return tail;
}

ensureBuilt();
const { ensureChromium } = await import("./build/ensure-chromium.ts");
const { testPostgresUrl } = await import("../test/support/postgres-server.ts");
const bun = process.execPath;
const bunx = (...args: string[]) => [bun, "--bun", "x", ...args];

if (filters.length === 0) {
  check("types", bunx("tsc", "--noEmit"));
  check("lint and format", bunx("biome", "check", "--error-on-warnings"));
  check("catalogues are extracted and complete", [bun, "scripts/build/check-locales.ts"]);
}
ensureChromium();
const environment = { TEST_POSTGRES_URL: await testPostgresUrl(), TEST_EXECUTABLE: "1" };
const quick = ["--timeout", "30000"];
/** Files side by side, one a core: each has a database and folders of its own. */
const sideBySide = ["--parallel=2"];
if (filters.length > 0) {
  await runTests("tests", ["--isolate", ...quick, ...filters], environment);
} else {
  await runTests(
    "shared, scripts, client",
    [...quick, ...sideBySide, "test/shared", "test/scripts", "test/client", "test/tidy.test.ts"],
    environment,
  );
  await runTests("server", [...quick, ...sideBySide, "test/server"], environment);
  const whole = ["--timeout", "180000", ...sideBySide];
  const browserless = ["abort", "crash", "memory", "real-files", "two-nodes"].map(endToEnd);
  const inBrowser = readdirSync(join(root, "test/e2e"))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => endToEnd(name.replace(".test.ts", "")))
    .filter((path) => !browserless.includes(path));
  // One after the other: more than two whole products at once starve one another.
  await runTests("whole product, without a browser", [...whole, ...browserless], environment);
  await runTests("whole product, in the browser", [...whole, ...inBrowser], environment);
}

const { passed, failed, skipped } = total;
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
