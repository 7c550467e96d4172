import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sql } from "../../../src/server/db/postgres.ts";
import type { FileReport } from "../../../src/server/features/import/found-file.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { type RunningProgram, resultOf, startProgram } from "../../support/program/run-program.ts";
import { connectTo, type ServerProcess, spawnServer } from "../../support/program/server-process.ts";
import {
  bytesOnceSettled,
  compareBytes,
  type Disagreements,
  NO_DISAGREEMENTS,
} from "../../support/program/stored-bytes.ts";
import { startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
import { sampleInstance } from "../../support/zip/sample-zip.ts";

/** The command as an operator runs it, on the PostgreSQL that the program brings. */
const TIMEOUT_MS = 120_000;
const EMAIL = "ana@example.com";
/** As many as the plan of a new account holds. */
const STUDIES = 10;
const INSTANCES = 4;

let folder: ReturnType<typeof createTempFolder>;
let server: ServerProcess;
const place = (name: string) => join(folder.path, name);

beforeAll(async () => {
  folder = createTempFolder();
  // Root's PostgreSQL runs as another account, which has to pass through.
  chmodSync(folder.path, 0o711);
  fill(place("disc"));
  server = await spawnServer(place("data"));
  expect((await exameteca("data", ["user", "add", "--email", EMAIL])).code).toBe(0);
}, TIMEOUT_MS);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** Studies that are each an upload of their own below the bound that {@link begin} sets. */
function fill(root: string): void {
  for (let study = 1; study <= STUDIES; study++) {
    mkdirSync(join(root, `S${study}`), { recursive: true });
    for (let sop = 1; sop <= INSTANCES; sop++) {
      const elements = {
        [TagHex.Rows]: { vr: "US", Value: [100] },
        [TagHex.Columns]: { vr: "US", Value: [100] },
        [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(randomBytes(20_000)) },
      };
      const bytes = sampleInstance({ study: `${study}`, sop: `${sop}`, elements });
      writeFileSync(join(root, `S${study}`, `IM${sop}`), bytes);
    }
  }
}

function begin(dataDir: string, args: string[], env: Record<string, string> = {}) {
  const settings = { DATA_DIR: place(dataDir), MAX_UPLOAD_BYTES: "100000", ...env };
  return startProgram({ PATH: process.env.PATH ?? "", TMPDIR: folder.path, ...settings }, ...args);
}

async function exameteca(dataDir: string, args: string[], env: Record<string, string> = {}) {
  return await resultOf(begin(dataDir, args, env));
}

const importArgs = () => ["import", place("disc"), "--account", EMAIL, "--json"];

interface Summary {
  summary: Record<string, number>;
}

/** The lines for files, and the last line. */
function readReport(output: string): { reports: FileReport[]; summary: Record<string, number> } {
  const lines = output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as FileReport | Summary);
  const reports = lines.filter((line): line is FileReport => "path" in line);
  const last = lines.at(-1);
  return { reports, summary: last && "summary" in last ? last.summary : {} };
}

async function storedInstances(dataDir: string): Promise<{ instances: number; studies: number }> {
  await using database = await connectTo(place(dataDir));
  return await countInstances(database.sql);
}

async function countInstances(sql: Sql): Promise<{ instances: number; studies: number }> {
  const [row] = await sql<{ instances: number; studies: number }[]>`
    select coalesce(sum(instance_count), 0)::int as instances, count(*)::int as studies from studies`;
  return row ?? { instances: 0, studies: 0 };
}

/** Waits until the import has stored so many studies, or has ended. */
async function untilStored(studies: number, child: RunningProgram): Promise<void> {
  await using database = await connectTo(place("data"));
  await until(async () => child.exitCode !== null || (await countInstances(database.sql)).studies >= studies);
}

const ALL = { instances: STUDIES * INSTANCES, studies: STUDIES };

