import { availableParallelism } from "node:os";
import { join } from "node:path";
import { ensureBuilt } from "./build/ensure-built.ts";
import { inFreshProcess } from "./build/in-fresh-process.ts";
import { check, runTests, type TestRun } from "./test/commands.ts";
import { watchCores } from "./test/core-watch.ts";
import { filesToRepeat } from "./test/failures.ts";
import { closingLine, type Outcome, sumOf } from "./test/outcome.ts";
import { createRunFolder } from "./test/run-folder.ts";
import { prepareTimings } from "./test/timings.ts";

/**
 * Everything that must hold: types, lint, catalogues, and the tests, on a machine with nothing but Bun. The last line
 * is `N passed, N failed`.
 */
await inFreshProcess();
const filters = process.argv.slice(2);
const isWhole = filters.length === 0;

/** Test files wait for about as long as they compute: three more than there are cores keep them busy. */
const WORKERS = availableParallelism() + 3;
/** For a job in the browser on a busy machine. */
const TIMEOUT_MS = 240_000;

/**
 * For the processes that run the tests, and not for the servers that these start: most of their code runs a few times, so
 * that the last optimizing compiler and a garbage collector of several threads cost more than they save, as does giving
 * free memory back ten times a second.
 */
const SHORT_LIVED_CODE = {
  BUN_JSC_useFTLJIT: "0",
  BUN_JSC_numberOfGCMarkers: "1",
  BUN_JSC_useConcurrentGC: "0",
  MIMALLOC_PURGE_DELAY: "10000",
};

const tellPreparation = watchCores();
using folder = createRunFolder();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    folder[Symbol.dispose]();
    process.exit(1);
  });
}
const bunx = (...args: string[]) => ["--bun", "x", ...args];
const outcomes: Promise<Outcome | TestRun>[] = [];

// The build must be over before anything reads what it makes; all that reads nothing of it runs beside it.
const chromium = Bun.spawn([process.execPath, "scripts/build/ensure-chromium.ts"], {
  stdio: ["ignore", "ignore", "inherit"],
});
const servers = {
  TEST_PROGRAM: join(folder.path, "program/main.js"),
  TEST_STARTED_DATA: join(folder.path, "started-data"),
  TEST_WORKERS: join(folder.path, "workers"),
};
const workers = isWhole
  ? check("workers are prepared", ["test/support/program/prepare-workers.ts", servers.TEST_WORKERS])
  : undefined;
if (workers) {
  outcomes.push(
    workers,
    check("lint and format", bunx("biome", "check", "--error-on-warnings")),
    check("catalogues are extracted and complete", ["scripts/build/check-locales.ts"]),
  );
}
const { testPostgresUrl } = await import("../test/support/database/postgres-server.ts");
const postgresUrl = testPostgresUrl();
ensureBuilt();
if (isWhole) outcomes.push(check("types", bunx("tsc", "--noEmit")));
if (isWhole)
  outcomes.push(
    check("servers are prepared", ["test/support/program/prepare-servers.ts", ...Object.values(servers)]),
  );
await chromium.exited;
await workers;
const environment = {
  TEST_POSTGRES_URL: await postgresUrl,
  TEST_EXECUTABLE: "1",
  ...servers,
  TMPDIR: folder.path,
  ...SHORT_LIVED_CODE,
};
process.stdout.write(`\nprepared in ${tellPreparation()}\n`);
const tellTests = watchCores();
const timeout = ["--timeout", String(TIMEOUT_MS)];
const runByThemselves = (name: string, files: string[]) =>
  runTests(name, [...timeout, "--isolate", ...files], environment);
if (isWhole) {
  // A worker loads the server, or the client and a DOM, once for all the files that it runs.
  const inWorkers = (count: number) => [...timeout, "--no-isolate", `--parallel=${count}`];
  const slowestFirst = [`--timings=${prepareTimings()}`, "--update-timings"];
  outcomes.push(
    runTests("tests of the client", [...inWorkers(1), "./test/client"], environment),
    runTests(
      "all other tests",
      [...inWorkers(WORKERS), ...slowestFirst, "--path-ignore-patterns=test/client/**", "./test"],
      environment,
    ),
  );
} else {
  outcomes.push(runByThemselves("tests", filters));
}

const ended = await Promise.all(outcomes);
const total = sumOf(ended);
const runs = ended.filter((outcome) => "failures" in outcome);
for (const { failures, errorsOf } of runs) {
  for (const { file, name } of failures) {
    process.stdout.write(`\n== failed in ${file}: ${name}\n${errorsOf(file)}\n`);
  }
}
const failures = runs.flatMap((run) => run.failures);
const repeated = isWhole ? filesToRepeat(failures, total.failed) : [];
if (repeated.length > 0) {
  const again = await runByThemselves("once more, by themselves", repeated);
  if (again.failed === 0 && again.passed >= total.failed) {
    process.stdout.write(`\npassed at the second try, by themselves: ${repeated.join(", ")}\n`);
    total.passed += total.failed;
    total.failed = 0;
  }
}
folder[Symbol.dispose]();
process.stdout.write(`\ntested in ${tellTests()}\n${closingLine(total)}\n`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
