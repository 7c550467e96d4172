import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchConfig } from "../../../src/server/cli/rehearse-command.ts";
import type { BackupFile } from "../../../src/server/features/safekeeping/backup-manifest.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import { HOUR_MS } from "../../../src/shared/units.ts";
import { zipFile } from "../../support/client/upload-files.ts";
import { freePort } from "../../support/network/free-port.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { runProgram, startProgram } from "../../support/program/run-program.ts";
import { type ServerProcess, spawnServer } from "../../support/program/server-process.ts";
import { sha256 } from "../../support/program/stored-bytes.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
import { sampleInstance } from "../../support/zip/sample-zip.ts";

/** The commands as an operator runs them, on the PostgreSQL that the program brings. */
const TIMEOUT_MS = 120_000;
const PERSON = { email: "ana@example.com", password: "senha da ana" };

let folder: ReturnType<typeof createTempFolder>;
let server: ServerProcess;
const place = (name: string) => join(folder.path, name);

beforeAll(async () => {
  folder = createTempFolder();
  // Root's PostgreSQL runs as another account, which has to pass through.
  chmodSync(folder.path, 0o711);
  server = await spawnServer(place("data"));
  const added = await exameteca(
    "data",
    "user",
    "add",
    "--email",
    PERSON.email,
    "--password",
    PERSON.password,
  );
  expect(added.code).toBe(0);
  for (const study of ["1", "2"]) await upload(study);
}, TIMEOUT_MS);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const environmentOf = (dataDir: string) => ({
  PATH: process.env.PATH ?? "",
  TMPDIR: folder.path,
  DATA_DIR: place(dataDir),
});

async function exameteca(dataDir: string, ...args: string[]) {
  return await runProgram(environmentOf(dataDir), ...args);
}

