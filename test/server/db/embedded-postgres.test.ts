import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { packPostgres } from "../../../scripts/build/pack-postgres.ts";
import { explainFailure } from "../../../src/server/cli/explain-failure.ts";
import {
  DataDirInUse,
  DataDirUnreachable,
  WrongPostgresMajor,
} from "../../../src/server/db/embedded/embedded.errors.ts";
import {
  attachOrStart,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "../../../src/server/db/embedded/embedded-postgres.ts";
import { findPostmaster } from "../../../src/server/db/embedded/postmaster.ts";
import { openPostgres } from "../../../src/server/db/postgres.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
/** Another account that every Linux has; initdb insists on one that exists. */
const DAEMON = 1;
const NAMELESS = 63_592;
const log = createLogger({ level: "error" });

setDefaultTimeout(240_000);

let temp: string;
let dataDir: string;
const running: EmbeddedPostgres[] = [];

beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), "exameteca-db-"));
  await chmod(temp, 0o755);
  dataDir = join(temp, "data");
});
afterEach(async () => {
  for (const postgres of running.splice(0)) await postgres.stop();
});
afterAll(() => rm(temp, { recursive: true, force: true }));

async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, log, ...options });
  running.push(postgres);
  return postgres;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const sql = openPostgres(url, { max: 1 });
  try {
    return [...(await sql.unsafe(text))];
  } finally {
    await sql.end();
  }
}

/** Starts test/support/database/run-postgres.ts in a process group of its own and waits for its first line. */
async function runApplication(folder: string, options: { uid?: number; bun?: string } = {}) {
  const script = join(import.meta.dir, "../../support/database/run-postgres.ts");
  const child = spawn(options.bun ?? process.execPath, [script, folder], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    ...(options.uid && { uid: options.uid, gid: options.uid, cwd: "/", env: { PATH: "/usr/bin:/bin" } }),
  });
  const [line] = await once(child.stdout as NonNullable<ChildProcess["stdout"]>, "data");
  return { child, url: String(line).trim() };
}

test("stored data is there after a restart", async () => {
  const first = await start();
  await query(first.url, "create table kept as select 'Conceição' as name");
  await first.stop();
  const second = await start();
  expect(await query(second.url, "select name from kept")).toEqual([{ name: "Conceição" }]);
});

test("upper and lower case match across accents on any machine", async () => {
  const { url } = await start();
  const [row] = await query(url, "select lower('JOÃO') as lower, 'AÇÃO' ilike 'ação' as alike");
  expect(row).toEqual({ lower: "joão", alike: true });
});

test("every acknowledged commit is durable", async () => {
  const { url } = await start();
  const settings = ["fsync", "full_page_writes", "synchronous_commit", "data_checksums"];
  for (const name of settings) expect(await query(url, `show ${name}`)).toEqual([{ [name]: "on" }]);
});

test("the database opens no network port", async () => {
  const { url } = await start();
  expect(await query(url, "show listen_addresses")).toEqual([{ listen_addresses: "" }]);
});

test("the database's log quotes no value of a failed statement", async () => {
  const { url } = await start();
  await expect(query(url, "select 'Maria Gonçalves'::int")).rejects.toMatchObject({ code: "22P02" });
  const text = await readFile(join(dataDir, "postgres/log/postgres.log"), "utf8");
  expect(text).toContain("ready to accept connections");
  expect(text).not.toContain("Gonçalves");
});

test("a second server on the same data is refused", async () => {
  await start();
  await expect(start({ predecessorTimeoutMs: 100 })).rejects.toThrow(DataDirInUse);
});

test("one of several servers that start at once on new data runs, and the others are refused", async () => {
  const fresh = join(temp, "fresh");
  const starts = [1, 2, 3].map(() => start({ dataDir: fresh, predecessorTimeoutMs: 1000 }));
  const results = await Promise.allSettled(starts);
  const refused = results.filter((result) => result.status === "rejected").map((result) => result.reason);
  expect(refused).toHaveLength(2);
  for (const reason of refused) expect(reason).toBeInstanceOf(DataDirInUse);
});

