import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { join, relative } from "node:path";
import { sql } from "drizzle-orm";
import { openArchive } from "../../../src/server/cli/open-installation.ts";
import { migrate } from "../../../src/server/db/migrate.ts";
import { openPostgres } from "../../../src/server/db/postgres.ts";
import { copyUntaken } from "../../../src/server/features/ingest/resumable/copy-untaken.ts";
import { GrowingUpload } from "../../../src/server/features/ingest/resumable/growing-upload.ts";
import { sweepResumables } from "../../../src/server/features/ingest/resumable/sweep-resumables.ts";
import { openBackupFolder, stateName } from "../../../src/server/features/safekeeping/backup-folder.ts";
import type { BackupFile } from "../../../src/server/features/safekeeping/backup-manifest.ts";
import {
  RESTORE_MARK,
  restoreMark,
} from "../../../src/server/features/safekeeping/restore/assert-restored.ts";
import { nameOfDatabase } from "../../../src/server/features/safekeeping/restore/restore.repo.ts";
import { holdDeletions } from "../../../src/server/holdings/deletion-hold.repo.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { type ByteRange, StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { backUp, emptyInstallation, restore, verify } from "../../support/program/installations.ts";
import { filesBelow, sha256 } from "../../support/program/stored-bytes.ts";
import { startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
import { sampleInstance, sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let ana: Person;
let folder: ReturnType<typeof createTempFolder>;

beforeAll(async () => {
  t = await createTestApp();
  folder = createTempFolder();
  ana = await t.addPerson("Ana Conceição", { plan: "clinica" });
  for (const study of ["1", "2", "3"]) await t.store(ana, sampleZip({ study }, { study, sop: "2" }));

  const [first] = await studiesOf(t, ana);
  const report = await formBody({ studyInstanceUID: first?.id ?? "" }, { name: "laudo", bytes: samplePdf() });
  expect((await t.call("POST", "/api/studies/laudo/upload", { as: ana, ...report })).status).toBe(201);
  const lab = await formBody(
    { examName: "Hemograma", modality: "LAB" },
    { name: "file", bytes: samplePdf() },
  );
  expect((await t.call("POST", "/api/exams-lab/upload", { as: ana, ...lab })).status).toBe(201);
  await t.settle();
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function studiesOf(app: Pick<TestApp, "call">, as: Person): Promise<Study[]> {
  const studies = (await (await app.call("GET", "/api/studies", { as })).json()) as Study[];
  return studies.sort((one, other) => (one.studyInstanceUID < other.studyInstanceUID ? -1 : 1));
}

/** SHA-256 of the download of each study. */
async function downloadsOf(app: Pick<TestApp, "call">, as: Person): Promise<Record<string, string>> {
  const sums: Record<string, string> = {};
  for (const { id, studyInstanceUID } of await studiesOf(app, as)) {
    const answer = await app.call("GET", `/api/studies/${id}/download`, { as });
    expect(answer.status).toBe(200);
    sums[studyInstanceUID] = sha256(await answer.bytes());
  }
  return sums;
}

const backupPath = (name: string) => join(folder.path, name);
const manifestOf = (path: string) =>
  JSON.parse(readFileSync(join(path, "manifest.json"), "utf8")) as {
    state: string;
    files: BackupFile[];
    missing: string[];
  };

async function signIn(app: TestApp, { email, password }: Person): Promise<string> {
  const answer = await app.call("POST", "/api/auth/login", { json: { email, password } });
  return ((await answer.json()) as { token: string }).token;
}

/** What was synced while `work` ran, each with the names of the states at that time. */
async function syncsDuring(root: string, work: () => Promise<unknown>): Promise<Map<string, string[]>> {
  await using handle = await open(folder.path);
  const files = Object.getPrototypeOf(handle) as { sync(this: { fd: number }): Promise<void> };
  const { sync } = files;
  const synced = new Map<string, string[]>();
  files.sync = function () {
    const path = readlinkSync(`/proc/self/fd/${this.fd}`);
    synced.set(relative(realpathSync(root), path), readdirSync(join(root, "states")));
    return sync.call(this);
  };
  await work().finally(() => Object.assign(files, { sync }));
  return synced;
}

describe("a backup", () => {
  test("names every file with its SHA-256, and copies only new objects the second time", async () => {
    const path = backupPath("twice");
    const first = await backUp(t.deps.config, path);
    const { files } = manifestOf(path);
    for (const file of files) {
      const bytes = readFileSync(join(path, file.path));
      expect([bytes.length, sha256(bytes)]).toEqual([file.sizeBytes, file.sha256]);
    }
    const named = new Set([
      ...files.map((file) => file.path),
      "manifest.json",
      `states/${first.state}/manifest.json`,
    ]);
    expect([...filesBelow(path)].filter((name) => !named.has(name))).toEqual([]);
    expect(
      files
        .filter(({ kind }) => kind === "secret")
        .map((file) => statSync(join(path, file.path)).mode & 0o777),
    ).toEqual([0o600, 0o600]);
    const keys = (await t.sql`select key from stored_objects union select key from lab_exams`).map(
      ({ key }) => String(key),
    );
    expect(new Set(files.flatMap(({ key }) => key ?? []))).toEqual(new Set(keys));

    const second = await backUp(t.deps.config, path);
    expect([second.copiedBytes, second.objects]).toEqual([0, first.objects]);
    await t.store(ana, sampleZip({ study: "4" }));
    const third = await backUp(t.deps.config, path);
    expect(third.copiedBytes).toBe(third.bytes - second.bytes);
  });

  test("keeps the given number of states, and only objects that they name", async () => {
    const path = backupPath("kept");
    await t.store(ana, sampleZip({ study: "50" }));
    await backUp(t.deps.config, path, { now: new Date("2026-01-01T10:00:00Z") });
    const study = (await studiesOf(t, ana)).find(({ studyInstanceUID }) => studyInstanceUID.endsWith(".50"));
    expect((await t.call("DELETE", `/api/studies/${study?.id}`, { as: ana })).status).toBe(200);
    await t.settle();
    const before = filesBelow(join(path, "objects")).size;
    await backUp(t.deps.config, path, { now: new Date("2026-01-02T10:00:00Z"), keep: 2 });
    expect(readdirSync(join(path, "states")).sort()).toEqual(["20260101T100000Z", "20260102T100000Z"]);
    expect(filesBelow(join(path, "objects")).size).toBe(before);
    const third = { now: new Date("2026-01-03T10:00:00Z"), keep: 2 };
    const syncs = await syncsDuring(path, () => backUp(t.deps.config, path, third));
    // All that a state names is durable before it has its name, and it loses its name before anything of it.
    expect(syncs.get("objects")).toContain("20260103T100000Z.unfinished");
    expect(syncs.get("states")).toContain("20260101T100000Z.unfinished");
    expect(readdirSync(join(path, "states")).sort()).toEqual(["20260102T100000Z", "20260103T100000Z"]);
    expect(filesBelow(join(path, "objects"))).toEqual(
      new Set(
        manifestOf(path).files.flatMap(({ kind, path: file }) =>
          kind === "object" ? [file.slice("objects/".length)] : [],
        ),
      ),
    );
  });

  test("made after the clock was set back is the newest state, and the one that is kept", async () => {
    const path = backupPath("clock");
    await backUp(t.deps.config, path, { now: new Date("2027-01-01T10:00:00Z") });
    const { state } = await backUp(t.deps.config, path, { now: new Date("2026-01-01T10:00:00Z"), keep: 1 });
    expect(readdirSync(join(path, "states"))).toEqual([state]);
    expect(manifestOf(path).state).toBe(state);
    const at = new Date("2026-01-01T10:00:00Z");
    const later = await backUp(t.deps.config, path, { now: at });
    expect(await openBackupFolder(path).listStates()).toEqual([state, later.state]);
    expect(stateName(at, ["20260101T100000Z", "20260101T100000Z-2", "20260101T100000Z-10"])).toBe(
      "20260101T100000Z-11",
    );
  });

  test("lists ten states of one second in their order", async () => {
    const path = backupPath("second");
    const names = ["20260101T100000Z-10", "20260101T100000Z-2", "20260101T100000Z", "20260101T100001Z"];
    for (const name of names) await mkdir(join(path, "states", name), { recursive: true });
    expect(await openBackupFolder(path).listStates()).toEqual([2, 1, 0, 3].map((at) => names[at] ?? ""));
  });

  test("finds in its turn what has changed in the folder, and copies it again", async () => {
    const path = backupPath("healed");
    await backUp(t.deps.config, path);
    const object = manifestOf(path).files.find(({ kind }) => kind === "object")?.path ?? "";
    const whole = readFileSync(join(path, object));
    const folderNumber = Number.parseInt(object.slice("objects/".length), 16);
    const beginsWith = async (rereadFrom: number) => {
      const { state } = manifestOf(path);
      for (const manifest of [join(path, "manifest.json"), join(path, "states", state, "manifest.json")]) {
        const text = readFileSync(manifest, "utf8");
        writeFileSync(manifest, text.replace(/"rereadFrom": \d+/, `"rereadFrom": ${rereadFrom}`));
      }
    };
    const spoil = () =>
      writeFileSync(
        join(path, object),
        whole.map((byte, at) => (at === 40 ? ~byte : byte)),
      );
    for (const [rereadFrom, isFound] of [
      [folderNumber, true],
      [(folderNumber + 256 - 8) % 256, true],
      [(folderNumber + 256 - 9) % 256, false],
      [(folderNumber + 1) % 256, false],
    ] as const) {
      spoil();
      beginsWith(rereadFrom);
      const { healed, changed } = await backUp(t.deps.config, path);
      expect([healed, changed]).toEqual([isFound ? [object] : [], []]);
      expect(readFileSync(join(path, object)).equals(whole)).toBe(isFound);
      expect(manifestOf(path)).toMatchObject({ rereadFrom: (rereadFrom + 9) % 256 });
    }
    expect((await backUp(t.deps.config, path, { rereadAll: true })).healed).toEqual([object]);
    expect(readFileSync(join(path, object)).equals(whole)).toBe(true);
    writeFileSync(join(path, object), whole.subarray(1));
    expect((await backUp(t.deps.config, path)).healed).toEqual([object]);
  }, 240_000);

  test("leaves files in its folders that are not its own, and is made even if older states stay", async () => {
    const path = backupPath("strange");
    await backUp(t.deps.config, path, { now: new Date("2026-01-01T10:00:00Z") });
    writeFileSync(join(path, "objects", ".DS_Store"), "");
    const [first = ""] = readdirSync(join(path, "objects")).filter((name) => /^[0-9a-f]{2}$/.test(name));
    writeFileSync(join(path, "objects", first, "half-copied"), "");
    const pruned = await backUp(t.deps.config, path, { now: new Date("2026-01-02T10:00:00Z"), keep: 1 });
    expect(pruned.unpruned).toBeUndefined();
    expect(readdirSync(join(path, "states"))).toEqual([pruned.state]);
    expect(filesBelow(join(path, "objects"))).toContain(`${first}/half-copied`);

    const taken = new Set(readdirSync(join(path, "objects")));
    const free = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, "0")).find(
      (name) => !taken.has(name),
    );
    writeFileSync(join(path, "objects", free ?? ""), "");
    const made = await backUp(t.deps.config, path, { now: new Date("2026-01-03T10:00:00Z"), keep: 1 });
    expect(made.unpruned).toBe("ENOTDIR");
    expect(manifestOf(path).state).toBe(made.state);

    const kept = await backUp(t.deps.config, path, { now: new Date("2026-01-04T10:00:00Z") });
    const manifest = join(path, "states", kept.state, "manifest.json");
    writeFileSync(manifest, readFileSync(manifest, "utf8").slice(0, -4));
    const newest = await backUp(t.deps.config, path, { now: new Date("2026-01-05T10:00:00Z"), keep: 2 });
    expect(newest.unpruned).toContain(manifest);
    expect(readdirSync(join(path, "states")).sort()).toEqual([made.state, kept.state, newest.state]);
    expect(manifestOf(path).state).toBe(newest.state);
  });

  test("of another installation does not go into the folder, and removes nothing there", async () => {
    const path = backupPath("taken");
    const { state } = await backUp(t.deps.config, path);
    await using other = await createTestApp({ jobs: false });
    const config = { ...other.deps.config, authSecret: "another secret for tests, as long as that" };
    await expect(backUp(config, path, { keep: 1 })).rejects.toThrow("holds backups of another installation");
    expect(readdirSync(join(path, "states"))).toEqual([state]);
    await expect(backUp({ ...config, authSecret: undefined }, path)).rejects.toThrow("another installation");
  });

  test("into a folder that can't be made says so", async () => {
    const file = backupPath("a file");
    writeFileSync(file, "");
    for (const path of [file, join(file, "below")])
      await expect(backUp(t.deps.config, path)).rejects.toThrow(`${path} can't be written`);
  });

  test("that was interrupted is not complete, and the next one resumes where it stopped", async () => {
    const path = backupPath("cut");
    for (const at of [1, 2, 4]) {
      const controller = new AbortController();
      let objects = 0;
      const cut = backUp(t.deps.config, path, {
        signal: controller.signal,
        onProgress: () => ++objects === at && controller.abort(new Error("cut")),
      });
      await expect(cut).rejects.toThrow("cut");
      expect(filesBelow(path).has("manifest.json")).toBe(false);
      await using empty = await emptyInstallation();
      await expect(restore(empty.config, path)).rejects.toThrow("no such backup");
    }
    await backUp(t.deps.config, path);
    expect([...filesBelow(path)].filter((name) => name.includes("unfinished"))).toEqual([]);
  });

  test("is made without an object that the disk can't read, and names it", async () => {
    const [row] = await t.sql`select key from stored_objects where kind = 'volume' order by key limit 1`;
    const broken = {
      ...t.deps.store,
      async read(key: string, range: ByteRange) {
        const cause = Object.assign(new Error("input/output error"), { code: "EIO", syscall: "read" });
        if (key === row?.key) throw new StoreUnavailable("disk: EIO", { cause });
        return await t.deps.store.read(key, range);
      },
    };
    const { id: nodeId, stagedPath } = t.deps.node;
    const path = backupPath("sector");
    const sources = { store: broken, storedPath: undefined, nodeId, stagedPath };
    expect((await backUp(t.deps.config, path, { sources })).missing).toEqual([row?.key]);
    expect(manifestOf(path).missing).toEqual([row?.key]);
    expect((await backUp(t.deps.config, path)).missing).toEqual([]);
  });

  test("waits for what another node has on its way to the store, unless that node is silent", async () => {
    const other = crypto.randomUUID();
    const [row] = await t.sql`update stored_objects set location = 'staging', staged_on = ${other}
      where id = (select id from stored_objects where kind = 'volume' order by key limit 1) returning key`;
    const path = backupPath("on-its-way");
    const onItsWay = (looks: number) => {
      const stat = async (key: string) =>
        key === row?.key && looks-- > 0 ? undefined : await t.deps.store.stat(key);
      const { id: nodeId, stagedPath } = t.deps.node;
      return { sources: { store: { ...t.deps.store, stat }, storedPath: undefined, nodeId, stagedPath } };
    };
    await expect(backUp(t.deps.config, path, onItsWay(1))).rejects.toThrow(`lie on node ${other} only`);
    await t.sql`insert into nodes (id, boot_id, started_at, steady_since, last_beat_at)
      values (${other}, ${other}, now(), now(), now())`;
    expect((await backUp(t.deps.config, path, onItsWay(1))).missing).toEqual([]);
    expect(manifestOf(path).files.map(({ key }) => key)).toContain(row?.key);
    await t.sql`delete from nodes where id = ${other}`;
    await t.sql`update stored_objects set location = 'archive', staged_on = null where key = ${row?.key}`;
  });

  test("delays deletions of the objects it reads until it ends, and runs alone", async () => {
    await t.store(ana, sampleZip({ study: "60" }));
    const study = (await studiesOf(t, ana)).find(({ studyInstanceUID }) => studyInstanceUID.endsWith(".60"));
    const keys = (await t.sql`select key from stored_objects where study_id = ${study?.id ?? ""}`).map(
      ({ key }) => String(key),
    );
    const path = backupPath("deleted");
    let isDeleted = false;
    const waiting = Promise.withResolvers<void>();
    const slow = {
      ...t.deps.store,
      async read(key: string, range: ByteRange) {
        if (!isDeleted) await waiting.promise;
        return await t.deps.store.read(key, range);
      },
    };
    const running = backUp(t.deps.config, path, {
      sources: {
        store: slow,
        storedPath: undefined,
        nodeId: t.deps.node.id,
        stagedPath: t.deps.node.stagedPath,
      },
    });
    await untilHeld(t);
    await expect(backUp(t.deps.config, backupPath("other"))).rejects.toThrow("Another backup");
    expect((await t.call("DELETE", `/api/studies/${study?.id}`, { as: ana })).status).toBe(200);
    await untilJobsAre(t, "storage.purge", 2);
    isDeleted = true;
    waiting.resolve();
    const report = await running;
    expect(report.missing).toEqual([]);
    const kept = new Set(manifestOf(path).files.flatMap(({ key }) => key ?? []));
    expect(keys.filter((key) => !kept.has(key))).toEqual([]);
    await t.sql`update pgboss.job set start_after = now() where name = 'storage.purge' and state = 'created'`;
    await t.settle();
    for (const key of keys) expect(await t.deps.store.stat(key)).toBeUndefined();
  });

  test("has the right bytes of what the store answers wrong for a moment", async () => {
    await using s3 = await startFaultyS3Server();
    const path = backupPath("wrong-for-a-moment");
    const from = backupPath("honest");
    await backUp(t.deps.config, from);
    await using remote = await emptyInstallation(s3.options);
    await restore(remote.config, from);
    const honest = s3.bucket.handle;
    const changed = new Set<string>();
    s3.bucket.handle = (request, body) => {
      const answer = honest(request, body);
      if (request.method !== "GET" || request.key === "" || changed.has(request.key)) return answer;
      changed.add(request.key);
      return { ...answer, body: answer.body.map((byte, at) => (at === 0 ? byte ^ 1 : byte)) };
    };
    const report = await backUp(remote.config, path);
    expect([report.changed, report.missing]).toEqual([[], []]);
    expect(changed.size).toBe(report.objects);
    await using local = await emptyInstallation();
    await restore(local.config, path);
    expect(await verify(local.config)).toMatchObject({ findings: [] });
  }, 240_000);

  test("copies changed files as they are, reports them, and marks their exams where it is restored", async () => {
    const path = backupPath("damaged");
    const [row] =
      await t.sql`select key, sha256 from stored_objects where kind = 'volume' order by key limit 1`;
    const file = join(t.deps.config.dataDir, "objects", String(row?.key));
    const bytes = readFileSync(file);
    const changed = Buffer.from(bytes);
    changed[100] = (changed[100] ?? 0) ^ 1;
    writeFileSync(file, changed);
    const report = await backUp(t.deps.config, path);
    expect([report.changed, report.missing]).toEqual([[row?.key], []]);
    expect(manifestOf(path).files.find(({ key }) => key === row?.key)).toMatchObject({
      sha256: sha256(changed),
      expectedSha256: row?.sha256,
    });
    rmSync(file);
    const again = await backUp(t.deps.config, backupPath("missing"));
    expect([again.missing, manifestOf(backupPath("missing")).missing]).toEqual([[row?.key], [row?.key]]);
    writeFileSync(file, bytes);
    for (const found of ["damaged", "missing"]) {
      await using place = await emptyInstallation();
      await restore(place.config, backupPath(found));
      await using app = await createTestApp({ env: place.env, jobs: false });
      const marked = await app.deps.db.execute(
        sql`select key, integrity from stored_objects join studies on studies.id = study_id
          where kind = 'volume' and integrity in ('damaged', 'missing')`,
      );
      expect([...marked]).toEqual([{ key: row?.key, integrity: found }]);
    }
  }, 240_000);
});

/** The backup has its lock. */
async function untilHeld({ sql }: TestApp): Promise<void> {
  await until(async () => {
    const held =
      await sql`select 1 from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and granted
      and objid::bigint + (classid::bigint << 32) = 4829117304
      and database = (select oid from pg_database where datname = current_database())`;
    return held.length > 0;
  });
}

/** Waits until a queue has had `count` recent jobs, and none of them runs. */
async function untilJobsAre({ sql }: TestApp, name: string, count: number): Promise<void> {
  await until(async () => {
    const rows =
      await sql`select state from pgboss.job where name = ${name} and created_on > now() - interval '20 seconds'`;
    return rows.length >= count && rows.every(({ state }) => state !== "active");
  });
}

describe("what a DICOM sender stored and no study shows yet", () => {
  let receiverId: string;
  beforeAll(async () => {
    const made = await t.call("POST", "/api/receivers", { as: ana, json: { aeTitle: "HOSPITAL" } });
    receiverId = ((await made.json()) as { id: string }).id;
  });

  const openGrowing = () =>
    GrowingUpload.open(t.deps, { accountId: ana.id, receiverId, callingAETitle: "CT", address: "127.0.0.1" });

  async function send(growing: GrowingUpload, study: string, sop = "1"): Promise<void> {
    const bytes = sampleInstance({ study, sop });
    const file = join(folder.path, `${study}.dcm`);
    writeFileSync(file, bytes);
    await growing.add({ path: file, sizeBytes: bytes.length, crc32: Bun.hash.crc32(bytes) });
  }

  const uidsOf = async (app: Pick<TestApp, "call">, as: Person) =>
    (await studiesOf(app, as)).map(({ studyInstanceUID }) => studyInstanceUID);

  test("is in a backup, and a restore brings it into its study, from a disk to S3 and back", async () => {
    await using s3 = await startFaultyS3Server();
    const path = backupPath("untaken");
    const back = backupPath("untaken-back");
    expect((await backUp(t.deps.config, path)).untaken).toMatchObject({ uploads: 0, bytes: 0, lost: [] });
    await using growing = await openGrowing();
    expect((await backUp(t.deps.config, path)).untaken.uploads).toBe(0);
    await send(growing, "900");
    await send(growing, "900", "2");
    const { untaken } = await backUp(t.deps.config, path);
    expect([untaken.uploads, untaken.bytes]).toEqual([1, growing.sizeBytes]);

    await using remote = await emptyInstallation(s3.options);
    await restore(remote.config, path);
    expect(await verify(remote.config)).toMatchObject({ findings: [] });
    expect((await backUp(remote.config, back)).untaken).toMatchObject({ uploads: 1, lost: [] });
    await using local = await emptyInstallation();
    await restore(local.config, back);
    for (const { env } of [remote, local]) {
      await using app = await createTestApp({ env });
      const again = { ...ana, token: await signIn(app, ana) };
      await until(async () => (await uidsOf(app, again)).includes("2.25.1.900"));
      const study = (await studiesOf(app, again)).find((one) => one.studyInstanceUID === "2.25.1.900");
      expect(study?.imagesReceived).toBe(2);
      await until(
        async () => (await app.sql`select 1 from resumable_uploads where state = 'processing'`).length === 0,
      );
      expect((await verify(app.deps.config)).findings).toEqual([]);
    }

    await growing.close();
    await t.settle();
    expect((await backUp(t.deps.config, path)).untaken).toMatchObject({ uploads: 0, bytes: 0 });
    expect(await uidsOf(t, ana)).toContain("2.25.1.900");
  }, 240_000);

  test("is in a backup as it came, though it is taken in while the backup runs", async () => {
    await using growing = await openGrowing();
    await send(growing, "901");
    const [row] =
      await t.sql`select id from resumable_uploads where state = 'receiving' and receiver_id is not null`;
    const places = { arrivingDir: t.deps.node.arrivingDir };
    const upload = { id: String(row?.id), sizeBytes: growing.sizeBytes, parts: [] };
    const read = async (name: string) => {
      await copyUntaken(places, upload, join(folder.path, name), new AbortController().signal);
      return readFileSync(join(folder.path, name));
    };
    const before = await read("before");
    {
      await using _hold = await holdDeletions(t.deps.config.databaseUrl ?? "");
      await growing.close();
      await until(async () => (await uidsOf(t, ana)).includes("2.25.1.901"));
      await until(
        async () =>
          (await t.sql`select 1 from resumable_uploads where id = ${upload.id} and state = 'done'`).length ===
          1,
      );
      expect((await read("after")).equals(before)).toBe(true);
    }
    await sweepResumables(t.deps, new AbortController().signal);
    expect(read("gone")).rejects.toThrow("gone");
  });

  test("is in a backup as it came, though a run was killed and taken back while its file was copied", async () => {
    const id = Bun.randomUUIDv7();
    const arrivingDir = join(folder.path, "arriving");
    const [bytes, undo] = ["bytes", "undo"].map((name) => join(arrivingDir, id, name)) as [string, string];
    await mkdir(join(arrivingDir, id), { recursive: true });
    const came = Buffer.from("as it came");
    writeFileSync(bytes, came);
    const steps = [
      () => {
        writeFileSync(undo, "what the run overwrites");
        writeFileSync(bytes, "overwritten");
      },
      () => {
        writeFileSync(bytes, came);
        rmSync(undo);
      },
    ];
    const signal = { throwIfAborted: () => steps.shift()?.() } as unknown as AbortSignal;
    const target = join(folder.path, "killed");
    await copyUntaken({ arrivingDir }, { id, sizeBytes: came.length, parts: [] }, target, signal);
    expect(readFileSync(target).equals(came)).toBe(true);
  });

  test("is told as lost if the disk can't read it, and the backup is made without it", async () => {
    await using growing = await openGrowing();
    await send(growing, "903");
    const [row] =
      await t.sql`select id from resumable_uploads where state = 'receiving' and receiver_id is not null`;
    const bytes = join(t.deps.node.arrivingDir, String(row?.id), "bytes");
    rmSync(bytes);
    // Its first bytes can't be read: EIO.
    symlinkSync("/proc/self/mem", bytes);
    const { untaken } = await backUp(t.deps.config, backupPath("unreadable"));
    expect(untaken).toMatchObject({ uploads: 0, lost: [row?.id] });
    await t.sql`delete from resumable_uploads where id = ${row?.id}`;
  });

  test("is told as lost if its bytes are gone, and the backup is made without it", async () => {
    const path = backupPath("lost");
    await using growing = await openGrowing();
    await send(growing, "902");
    const [row] =
      await t.sql`select id from resumable_uploads where state = 'receiving' and receiver_id is not null`;
    rmSync(join(t.deps.node.arrivingDir, String(row?.id)), { recursive: true });
    expect((await backUp(t.deps.config, path)).untaken).toMatchObject({ uploads: 0, lost: [row?.id] });
    await using place = await emptyInstallation();
    await restore(place.config, path);
    await t.sql`delete from resumable_uploads where id = ${row?.id}`;
  });

  test("stays in the newest older state that has it if its bytes are gone, however few states are kept", async () => {
    const path = backupPath("only-copy");
    const on = (day: number) => ({ now: new Date(`2026-01-0${day}T10:00:00Z`), keep: 1 });
    await using growing = await openGrowing();
    await send(growing, "904");
    const [row] =
      await t.sql`select id from resumable_uploads where state = 'receiving' and receiver_id is not null`;
    const has = await backUp(t.deps.config, path, on(1));
    rmSync(join(t.deps.node.arrivingDir, String(row?.id)), { recursive: true });
    const lacks = await backUp(t.deps.config, path, on(2));
    expect(lacks).toMatchObject({ untaken: { lost: [row?.id] } });
    expect(lacks.unpruned).toBeUndefined();
    expect(readdirSync(join(path, "states")).sort()).toEqual([has.state, lacks.state]);
    const newest = await backUp(t.deps.config, path, on(3));
    expect(readdirSync(join(path, "states")).sort()).toEqual([has.state, newest.state]);
    await using place = await emptyInstallation();
    await restore(place.config, path, { state: has.state });
    await t.sql`delete from resumable_uploads where id = ${row?.id}`;
    const last = await backUp(t.deps.config, path, on(4));
    expect(readdirSync(join(path, "states"))).toEqual([last.state]);
  });
});

describe("a restore", () => {
  test("into a store that says it took an object and keeps nothing is not done, and can be repeated", async () => {
    await using s3 = await startFaultyS3Server();
    const path = backupPath("kept-nothing");
    await backUp(t.deps.config, path);
    await using remote = await emptyInstallation(s3.options);
    const { handle } = s3.bucket;
    s3.bucket.handle = (request, body) => {
      const isVolume = request.method === "PUT" && request.key.endsWith(".zip");
      return isVolume
        ? { status: 200, headers: { etag: '"0"' }, body: new Uint8Array() }
        : handle(request, body);
    };
    await expect(restore(remote.config, path)).rejects.toThrow(StoreUnavailable);
    s3.bucket.handle = handle;
    await restore(remote.config, path);
    expect(await verify(remote.config)).toMatchObject({ findings: [] });
  }, 240_000);

  test("brings everything back, from a disk to S3 and from S3 to a disk, with nobody signed in", async () => {
    await using s3 = await startFaultyS3Server();
    const path = backupPath("there");
    const back = backupPath("back");
    const expected = { studies: await studiesOf(t, ana), downloads: await downloadsOf(t, ana) };
    await backUp(t.deps.config, path);

    await using remote = await emptyInstallation(s3.options);
    await restore(remote.config, path);
    expect(await verify(remote.config)).toMatchObject({ findings: [] });
    await backUp(remote.config, back);

    await using local = await emptyInstallation();
    await restore(local.config, back);
    expect(await verify(local.config)).toMatchObject({ findings: [] });

    for (const place of [remote, local]) {
      await using app = await createTestApp({ env: place.env, jobs: false });
      expect((await app.call("GET", "/api/auth/me", { as: ana })).status).toBe(401);
      const again = { ...ana, token: await signIn(app, ana) };
      expect(await studiesOf(app, again)).toEqual(expected.studies);
      expect(await downloadsOf(app, again)).toEqual(expected.downloads);
    }
  }, 240_000);

  test("refuses a target that is not empty, names it, and leaves it as it is", async () => {
    const path = backupPath("refused");
    await backUp(t.deps.config, path);
    await using full = await emptyInstallation();
    const { dataDir } = full.config;
    await mkdir(join(dataDir, "objects"), { recursive: true });

    writeFileSync(join(dataDir, "notes.txt"), "mine");
    await expect(restore(full.config, path)).rejects.toThrow("notes.txt");
    rmSync(join(dataDir, "notes.txt"));

    writeFileSync(join(dataDir, "objects", "a"), "mine");
    await expect(restore(full.config, path)).rejects.toThrow("object a");
    rmSync(join(dataDir, "objects", "a"));

    await expect(
      restore({ ...full.config, authSecret: "another secret that is long enough!" }, path),
    ).rejects.toThrow("AUTH_SECRET");
    await expect(restore({ ...full.config, databaseUrl: t.deps.config.databaseUrl }, path)).rejects.toThrow(
      "the database",
    );
    expect([...filesBelow(dataDir)]).toEqual([]);
    expect((await studiesOf(t, ana)).length).toBeGreaterThan(0);
    await restore(full.config, path);
  });

  test("that was interrupted can be repeated with the same backup, and no server starts there before", async () => {
    const path = backupPath("again");
    const { state: begun } = await backUp(t.deps.config, path);
    await using place = await emptyInstallation();
    const reachDatabase = () => Promise.reject(new Error("out of reach"));
    await expect(restore(place.config, path, { reachDatabase })).rejects.toThrow("out of reach");
    const elsewhere = { ...place.config, databaseUrl: t.deps.config.databaseUrl };
    await expect(restore(elsewhere, path)).rejects.toThrow("the database is there already");
    const controller = new AbortController();
    const cut = restore(place.config, path, {
      signal: controller.signal,
      onProgress: ({ objects }) => objects === 3 && controller.abort(new Error("cut")),
    });
    await expect(cut).rejects.toThrow("cut");
    await expect(createTestApp({ env: place.env })).rejects.toThrow("interrupted");
    await expect(restore(elsewhere, path)).rejects.toThrow("the database is there already");
    // The next backup of the night.
    const { state: newer } = await backUp(t.deps.config, path);
    await expect(restore(place.config, path, { state: newer })).rejects.toThrow(
      new RegExp(`${begun} into .+ was interrupted.+ For another backup, empty DATA_DIR`),
    );
    expect((await restore(place.config, path)).state).toBe(begun);
    expect(filesBelow(place.config.dataDir).has(RESTORE_MARK)).toBe(false);
    expect(await verify(place.config)).toMatchObject({ findings: [] });
  });

  test("refuses a database that does not fit, before it copies anything", async () => {
    const path = backupPath("does-not-fit");
    await backUp(t.deps.config, path);
    await using place = await emptyInstallation();
    const sql = openPostgres(place.config.databaseUrl ?? "", { max: 1 });
    const [own] = await sql`select current_database() as name`;
    const set = (setting: string) => sql.unsafe(`alter database ${own?.name} ${setting}`);
    await set("set default_transaction_isolation = serializable");
    await expect(restore(place.config, path)).rejects.toThrow("statements would be serializable");
    expect([...filesBelow(place.config.dataDir)]).toEqual([RESTORE_MARK]);
    await set("reset default_transaction_isolation");
    await sql.end();
    await restore(place.config, path);
  }, 240_000);

  test("lets no second one into its place, neither while it runs nor with what it found before", async () => {
    const path = backupPath("two-at-once");
    await backUp(t.deps.config, path);
    await using place = await emptyInstallation();
    const reached = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    let opened = 0;
    const openStore = async () => {
      if (++opened === 2) {
        reached.resolve();
        await goesOn.promise;
      }
      return (await openArchive(place.config)).store;
    };
    const first = restore(place.config, path, { openStore });
    await reached.promise;
    await expect(restore(place.config, path)).rejects.toThrow(
      "Another restore into this database is running",
    );
    const reachDatabase = async () => {
      goesOn.resolve();
      await first;
      return { url: place.config.databaseUrl ?? "", [Symbol.asyncDispose]: async () => {} };
    };
    await expect(restore(place.config, path, { reachDatabase })).rejects.toThrow("is there already");
    expect(await verify(place.config)).toMatchObject({ findings: [] });
    await using app = await createTestApp({ env: place.env, jobs: false });
    await signIn(app, ana);
  }, 240_000);

  test("lets no server begin to work on its database before it is whole, wherever that runs", async () => {
    const path = backupPath("other-node");
    const { state } = await backUp(t.deps.config, path);
    await using place = await emptyInstallation();
    await using anotherFolder = createTempFolder();
    const env = { ...place.env, DATA_DIR: anotherFolder.path };
    const startAnother = () => createTestApp({ env, overrides: { isDatabasePrepared: false }, jobs: false });
    const refusals: string[] = [];
    let opened = 0;
    const openStore = async () => {
      if (++opened === 2)
        await startAnother().then(
          () => refusals.push("started"),
          (error) => refusals.push(String(error)),
        );
      return (await openArchive(place.config)).store;
    };
    await restore(place.config, path, { openStore });
    expect(refusals).toEqual([expect.stringContaining("A restore into the database")]);
    await using app = await createTestApp({
      env: place.env,
      overrides: { isDatabasePrepared: false },
      jobs: false,
    });
    const again = { ...ana, token: await signIn(app, ana) };
    expect(await downloadsOf(app, again)).toEqual(await downloadsOf(t, ana));

    // A run that was killed after it had ended, but for its mark, changes nothing when it is repeated.
    const sql = openPostgres(place.config.databaseUrl ?? "", { max: 1 });
    writeFileSync(join(place.config.dataDir, RESTORE_MARK), restoreMark(state, await nameOfDatabase(sql)));
    await sql.end();
    await restore(place.config, path);
    expect(filesBelow(place.config.dataDir).has(RESTORE_MARK)).toBe(false);
    expect((await app.call("GET", "/api/auth/me", { as: again })).status).toBe(200);
  }, 240_000);

  test.each(["goes on", "is killed"])(
    "never counts as its own what a server of an older release made there while it %s",
    async (fate) => {
      const path = backupPath(`older-release-${fate.replaceAll(" ", "-")}`);
      await backUp(t.deps.config, path);
      await using place = await emptyInstallation();
      const url = place.config.databaseUrl ?? "";
      const { migrations } = await import("../../../src/server/db/migrations.ts");
      let opened = 0;
      const openStore = async () => {
        if (++opened === 2) {
          // That release does not ask for the claim.
          await migrate(url, migrations, undefined, { isRestore: true });
          if (fate === "is killed") throw new Error("killed");
        }
        return (await openArchive(place.config)).store;
      };
      const taken = "the database is there already";
      await expect(restore(place.config, path, { openStore })).rejects.toThrow(
        fate === "is killed" ? "killed" : taken,
      );
      await expect(restore(place.config, path)).rejects.toThrow(taken);
      await expect(restore(place.config, path)).rejects.toThrow(taken);
      expect(filesBelow(place.config.dataDir).has(RESTORE_MARK)).toBe(true);
      expect(await migrate(url, migrations)).toBe(0);
    },
    240_000,
  );

  test("goes on where an older release, which noted less, had brought the rows", async () => {
    const path = backupPath("noted-less");
    const { state } = await backUp(t.deps.config, path);
    await using place = await emptyInstallation();
    const cut = restore(place.config, path, { now: new Date(Number.NaN) });
    await expect(cut).rejects.toThrow();
    const sql = openPostgres(place.config.databaseUrl ?? "", { max: 1 });
    await sql`drop schema exameteca_restore cascade`;
    writeFileSync(join(place.config.dataDir, RESTORE_MARK), `${state}\n${await nameOfDatabase(sql)}\n`);
    await sql.end();
    await restore(place.config, path);
    await using app = await createTestApp({ env: place.env, jobs: false });
    expect(await downloadsOf(app, { ...ana, token: await signIn(app, ana) })).toEqual(
      await downloadsOf(t, ana),
    );
  }, 240_000);

  test("begins anew where only its claim was dropped before its rows came", async () => {
    const path = backupPath("claim-dropped");
    await backUp(t.deps.config, path);
    await using place = await emptyInstallation();
    let opened = 0;
    const openStore = async () => {
      if (++opened === 2) {
        const sql = openPostgres(place.config.databaseUrl ?? "", { max: 1 });
        await sql`create table public.half_made ()`;
        await sql`drop schema exameteca_restore cascade`;
        await sql.end();
        throw new Error("killed");
      }
      return (await openArchive(place.config)).store;
    };
    await expect(restore(place.config, path, { openStore })).rejects.toThrow("killed");
    await restore(place.config, path);
    await using app = await createTestApp({ env: place.env, jobs: false });
    await signIn(app, ana);
  }, 240_000);

  test("leaves out what is damaged in the backup, if it is told to, and names it", async () => {
    const path = backupPath("partly");
    await backUp(t.deps.config, path);
    const volumes = new Set(
      (await t.sql`select key from stored_objects where kind = 'volume'`).map(({ key }) => String(key)),
    );
    const [changed, gone] = manifestOf(path).files.filter(({ key }) => key !== undefined && volumes.has(key));
    const bytes = readFileSync(join(path, changed?.path ?? ""));
    writeFileSync(
      join(path, changed?.path ?? ""),
      bytes.map((byte, at) => (at === 9 ? ~byte : byte)),
    );
    rmSync(join(path, gone?.path ?? ""));
    await using place = await emptyInstallation();
    await expect(restore(place.config, path)).rejects.toThrow("damaged");
    const { leftOut } = await restore(place.config, path, { withoutDamaged: true });
    expect(new Set(leftOut)).toEqual(new Set([changed?.key ?? "", gone?.key ?? ""]));
    expect(filesBelow(place.config.dataDir).has(RESTORE_MARK)).toBe(false);
    const { findings } = await verify(place.config);
    expect(new Set(findings.map(({ kind, object }) => `${kind} ${object}`))).toEqual(
      new Set(leftOut.map((key) => `missing ${key}`)),
    );
    const dump = manifestOf(path).files.find(({ kind }) => kind === "database")?.path ?? "";
    writeFileSync(join(path, dump), "");
    await using other = await emptyInstallation();
    await expect(restore(other.config, path, { withoutDamaged: true })).rejects.toThrow("damaged");
  });

  test("tells people at once that what it left out is missing, and what they send again heals it", async () => {
    const path = backupPath("told");
    await backUp(t.deps.config, path);
    const [, study] = await studiesOf(t, ana);
    const [volume] =
      await t.sql`select key from stored_objects where kind = 'volume' and study_id = ${study?.id ?? ""}`;
    // The laudo of the first study is the same PDF.
    const [lab] = await t.sql`select key from lab_exams`;
    for (const { key, path: file } of manifestOf(path).files)
      if (key !== undefined && [volume?.key, lab?.key].includes(key)) rmSync(join(path, file));
    await using place = await emptyInstallation();
    await restore(place.config, path, { withoutDamaged: true });
    // The log tells of the receipt that is refused.
    const log = createLogger({ level: "error", write: () => {} });
    await using app = await createTestApp({ env: place.env, overrides: { log } });
    const as = { ...ana, token: await signIn(app, ana) };
    const integrities = async () => (await studiesOf(app, as)).map(({ integrity }) => integrity);
    const others = (await studiesOf(t, ana)).slice(2).map(({ integrity }) => integrity);
    expect(await integrities()).toEqual(["missing", "missing", ...others]);
    expect([...(await app.deps.db.execute(sql`select integrity from lab_exams`))]).toEqual([
      { integrity: "missing" },
    ]);
    const findings = await app.deps.db.execute(
      sql`select kind, found from integrity_findings where closed_at is null order by kind`,
    );
    expect([...findings]).toEqual([
      { kind: "lab", found: "missing" },
      { kind: "report", found: "missing" },
      { kind: "volume", found: "missing" },
    ]);
    expect((await app.call("GET", `/api/studies/${study?.id}/receipt`, { as })).status).toBe(500);
    await app.store(as, sampleZip({ study: "2" }, { study: "2", sop: "2" }));
    // A job reads what healed the study.
    await until(async () => (await integrities())[1] === "ok");
    expect((await app.call("GET", `/api/studies/${study?.id}/download`, { as })).status).toBe(200);
    await app.settle();
  }, 240_000);

  test("refuses a backup in which any file is changed, cut or gone", async () => {
    const path = backupPath("rotten");
    await backUp(t.deps.config, path);
    const ofEachKind = new Map(manifestOf(path).files.map((file) => [file.kind, file])).values();
    for (const { path: file, sizeBytes } of ofEachKind) {
      const whole = readFileSync(join(path, file));
      const changed = Buffer.from(whole);
      const at = Math.floor(sizeBytes / 2);
      changed[at] = (changed[at] ?? 0) ^ 0x20;
      for (const bytes of [changed, whole.subarray(0, at), undefined]) {
        if (bytes) writeFileSync(join(path, file), bytes);
        else rmSync(join(path, file));
        await using place = await emptyInstallation();
        await expect(restore(place.config, path)).rejects.toThrow("damaged");
      }
      writeFileSync(join(path, file), whole);
    }
  }, 240_000);
});
