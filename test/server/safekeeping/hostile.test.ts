import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import { backUp, emptyInstallation, restore, verify } from "../../support/program/installations.ts";
import { filesBelow, sha256 } from "../../support/program/stored-bytes.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let folder: ReturnType<typeof createTempFolder>;
/** A sound backup; each test breaks a copy of it. */
let sound: string;
let state: string;

beforeAll(async () => {
  t = await createTestApp();
  folder = createTempFolder();
  const ana = await t.addPerson("Ana", { plan: "clinica" });
  await t.store(ana, sampleZip({ study: "1" }));
  sound = join(folder.path, "sound");
  ({ state } = await backUp(t.deps.config, sound));
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

let copies = 0;
function copyOfBackup(): { root: string; manifest: string } {
  const root = join(folder.path, `copy-${++copies}`);
  cpSync(sound, root, { recursive: true, verbatimSymlinks: true });
  return { root, manifest: join(root, "states", state, "manifest.json") };
}

/** Restores into an empty installation, which must fail with this message and leave nothing of the outside changed. */
async function expectRefused(root: string, message: string): Promise<void> {
  await using place = await emptyInstallation();
  await expect(restore(place.config, root)).rejects.toThrow(message);
}

const edit = (path: string, change: (text: string) => string) =>
  writeFileSync(path, change(readFileSync(path, "utf8")));

const lineOf = (manifest: string, kind: string) =>
  readFileSync(manifest, "utf8")
    .split("\n")
    .find((line) => line.includes(`"kind":"${kind}"`)) ?? "";

describe("a restore refuses a backup", () => {
  test("whose manifest names a file outside of it", async () => {
    for (const path of [
      "../outside",
      "/etc/hostname",
      "objects/../../outside",
      "objects//a",
      "objects/./a",
      "a\\b",
    ]) {
      const { root, manifest } = copyOfBackup();
      writeFileSync(join(folder.path, "outside"), "secret");
      edit(manifest, (text) => text.replace(/"path":"objects[^"]*"/, `"path":${JSON.stringify(path)}`));
      await expectRefused(root, "not a manifest");
    }
  });

  test("whose manifest names a key outside of the store", async () => {
    for (const key of ["../outside", "/tmp/a", "a/../../b", "", "a//b"]) {
      const { root, manifest } = copyOfBackup();
      edit(manifest, (text) => text.replace(/"key":"[^"]*"/, `"key":${JSON.stringify(key)}`));
      await expectRefused(root, "not a manifest");
    }
  });

  test("whose manifest is cut, huge, empty, or has a hash in capitals", async () => {
    const breaks: ((path: string) => void)[] = [
      (path) => truncateSync(path, readFileSync(path).length - 4),
      (path) => truncateSync(path, readFileSync(path).indexOf('"missing"')),
      (path) => truncateSync(path, 40),
      (path) => truncateSync(path, 0),
      (path) =>
        edit(path, (text) =>
          text.replace(/"sha256":"([^"]*)"/, (_, sum) => `"sha256":"${sum.toUpperCase()}"`),
        ),
      (path) => edit(path, (text) => text.replace(/"sizeBytes":\d+/, '"sizeBytes":-1')),
      (path) => writeFileSync(path, "x".repeat(80 * 1024 * 1024)),
      (path) => edit(path, (text) => text.replace('"path":"', `"path":"${"x".repeat(40 * 1024 * 1024)}`)),
    ];
    for (const [index, harm] of breaks.entries()) {
      const { root, manifest } = copyOfBackup();
      harm(manifest);
      await using place = await emptyInstallation();
      const outcome = await restore(place.config, root).then(
        () => "restored",
        (error: Error) => error.name,
      );
      expect([index, outcome]).toEqual([index, "ManifestIsUnreadable"]);
    }
  }, 240_000);

  test("whose files are symbolic links", async () => {
    for (const kind of ["object", "database", "secret"]) {
      const { root, manifest } = copyOfBackup();
      const { path } = JSON.parse(lineOf(manifest, kind).replace(/,$/, "")) as { path: string };
      const file = join(root, path);
      const elsewhere = join(folder.path, `elsewhere-${kind}`);
      writeFileSync(elsewhere, readFileSync(file));
      rmSync(file);
      symlinkSync(elsewhere, file);
      await expectRefused(root, "damaged");
    }
  });

  test("whose state, manifest or folder is something else than a folder or file", async () => {
    const { root, manifest } = copyOfBackup();
    const target = join(folder.path, "manifest-elsewhere");
    writeFileSync(target, readFileSync(manifest));
    rmSync(manifest);
    symlinkSync(target, manifest);
    await expectRefused(root, "not a manifest");
    rmSync(manifest);
    mkdirSync(manifest);
    await expectRefused(root, "not a manifest");
  });

  test("whose dump has statements that are not ours", async () => {
    const statements = [
      "create table stolen (x text)",
      "copy (select 1) to program 'touch /tmp/stolen'",
      "create extension plpython3u",
      "copy public.plans (id) from program 'true'; copy public.plans (id) from stdin",
      "alter system set archive_command = 'x'",
      "drop table users",
      "do $$ begin perform pg_sleep(0); end $$",
    ];
    for (const statement of statements) {
      const { root, manifest } = copyOfBackup();
      const dump = join(root, "states", state, "database.sql");
      edit(dump, (text) =>
        text.replace(/(begin;\n--> statement-breakpoint\n)/, `$1${statement};\n--> statement-breakpoint\n`),
      );
      const bytes = readFileSync(dump);
      edit(manifest, (text) =>
        text.replace(
          /("path":"states[^"]*database\.sql","kind":"database",)"sizeBytes":\d+,"sha256":"[^"]*"/,
          `$1"sizeBytes":${bytes.length},"sha256":"${sha256(bytes)}"`,
        ),
      );
      await using place = await emptyInstallation();
      const outcome = await restore(place.config, root).then(
        () => "restored",
        (error: Error) => error.name,
      );
      expect([statement, outcome]).toEqual([statement, "DumpIsUnreadable"]);
    }
  }, 240_000);

  test("whose secret or mail would be written elsewhere or over something", async () => {
    const { root, manifest } = copyOfBackup();
    for (const name of ["postgres", "objects", "restore-unfinished", "PG_VERSION"]) {
      const path = join(root, "states", state, "secrets", name);
      writeFileSync(path, "x");
      const bytes = readFileSync(path);
      const whole = readFileSync(manifest, "utf8");
      edit(manifest, (text) =>
        text.replace(
          '  "files": [',
          `  "files": [\n    ${JSON.stringify({ path: `states/${state}/secrets/${name}`, kind: "secret", sizeBytes: 1, sha256: sha256(bytes) })},`,
        ),
      );
      await expectRefused(root, "not a manifest");
      writeFileSync(manifest, whole);
    }
  });
});

describe("a backup", () => {
  test("refuses a folder that is a link into DATA_DIR, or has links instead of its own folders", async () => {
    const { dataDir } = t.deps.config;
    const link = join(folder.path, "link");
    symlinkSync(dataDir, link);
    const before = filesBelow(join(dataDir, "objects"));
    await expect(backUp(t.deps.config, join(link, "backup"))).rejects.toThrow("DATA_DIR");
    const outside = join(folder.path, "linked-objects");
    mkdirSync(join(outside, "target"), { recursive: true });
    mkdirSync(join(outside, "backup"));
    symlinkSync(join(outside, "target"), join(outside, "backup", "objects"));
    await expect(backUp(t.deps.config, join(outside, "backup"))).rejects.toThrow("symbolic link");
    expect(readdirSync(join(outside, "target"))).toEqual([]);
    expect(filesBelow(join(dataDir, "objects"))).toEqual(before);
  });

  test("leaves foreign files in its folder alone", async () => {
    const foreign = join(folder.path, "foreign");
    mkdirSync(foreign);
    writeFileSync(join(foreign, "thesis.odt"), "mine");
    await backUp(t.deps.config, foreign);
    expect(readFileSync(join(foreign, "thesis.odt"), "utf8")).toBe("mine");
  });

  test("refuses a folder into which another process writes, and takes over what a killed one left", async () => {
    const { root } = copyOfBackup();
    const running = join(root, "running");
    for (const holder of [`process ${process.ppid} on ${hostname()}`, "process 1 on another machine", ""]) {
      writeFileSync(running, holder);
      await expect(backUp(t.deps.config, root)).rejects.toThrow("Another backup writes into this folder");
      expect(readFileSync(running, "utf8")).toBe(holder);
    }
    const child = Bun.spawn(["true"]);
    await child.exited;
    writeFileSync(running, `process ${child.pid} on ${hostname()}`);
    await backUp(t.deps.config, root);
    expect(existsSync(running)).toBe(false);
  });

  test("that finds the disk full says so, gives its room back, and leaves earlier states whole", async () => {
    const { root, manifest } = copyOfBackup();
    const before = filesBelow(root);
    rmSync(join(root, "objects"), { recursive: true });
    mkdirSync(join(root, "objects"));
    const full = Object.assign(new Error("no space left"), { code: "ENOSPC", syscall: "write" });
    const store = { ...t.deps.store, read: () => Promise.reject(full) };
    const { id: nodeId, stagedPath } = t.deps.node;
    const sources = { store, storedPath: undefined, nodeId, stagedPath };
    await expect(backUp(t.deps.config, root, { sources })).rejects.toThrow("can't be written (ENOSPC)");
    expect([...filesBelow(root)].filter((name) => !before.has(name))).toEqual([]);
    expect(existsSync(manifest)).toBe(true);
    await backUp(t.deps.config, root);
    await using place = await emptyInstallation();
    await restore(place.config, root);
  });

  test("that finds the disk full also gives back the room of what it had copied whole", async () => {
    const root = join(folder.path, "first-backup");
    const full = Object.assign(new Error("no space left"), { code: "ENOSPC", syscall: "write" });
    let reads = 0;
    const store = {
      ...t.deps.store,
      read: async (...args: Parameters<typeof t.deps.store.read>) => {
        if (reads++ > 0) throw full;
        return await t.deps.store.read(...args);
      },
    };
    const { id: nodeId, stagedPath } = t.deps.node;
    const sources = { store, storedPath: undefined, nodeId, stagedPath };
    await expect(backUp(t.deps.config, root, { sources })).rejects.toThrow("can't be written (ENOSPC)");
    expect(reads).toBeGreaterThan(1);
    expect([...filesBelow(root)]).toEqual([]);
  });

  test("makes no state if it lost its hold on deletions meanwhile", async () => {
    const { root } = copyOfBackup();
    rmSync(join(root, "objects"), { recursive: true });
    const store = {
      ...t.deps.store,
      async read(...args: Parameters<typeof t.deps.store.read>) {
        await t.sql`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'exameteca-backup' and datname = current_database()`;
        return await t.deps.store.read(...args);
      },
    };
    const { id: nodeId, stagedPath } = t.deps.node;
    const sources = { store, storedPath: undefined, nodeId, stagedPath };
    await expect(backUp(t.deps.config, root, { sources })).rejects.toThrow(
      "The connection to the database was lost",
    );
    expect(readdirSync(join(root, "states")).filter((name) => !name.includes("unfinished"))).toEqual([state]);
  });

  test("does not trust an object's file that was cut, filled or replaced by a link since the last backup", async () => {
    const { root } = copyOfBackup();
    const [name = ""] = [...filesBelow(join(root, "objects"))];
    const path = join(root, "objects", name);
    const whole = readFileSync(path);
    appendFileSync(path, "x");
    await backUp(t.deps.config, root);
    expect(readFileSync(path)).toEqual(whole);
    rmSync(path);
    symlinkSync("/etc/hostname", path);
    await backUp(t.deps.config, root);
    expect(readFileSync(path)).toEqual(whole);
    expect(existsSync("/etc/hostname")).toBe(true);
  });

  test("prunes nothing that a state with an unreadable manifest may name", async () => {
    const { root, manifest } = copyOfBackup();
    truncateSync(manifest, 100);
    const before = filesBelow(join(root, "objects"));
    await expect(
      backUp(t.deps.config, root, { keep: 2, now: new Date(Date.now() + 60_000) }).then(() =>
        backUp(t.deps.config, root, { keep: 2, now: new Date(Date.now() + 120_000) }),
      ),
    ).resolves.toBeDefined();
    for (const name of before) expect(existsSync(join(root, "objects", name))).toBe(true);
  });
});

test("verify reads no file through a link, and reports what is not a file", async () => {
  const [row] = await t.sql`select key from stored_objects where kind = 'volume'`;
  const path = join(t.deps.config.dataDir, "objects", String(row?.key));
  const bytes = readFileSync(path);
  const elsewhere = join(folder.path, "elsewhere");
  writeFileSync(elsewhere, bytes);
  rmSync(path);
  symlinkSync(elsewhere, path);
  expect((await verify(t.deps.config)).findings.map(({ kind }) => kind)).toContain("missing");
  rmSync(path);
  writeFileSync(path, bytes);
  expect((await verify(t.deps.config)).findings).toEqual([]);
});