test("a start waits for the predecessor that is still stopping", async () => {
  const predecessor = await start();
  const next = start();
  await predecessor.stop();
  expect(await query((await next).url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a subcommand uses the running server's database and leaves it running", async () => {
  const server = await start();
  const attached = await attachOrStart({ dataDir, log });
  expect(attached.attached).toBe(true);
  await attached.stop();
  expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a subcommand starts the database for itself where no server runs", async () => {
  const own = await attachOrStart({ dataDir, log });
  running.push(own);
  expect(own.attached).toBe(false);
  expect(await query(own.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("kill -9 of the application loses nothing and leaves no database process", async () => {
  const { child } = await runApplication(dataDir);
  child.kill("SIGKILL");
  await once(child, "exit");
  const { url } = await start();
  expect(await query(url, "select note from acknowledged")).toEqual([{ note: "started" }]);
  await running.pop()?.stop();
  expect(await findPostmaster(join(dataDir, "postgres/data"))).toBeUndefined();
  expect(await processesNaming(dataDir)).toEqual([]);
});

test("Ctrl-C reaches the application first: it can still write before the database stops", async () => {
  const { child } = await runApplication(dataDir);
  process.kill(-(child.pid ?? 0), "SIGINT");
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  const { url } = await start();
  expect(await query(url, "select note from acknowledged order by id desc limit 1")).toEqual([
    { note: "stopped" },
  ]);
});

test("a DATA_DIR with a very long path works, and a subcommand finds its database", async () => {
  const long = join(temp, "long".repeat(30), "longer".repeat(20));
  const server = await start({ dataDir: long });
  const attached = await attachOrStart({ dataDir: long, log });
  expect(attached).toMatchObject({ attached: true, url: server.url });
  expect(await query(attached.url, "select 1 as one")).toEqual([{ one: 1 }]);
  const folder = decodeURIComponent(server.url.split("host=")[1] ?? "");
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await server.stop();
  await expect(stat(folder)).rejects.toMatchObject({ code: "ENOENT" });
});

test("a stale pid file whose number another program has does not prevent the start", async () => {
  const stale = `${process.pid}\n${dataDir}\n1\n5432\n${join(dataDir, "postgres/run")}\n\n\nready\n`;
  await Bun.write(join(dataDir, "postgres/data/postmaster.pid"), stale);
  const { url } = await start();
  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a stale socket lock whose number another program has does not prevent the start", async () => {
  await (await start()).stop();
  const root = join(dataDir, "postgres");
  const { uid, gid } = await stat(join(root, "data"));
  // A program of the database's account: it may signal only those.
  const other = spawn("/bin/sleep", ["60"], { uid, gid, stdio: "ignore" });
  const lock = join(root, "run/.s.PGSQL.5432.lock");
  await writeFile(lock, `${other.pid}\n${root}/data\n1\n5432\n${root}/run\n`);
  await chown(lock, uid, gid);
  try {
    expect((await start()).attached).toBe(false);
  } finally {
    other.kill("SIGKILL");
  }
});

test("a stale pid file and socket lock whose number another PostgreSQL has do not prevent the start", async () => {
  await (await start()).stop();
  const other = join(temp, "other");
  await start({ dataDir: other });
  const postmaster = await findPostmaster(join(other, "postgres/data"));
  const root = join(dataDir, "postgres");
  const { uid, gid } = await stat(join(root, "data"));
  const stale = `${postmaster?.pid}\n${root}/data\n1\n5432\n${root}/run\n\n\nready\n`;
  for (const path of [join(root, "data/postmaster.pid"), join(root, "run/.s.PGSQL.5432.lock")]) {
    await writeFile(path, stale);
    await chown(path, uid, gid);
  }
  const { url } = await start();
  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test.if(isRoot)(
  "a stale pid file whose number a PostgreSQL of another account has names no postmaster",
  async () => {
    await start();
    const postmaster = await findPostmaster(join(dataDir, "postgres/data"));
    const folder = join(temp, "of-daemon");
    await mkdir(folder, { mode: 0o700 });
    await writeFile(
      join(folder, "postmaster.pid"),
      `${postmaster?.pid}\n${folder}\n1\n5432\n${folder}\n\n\nready\n`,
    );
    for (const path of [folder, join(folder, "postmaster.pid")]) await chown(path, DAEMON, DAEMON);
    // An account that may not see in which folder a process of another one works.
    const source = new URL("../../../src/server/db/embedded/postmaster.ts", import.meta.url).pathname;
    const { outputs } = await Bun.build({ entrypoints: [source], target: "bun" });
    const script = `${await outputs[0]?.text()}\nconsole.log(JSON.stringify(await findPostmaster(process.argv[1]) ?? null));`;
    const bun = join(temp, "bun");
    await copyFile(process.execPath, bun);
    await chmod(bun, 0o755);
    const asked = spawn(bun, ["-e", script, folder], {
      uid: DAEMON,
      gid: DAEMON,
      cwd: "/",
      env: {},
    });
    const said = await text(asked.stdout);
    expect(JSON.parse(said)).toBeNull();
  },
);

test("data of another PostgreSQL major is refused with instructions, and left unchanged", async () => {
  const old = join(temp, "old");
  await Bun.write(join(old, "postgres/data/PG_VERSION"), "17\n");
  if (isRoot) await chown(join(old, "postgres/data"), NOBODY, NOBODY);
  const refused = await start({ dataDir: old }).then(String, (error) => error);
  expect(refused).toBeInstanceOf(WrongPostgresMajor);
  expect(refused.message).toContain("backup DIR");
  expect(await readdir(join(old, "postgres"))).toEqual(["data"]);
});

test("the executable's archive has everything that PostgreSQL needs", async () => {
  const binaries = await packPostgres(join(temp, "packed"), { level: 1 });
  const { url } = await start({ dataDir: join(temp, "from-archive"), binaries });
  const extensions = ["pg_trgm", "unaccent", "citext", "pgcrypto", "btree_gin", "btree_gist"];
  for (const name of extensions) await query(url, `create extension ${name}`);
  expect(
    await query(
      url,
      "select unaccent('João') as plain, now() at time zone 'America/Sao_Paulo' is null as no",
    ),
  ).toEqual([{ plain: "Joao", no: false }]);
});

test.skipIf(!isRoot)(
  "root's database runs as an unprivileged user, in a DATA_DIR closed to others",
  async () => {
    const closed = join(temp, "closed");
    await mkdir(closed, { mode: 0o700 });
    await start({ dataDir: closed });
    const postmaster = await findPostmaster(join(closed, "postgres/data"));
    expect((await stat(`/proc/${postmaster?.pid}`)).uid).toBe(NOBODY);
    expect((await stat(closed)).mode & 0o777).toBe(0o710);
    expect((await stat(join(closed, "postgres/data"))).mode & 0o777).toBe(0o700);
  },
);

test.skipIf(!isRoot)(
  "a DATA_DIR that root's database can't reach is refused with the folder's name",
  async () => {
    const barred = join(temp, "barred");
    await mkdir(barred, { mode: 0o700 });
    const refused = await start({ dataDir: join(barred, "data") }).then(String, (error) => error);
    expect(refused).toBeInstanceOf(DataDirUnreachable);
    expect(refused.message).toContain(`chmod o+x ${barred}`);
    expect((await stat(barred)).mode & 0o777).toBe(0o700);
  },
);

test.skipIf(!isRoot)(
  "an ordinary user runs the database as itself; root can manage that data too",
  async () => {
    const own = join(temp, "own");
    await mkdir(own, { mode: 0o700 });
    await chown(own, DAEMON, DAEMON);
    const bun = join(temp, "bun");
    await link(process.execPath, bun).catch(() => copyFile(process.execPath, bun));
    const { child } = await runApplication(own, { uid: DAEMON, bun });
    const postmaster = await findPostmaster(join(own, "postgres/data"));
    expect((await stat(`/proc/${postmaster?.pid}`)).uid).toBe(DAEMON);
    child.kill("SIGINT");
    await once(child, "exit");
    const { url } = await start({ dataDir: own });
    expect(await query(url, "select count(*)::int as rows from acknowledged")).toEqual([{ rows: 2 }]);
  },
);

test.skipIf(!isRoot)("an account without a name is told what it lacks", async () => {
  const nameless = join(temp, "nameless");
  const data = join(nameless, "postgres/data");
  await mkdir(data, { recursive: true, mode: 0o700 });
  await chown(data, NAMELESS, NAMELESS);
  const refused = await start({ dataDir: nameless }).catch((error) => error);
  expect(explainFailure(refused)).toStartWith("PostgreSQL makes its database only for an account that has");
  expect(refused.uid).toBe(NAMELESS);
});

test("a path that a shell would read as something else is told as such", async () => {
  const refused = await start({ dataDir: join(temp, "de $dona") }).catch((error) => error);
  expect(explainFailure(refused)).toContain("choose a DATA_DIR without dollar signs");
});

/** Command lines of the processes that name this path. */
async function processesNaming(path: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (commandLine.includes(`${path}/`)) found.push(commandLine.replaceAll("\0", " "));
  }
  return found;
}

test("binaries that can't be unpacked are told as such, since the runtime gives no reason", async () => {
  const archive = join(temp, "no-archive.tar.zst");
  await writeFile(archive, Bun.zstdCompressSync(Buffer.alloc(2000, "A")));
  const binaries = { kind: "archive", path: archive, version: "18.0.0" } as const;
  const place = join(temp, "not unpacked");
  const failure = await startEmbeddedPostgres({ dataDir: place, log, binaries }).catch((error) => error);
  expect(explainFailure(failure)).toStartWith(
    `PostgreSQL can't be unpacked into ${join(place, "postgres")}: `,
  );
});
