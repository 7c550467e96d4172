import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram, startProgram } from "../../support/program/run-program.ts";
import { connectTo, spawnServer } from "../../support/program/server-process.ts";
import { filesBelow } from "../../support/program/stored-bytes.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
import { sampleInstance } from "../../support/zip/sample-zip.ts";

const ACCOUNT = ["--account", "ana@example.com"];
const STUDIES = 8;

test("a rebuild that is killed at any moment and run again brings every study back once, beside a running server", async () => {
  await using folder = createTempFolder();
  // Root's PostgreSQL runs as another account, which has to pass through.
  chmodSync(folder.path, 0o711);
  const dataDir = join(folder.path, "data");
  const env = { PATH: process.env.PATH ?? "", TMPDIR: folder.path, DATA_DIR: dataDir };
  const run = (...args: string[]) => runProgram(env, ...args);
  const disc = join(folder.path, "disc");
  mkdirSync(disc);
  for (let study = 1; study <= STUDIES; study++)
    for (const sop of ["1", "2"])
      writeFileSync(join(disc, `${study}-${sop}`), sampleInstance({ study: `${study}`, sop }));
  await run("user", "add", "--email", "ana@example.com");
  expect((await run("import", disc, ...ACCOUNT)).code).toBe(0);
  const volumes = () =>
    [...filesBelow(join(dataDir, "objects"))].filter((key) => key.endsWith(".zip")).sort();
  const before = volumes();
  expect(before).toHaveLength(STUDIES);

  rmSync(join(dataDir, "postgres"), { recursive: true });
  await using server = await spawnServer(dataDir);
  expect(server.isKilled).toBe(false);
  await run("user", "add", "--email", "ana@example.com");
  await using database = await connectTo(dataDir);
  const rebuilt = async () => {
    const [row] = await database.sql<{ studies: number; instances: number }[]>`
      select count(*)::int as studies, coalesce(sum(instance_count), 0)::int as instances from studies`;
    return row ?? { studies: 0, instances: 0 };
  };
  for (const killedAfter of [1, 4]) {
    const child = startProgram(env, "rebuild", ...ACCOUNT);
    await until(async () => child.exitCode !== null || (await rebuilt()).studies >= killedAfter);
    child.kill("SIGKILL");
    await child.exited;
  }
  const last = await run("rebuild", ...ACCOUNT, "--json");
  expect([last.code, last.complaint]).toEqual([0, ""]);
  expect(await rebuilt()).toEqual({ studies: STUDIES, instances: 2 * STUDIES });
  const { summary } = JSON.parse(last.output.trimEnd().split("\n").at(-1) ?? "") as {
    summary: Record<string, unknown>;
  };
  expect(summary).toMatchObject({ refused: 0, skipped: 0, otherAccounts: {}, unlabelledVolumes: 0 });
  expect(volumes()).toEqual(before);
  expect(readdirSync(join(dataDir, "import/staging"))).toEqual(["~unfinished"]);
  const verified = await run("verify", "--json");
  expect([verified.code, JSON.parse(verified.output)]).toEqual([
    0,
    { objects: 2 * STUDIES, bytes: expect.any(Number), findings: [] },
  ]);
  for (const [args, named] of [
    [["rebuild"], "--account"],
    [["rebuild", ...ACCOUNT, "--owner", "ana"], "--owner"],
    [["rebuild", "--account", "nobody@example.com"], "There is no account"],
  ] as const) {
    const { code, complaint } = await run(...args);
    expect([code, complaint.includes(named)]).toEqual([2, true]);
  }
}, 240_000);
