import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { createApp } from "../../src/server/app.ts";
import { readConfig } from "../../src/server/config.ts";
import { migrations } from "../../src/server/db/migrations.ts";
import type { Sql } from "../../src/server/db/postgres.ts";
import type { Deps } from "../../src/server/deps.ts";
import { embeddedAssets } from "../../src/server/render/assets.ts";
import { createLogger } from "../../src/server/runtime/log.ts";
import { createDeps } from "../../src/server/start-deps.ts";
import { startJobs } from "../../src/server/start-jobs.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { sha256 } from "../support/program/stored-bytes.ts";
import { createTempFolder } from "../support/temp-folder.ts";

/*
 * A database and a DATA_DIR that release 0.1 wrote, started by this version. `database.json` holds the rows by
 * table, `objects` the archive, `answers.json` what that release answered.
 */
const RELEASE = join(import.meta.dir, "../fixtures/release-0.1");
const RELEASE_MIGRATIONS = 7;
const noAssets = embeddedAssets({ version: 1, assets: {} }, {});

interface Person {
  id: string;
  email: string;
  password: string;
}

interface Answers {
  madeAt: string;
  people: { admin: Person; owner: Person; trial: Person; doctor: Person };
  ids: Record<"A" | "B" | "C" | "paid" | "pending", string>;
  /** JSON answers by "person path", or by the path under a viewer token. */
  answers: Record<string, unknown>;
  /** SHA-256 of bodies, by path. */
  bytes: Record<string, string>;
  /** SHA-256 of each uploaded instance, by its SOP Instance UID. */
  instances: Record<string, string>;
}

type Name = keyof Answers["people"];

const before = (await Bun.file(join(RELEASE, "answers.json")).json()) as Answers;
const startedAt = Date.now();
/** A minute after the release stopped: its periods, trials and open payments still run. */
const clock = { now: () => new Date(Date.parse(before.madeAt) + 60_000 + Date.now() - startedAt) };

let folder: ReturnType<typeof createTempFolder>;
let database: TestDatabase;
let deps: Deps;
let app: ReturnType<typeof createApp>;
const tokens = new Map<Name, string>();

beforeAll(async () => {
  folder = createTempFolder();
  database = await createTestDatabase({ migrations: migrations.slice(0, RELEASE_MIGRATIONS) });
  await loadRows(database.sql);
  cpSync(join(RELEASE, "objects"), join(folder.path, "objects"), { recursive: true });
  const config = readConfig({
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
    AUTH_SECRET: "a secret for tests, long enough for HS256",
    PIX_KEY: "123e4567-e12b-12d1-a456-426655440000",
    PIX_MERCHANT_NAME: "Exames São João",
    PIX_MERCHANT_CITY: "Brasília",
  });
  const log = createLogger({ level: "error", write: (line) => process.stderr.write(line) });
  deps = await createDeps(config, { clock, log });
  app = createApp(deps, { client: noAssets, viewer: noAssets });
  await startJobs(deps);
}, 240_000);

afterAll(async () => {
  await deps[Symbol.asyncDispose]();
  await database.drop();
  await folder[Symbol.asyncDispose]();
});

async function loadRows(sql: Sql): Promise<void> {
  const tables = (await Bun.file(join(RELEASE, "database.json")).json()) as Record<string, object[]>;
  await sql.begin(async (tx) => {
    // Rows come in the order of their tables' names, and the tallies that triggers keep are among them.
    await tx`set local session_replication_role = replica`;
    for (const [table, rows] of Object.entries(tables)) {
      const text = JSON.stringify(rows);
      await tx.unsafe(`delete from "${table}"`);
      await tx.unsafe(
        `insert into "${table}" overriding system value select * from jsonb_populate_recordset(null::"${table}", $1::text::jsonb)`,
        [text],
      );
    }
    const numbered = await tx<{ table: string; column: string }[]>`
      select table_name as "table", column_name as "column" from information_schema.columns
      where table_schema = 'public' and is_identity = 'YES'`;
    for (const { table, column } of numbered) {
      await tx.unsafe(
        `select setval(pg_get_serial_sequence('"${table}"', '${column}'), max("${column}") + 1) from "${table}"`,
      );
    }
  });
}