describe("beside a running server", () => {
  test(
    "an import that is killed at any moment and started again brings everything once",
    async () => {
      for (const killedAfter of [1, 4, 7]) {
        const child = begin("data", importArgs());
        await untilStored(killedAfter, child);
        child.kill("SIGKILL");
        await child.exited;
      }
      const { code, output, complaint } = await exameteca("data", importArgs());
      expect([code, complaint]).toEqual([0, ""]);
      const { reports, summary } = readReport(output);
      expect(reports).toHaveLength(ALL.instances);
      expect(summary).toMatchObject({ skipped: 0, refused: 0, conflict: 0 });
      expect((summary.taken ?? 0) + (summary["already there"] ?? 0)).toBe(ALL.instances);
      expect(reports.some(({ reason }) => reason === "earlier_run")).toBe(true);
      expect(await storedInstances("data")).toEqual(ALL);

      await using database = await connectTo(place("data"));
      const compare = () => compareBytes(database.sql, place("data"));
      const { filesWithoutRow, ...others } = await bytesOnceSettled(compare);
      // A file that was being written when the import was killed has no key yet; the server removes it at its next start, or in a day.
      expect(filesWithoutRow.filter((path) => !path.startsWith("objects/~unfinished/"))).toEqual([]);
      expect<Disagreements>({ ...others, filesWithoutRow: [] }).toEqual(NO_DISAGREEMENTS);
      expect(readdirSync(place("data/import/staging"))).toEqual(["~unfinished"]);
      expect(readdirSync(place("data/import/journals"))).toEqual([]);
      const verified = await exameteca("data", ["verify"]);
      expect([verified.code, verified.output]).toEqual([0, expect.stringContaining("as it was stored")]);
    },
    TIMEOUT_MS,
  );

  test(
    "SIGTERM ends an import with nothing half done, and a second one at the same time is refused",
    async () => {
      expect((await exameteca("data", ["user", "add", "--email", "bia@example.com"])).code).toBe(0);
      const args = ["import", place("disc"), "--account", "bia@example.com", "--json"];
      const child = begin("data", args);
      await untilStored(STUDIES + 1, child);
      child.kill("SIGTERM");
      expect([0, 2]).toContain(await child.exited);
      {
        await using database = await connectTo(place("data"));
        const nodeId = readFileSync(place("data/import/node-id"), "utf8").trim();
        const session = await database.sql.reserve();
        await session`select pg_advisory_lock(hashtextextended(${`node ${nodeId}`}, 0))`;
        const second = await exameteca("data", args);
        expect([second.code, second.complaint]).toEqual([
          2,
          expect.stringContaining("Another import or rebuild runs"),
        ]);
        await session`select pg_advisory_unlock_all()`;
        session.release();
      }
      expect((await exameteca("data", args)).code).toBe(0);
      expect(await storedInstances("data")).toEqual({
        instances: 2 * ALL.instances,
        studies: 2 * ALL.studies,
      });
      expect((await exameteca("data", ["verify"])).code).toBe(0);
    },
    TIMEOUT_MS,
  );
  test(
    "an import goes on though the reader of its report stops before its end",
    async () => {
      const email = "eva@example.com";
      expect((await exameteca("data", ["user", "add", "--email", email])).code).toBe(0);
      const before = (await storedInstances("data")).studies;
      // More lines than are written at once, before those of the instances.
      mkdirSync(place("wide"));
      for (let link = 0; link < 400; link++) symlinkSync("nowhere", place(`wide/${"a".repeat(200)}${link}`));
      const args = ["import", place("wide"), place("disc"), "--account", email, "--json"];
      const child = begin("data", args);
      await child.stdout.cancel();
      expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
      expect((await storedInstances("data")).studies).toBe(before + STUDIES);
    },
    TIMEOUT_MS,
  );
});

test(
  "without a server and with S3 an import leaves all objects in the store",
  async () => {
    await using s3 = await startFaultyS3Server();
    const env = s3Environment(s3.options);
    expect((await exameteca("s3", ["user", "add", "--email", EMAIL], env)).code).toBe(0);
    const dry = await exameteca("s3", [...importArgs(), "--dry-run"], env);
    expect([dry.code, readReport(dry.output).summary]).toEqual([
      0,
      { ...ALL, bytes: expect.any(Number), refusedStudies: 0, skipped: 0, refused: 0 },
    ]);
    expect(await storedInstances("s3")).toEqual({ instances: 0, studies: 0 });
    const done = await exameteca("s3", importArgs(), env);
    expect([done.code, done.complaint, readReport(done.output).summary.taken]).toEqual([
      0,
      "",
      ALL.instances,
    ]);
    const verified = await exameteca("s3", ["verify", "--json"], env);
    expect([verified.code, verified.complaint, JSON.parse(verified.output || "null")]).toEqual([
      0,
      "",
      { objects: 2 * STUDIES, bytes: expect.any(Number), findings: [] },
    ]);
    expect(readdirSync(place("s3/import/staging"))).toEqual(["~unfinished"]);
  },
  TIMEOUT_MS,
);

test(
  "the command names a wrong argument, and accounts that could not upload themselves",
  async () => {
    for (const [args, code, named] of [
      [["import", "--account", EMAIL], 2, "one or more folders"],
      [["import", place("disc")], 2, "--account"],
      [["import", place("nowhere"), "--account", EMAIL], 2, "There is nothing at"],
      [["import", place("disc"), "--account", "nobody@example.com"], 2, "There is no account"],
      [["import", place("disc"), "--account", "nobody@example.com", "--dry-run"], 2, "There is no account"],
    ] as const) {
      const found = await exameteca("data", [...args]);
      expect([found.code, found.complaint.includes(named)]).toEqual([code, true]);
    }
  },
  TIMEOUT_MS,
);