async function signIn(at: ServerProcess): Promise<{ authorization: string }> {
  const answer = await fetch(`${at.url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(PERSON),
  });
  expect(answer.status).toBe(200);
  return { authorization: `Bearer ${((await answer.json()) as { token: string }).token}` };
}

async function upload(study: string): Promise<void> {
  const form = new FormData();
  form.set("zipFile", zipFile({ "IM1.dcm": sampleInstance({ study }) }));
  const headers = await signIn(server);
  const answer = await fetch(`${server.url}/api/upload-dicom`, { method: "POST", headers, body: form });
  expect(answer.status).toBe(201);
}

/** SHA-256 of the download of each study. */
async function downloadsOf(at: ServerProcess): Promise<Record<string, string>> {
  const headers = await signIn(at);
  const studies = (await (await fetch(`${at.url}/api/studies`, { headers })).json()) as Study[];
  const sums: Record<string, string> = {};
  for (const { id, studyInstanceUID } of studies) {
    const answer = await fetch(`${at.url}/api/studies/${id}/download`, { headers });
    sums[studyInstanceUID] = sha256(await answer.bytes());
  }
  return sums;
}

describe("beside a running server", () => {
  test(
    "a backup is made, restored elsewhere, verified, and served with the same studies",
    async () => {
      const before = await downloadsOf(server);
      expect(Object.keys(before)).toHaveLength(2);
      const made = await exameteca("data", "backup", place("backup"));
      expect([made.code, made.complaint]).toEqual([0, ""]);
      expect(made.output).toStartWith("Backed up 4 objects");

      const restored = await exameteca("restored", "restore", place("backup"));
      expect([restored.code, restored.complaint]).toEqual([0, ""]);
      const verified = await exameteca("restored", "verify", "--json");
      expect([verified.code, JSON.parse(verified.output)]).toEqual([
        0,
        { objects: 4, bytes: expect.any(Number), findings: [] },
      ]);
      await using again = await spawnServer(place("restored"));
      expect(await downloadsOf(again)).toEqual(before);
      const refused = await exameteca("restored", "restore", place("backup"));
      expect([refused.code, refused.complaint]).toEqual([1, expect.stringContaining("empty places only")]);
    },
    TIMEOUT_MS,
  );

  test(
    "a rehearsal opens a frame of every study of the backup and leaves nothing behind",
    async () => {
      await exameteca("data", "backup", place("rehearsed"));
      const rehearsed = await exameteca("nowhere", "verify", "--rehearse", place("rehearsed"), "--json");
      expect([rehearsed.code, rehearsed.complaint]).toEqual([0, ""]);
      const frameSha256 = sha256(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
      expect(JSON.parse(rehearsed.output)).toMatchObject({
        ...{ studies: 2, framesOpened: 2, downloads: 2 },
        trials: [{ frameSha256 }, { frameSha256 }],
      });
      const left = [
        ...new Bun.Glob("exameteca-rehearsal-*").scanSync({ cwd: folder.path, onlyFiles: false }),
      ];
      expect(left).toEqual([]);

      const { files } = JSON.parse(readFileSync(place("rehearsed/manifest.json"), "utf8")) as {
        files: BackupFile[];
      };
      const object = files.find(({ kind }) => kind === "object")?.path ?? "";
      rmSync(place(`rehearsed/${object}`));
      const damaged = await exameteca("nowhere", "verify", "--rehearse", place("rehearsed"));
      expect([damaged.code, damaged.complaint]).toEqual([
        2,
        `The backup is damaged: ${object} is missing.\n`,
      ]);
    },
    TIMEOUT_MS,
  );

  test(
    "a rehearsal removes what a killed one left, and nothing of one that runs",
    async () => {
      const rehearsals = () =>
        readdirSync(folder.path).filter((name) => name.startsWith("exameteca-rehearsal"));
      expect((await exameteca("data", "backup", place("rehearsed-twice"))).code).toBe(0);
      const rehearse = ["verify", "--rehearse", place("rehearsed-twice")];
      await using killed = startProgram(environmentOf("nowhere"), ...rehearse);
      await until(() => rehearsals().length === 1);
      const [, , here] = rehearsals()[0]?.split("-") ?? [];
      killed.kill("SIGKILL");
      await killed.exited;
      expect(rehearsals()).toHaveLength(1);
      const running = `exameteca-rehearsal-${here}-${process.pid}-Runs01`;
      // Of another container, whose processes have the same numbers.
      const elsewhere = `exameteca-rehearsal-01234567-${killed.pid}-Runs02`;
      const left = `exameteca-rehearsal-01234567-${process.pid}-Left03`;
      for (const name of [running, elsewhere, left]) mkdirSync(place(name));
      const longAgo = new Date(Date.now() - 2 * HOUR_MS);
      utimesSync(place(left), longAgo, longAgo);
      const again = await exameteca("nowhere", ...rehearse);
      expect([again.code, again.complaint, rehearsals().sort()]).toEqual([
        0,
        "",
        [elsewhere, running].sort(),
      ]);
      for (const name of [running, elsewhere]) rmSync(place(name), { recursive: true });
    },
    TIMEOUT_MS,
  );

  test(
    "a rehearsal names a laboratory PDF that the backup lacks, though every study opens",
    async () => {
      const headers = await signIn(server);
      const form = await formBody(
        { examName: "Hemograma", modality: "LAB" },
        { name: "file", bytes: samplePdf() },
      );
      const sent = await fetch(`${server.url}/api/exams-lab/upload`, {
        method: "POST",
        ...form,
        headers: { ...form.headers, ...headers },
      });
      expect(sent.status).toBe(201);
      const pdfs = () => [...new Bun.Glob("**/*.pdf").scanSync({ cwd: place("data/objects") })];
      await until(() => pdfs().length === 1);
      const [pdf = ""] = pdfs();
      const lost = place(`data/objects/${pdf}`);
      const bytes = readFileSync(lost);
      rmSync(lost);
      expect((await exameteca("data", "backup", place("lacking-a-pdf"))).code).toBe(1);
      writeFileSync(lost, bytes);
      const rehearse = ["verify", "--rehearse", place("lacking-a-pdf")];
      const rehearsed = await exameteca("nowhere", ...rehearse, "--json");
      const { framesOpened, notWhole } = JSON.parse(rehearsed.output) as Record<string, unknown>;
      expect([rehearsed.code, framesOpened, notWhole]).toEqual([1, 2, [{ key: pdf, found: "missing" }]]);
      const told = await exameteca("nowhere", ...rehearse);
      expect([told.code, told.output]).toEqual([
        1,
        expect.stringContaining(`\n  missing in the archive when it was backed up: ${pdf}\n`),
      ]);
    },
    TIMEOUT_MS,
  );

  test(
    "a rehearsal names an exam that the backup lacks, prints JSON alone, and opens no port to DICOM senders",
    async () => {
      const [volume = ""] = [...new Bun.Glob("**/*.zip").scanSync({ cwd: place("data/objects") })];
      const lost = place(`data/objects/${volume}`);
      const bytes = readFileSync(lost);
      rmSync(lost);
      // Whoever asks for it has it marked as missing.
      await downloadsOf(server);
      const made = await exameteca("data", "backup", place("lacking"));
      expect([made.code, made.output]).toEqual([
        1,
        expect.stringContaining(`missing in the archive: ${volume}`),
      ]);
      writeFileSync(lost, bytes);
      const restored = await exameteca("lacked", "restore", place("lacking"));
      expect([restored.code, restored.output]).toEqual([
        0,
        expect.stringContaining(`missing in the archive when it was backed up: ${volume}\n`),
      ]);

      const port = await freePort();
      const env = { ...environmentOf("nowhere"), DIMSE_PORT: String(port) };
      const running = runProgram(env, "verify", "--rehearse", place("lacking"), "--json");
      let connections = 0;
      let isOver = false;
      const ended = running.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        if (await isOpen(port)) connections++;
        await Bun.sleep(20);
      }
      const { code, output } = await ended;
      const { trials, ...counts } = JSON.parse(output) as { trials: { problem?: string }[] };
      expect([code, connections, counts]).toMatchObject([1, 0, { studies: 2, framesOpened: 1 }]);
      expect(trials.map(({ problem }) => problem !== undefined).toSorted()).toEqual([false, true]);
    },
    TIMEOUT_MS,
  );
});

test("a rehearsal makes no lossless copies, which would take room beyond the archive's", () => {
  expect(scratchConfig(place("scratch")).hasDerivatives).toBe(false);
});

async function isOpen(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false; // nobody listens
  }
}

test(
  "the commands name a wrong argument, and exit differently for findings and for work not done",
  async () => {
    for (const [args, named] of [
      [["backup"], "one folder"],
      [["backup", place("x"), "--keep", "0"], "--keep"],
      [["backup", place("data/backups")], "inside DATA_DIR"],
      [["restore"], "one folder"],
      [["verify", "--quick"], "--quick"],
      [["migrate", "--dry-run"], "--dry-run"],
      [["serve", "--port", "3"], "--port"],
    ] as const) {
      const { code, complaint } = await exameteca("data", ...args);
      expect([code, complaint.includes(named)]).toEqual([2, true]);
    }
    const none = await exameteca("restored-again", "restore", place("no-backup"));
    expect([none.code, none.complaint]).toEqual([1, `${place("no-backup")} holds no such backup.\n`]);
    writeFileSync(place("data/objects/left-over"), "x");
    const found = await exameteca("data", "verify");
    expect([found.code, found.output.split("\n")[0]]).toEqual([1, "orphan: left-over"]);
    rmSync(place("data/objects/left-over"));
  },
  TIMEOUT_MS,
);

test(
  "a command ends as usual though the reader of its output stops before its end",
  async () => {
    for (const args of [["verify"], ["backup", place("unread")], ["migrate"]]) {
      await using program = startProgram(environmentOf("data"), ...args);
      await program.stdout.cancel();
      expect([await program.exited, await new Response(program.stderr).text()]).toEqual([0, ""]);
    }
  },
  TIMEOUT_MS,
);