async function call(name: Name, path: string, init: RequestInit = {}): Promise<Response> {
  const token = tokens.get(name) ?? (await signIn(name));
  tokens.set(name, token);
  const headers = { "accept-language": "en-US", authorization: `Bearer ${token}`, ...init.headers };
  return await app.request(path, { ...init, headers });
}

async function signIn(name: Name): Promise<string> {
  const { email, password } = before.people[name];
  const answer = await app.request("/api/auth/login", {
    method: "POST",
    body: JSON.stringify({ email, password }),
    headers: { "content-type": "application/json" },
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { token: string }).token;
}

async function viewerToken(...studies: string[]): Promise<string> {
  const pairs = studies.map((studyInstanceUID) => ({ userId: before.people.owner.id, studyInstanceUID }));
  const data = Buffer.from(JSON.stringify(pairs)).toString("base64url");
  const answer = await call("owner", `/generate-token?data=${data}`);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { token: string }).token;
}

async function bodyOf(answer: Response): Promise<Uint8Array> {
  expect(answer.status).toBe(200);
  return new Uint8Array(await answer.arrayBuffer());
}

describe("what release 0.1 kept", () => {
  test("is answered as before, with what is new beside it", async () => {
    for (const [key, old] of Object.entries(before.answers)) {
      const [name, path] = key.split(" ");
      if (path === undefined) continue;
      const answer = await call(name as Name, path);
      expect(`${answer.status} ${key}`).toBe(`200 ${key}`);
      const now = await answer.json();
      if (path.endsWith("/audit")) continue; // signing in and viewing write to it
      // The labels that this version adds to manifests take some bytes at rest.
      const sized = (name: string, value: unknown) => (name === "sizeBytes" ? expect.any(Number) : value);
      expect(now).toMatchObject(JSON.parse(JSON.stringify(old), sized) as object);
    }
  });

  test("has every frame, document and picture it had", async () => {
    const token = await viewerToken("2.25.1.1", "2.25.1.2");
    for (const [path, hash] of Object.entries(before.bytes)) {
      const answer = path.startsWith("/api/")
        ? await call("owner", path)
        : await app.request(`/dicomweb/t/${token}${path}`, {
            headers: { accept: "application/octet-stream; transfer-syntax=*" },
          });
      expect(`${path} ${sha256(await bodyOf(answer))}`).toBe(`${path} ${hash}`);
    }
  });

  test("has the metadata of every series", async () => {
    const token = await viewerToken("2.25.1.1", "2.25.1.2");
    for (const [path, old] of Object.entries(before.answers)) {
      if (!path.startsWith("/studies/")) continue;
      const answer = await app.request(`/dicomweb/t/${token}${path}`);
      expect(await answer.json()).toEqual(old);
    }
  });

  test("downloads bit for bit", async () => {
    const found = new Map<string, number>();
    for (const id of [before.ids.A, before.ids.B]) {
      const zip = unzipSync(await bodyOf(await call("owner", `/api/studies/${id}/download`)));
      for (const bytes of Object.values(zip)) found.set(sha256(bytes), (found.get(sha256(bytes)) ?? 0) + 1);
    }
    for (const hash of Object.values(before.instances)) expect(found.get(hash)).toBe(1);
  });

  test("takes more of the same study, is deleted, and is left by its account", async () => {
    const held = unzipSync(await bodyOf(await call("trial", `/api/studies/${before.ids.C}/download`)));
    const [instance] = Object.values(held);
    const { zipSync } = await import("fflate");
    const form = new FormData();
    form.set("zipFile", new File([zipSync({ IM1: instance ?? new Uint8Array() })], "exames.zip"));
    const again = await call("trial", "/api/upload-dicom", { method: "POST", body: form });
    expect(again.status).toBe(201);
    expect(await again.json()).toMatchObject({
      studies: [{ id: before.ids.C, imagesReceived: 0, duplicates: 1 }],
    });
    expect((await call("trial", `/api/studies/${before.ids.C}`, { method: "DELETE" })).status).toBe(200);
    expect(await (await call("trial", "/api/studies")).json()).toEqual([]);
  });

  test("an open Pix is paid after the upgrade", async () => {
    const confirmed = await call("admin", `/api/payments/${before.ids.pending}/confirm`, { method: "POST" });
    expect(confirmed.status).toBe(200);
    const mine = await call("trial", "/api/subscriptions/my-subscription");
    expect(await mine.json()).toMatchObject({ plan: { name: "Família" } });
  });
});
