import { join } from "node:path";
import { ensureBuilt } from "../../../scripts/build/ensure-built.ts";
import { createApp } from "../../../src/server/app.ts";
import { type Config, readConfig } from "../../../src/server/config.ts";
import type { Sql } from "../../../src/server/db/postgres.ts";
import type { Deps } from "../../../src/server/deps.ts";
import { updateUser } from "../../../src/server/features/accounts/users/users.repo.ts";
import { startSubscription } from "../../../src/server/features/subscriptions/start-subscription.ts";
import { createPictureMaker } from "../../../src/server/features/thumbnails/worker/picture-maker.ts";
import { answerRequests } from "../../../src/server/http/answer-requests.ts";
import { embeddedAssets, folderAssets } from "../../../src/server/render/assets.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { Turns } from "../../../src/server/runtime/turns.ts";
import {
  createDeps,
  type DepsOverrides,
  openIngestWorkers,
  type SharedWorkers,
} from "../../../src/server/start-deps.ts";
import { startJobs } from "../../../src/server/start-jobs.ts";
import type { UploadAnswer } from "../../../src/shared/api/upload.ts";
import type { Role } from "../../../src/shared/api/users.ts";
import { createTestDatabase } from "../database/database.ts";
import { workerCommand } from "../program/program-file.ts";
import { createTempFolder } from "../temp-folder.ts";
import { until } from "../until.ts";
import { checkAnswers } from "./answer-check.ts";

/** Somebody with an account and an open session. */
export interface Person {
  id: string;
  email: string;
  password: string;
  token: string;
}

export interface TestApp extends AsyncDisposable {
  deps: Deps;
  /** The test's own connections to the same database. */
  sql: Sql;
  app: ReturnType<typeof createApp>;
  /** Lets time pass for everything in the app. */
  advance(milliseconds: number): void;
  /** Sets the clock forward or back, while no time passes. */
  setClock(byMilliseconds: number): void;
  /** Calls the app as `person`, or as a visitor. A plain object is sent as JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<Response>;
  /** Registers through the real route, signs in, and gives the role and a plan by hand. */
  addPerson(name: string, options?: { role?: Role; plan?: string | null }): Promise<Person>;
  upload(person: Person, zip: Uint8Array, formData?: object, fileName?: string): Promise<Response>;
  /** Uploads, expects success, and waits until the studies are in the archive store. */
  store(person: Person, zip: Uint8Array, formData?: object): Promise<UploadAnswer>;
  /** A second app on the same database and DATA_DIR, as after a restart; without jobs. */
  startAgain(): Promise<Pick<TestApp, "app"> & AsyncDisposable>;
  /** Resolves when no job waits or runs. */
  settle(): Promise<void>;
  /** Serves the app with the built client and viewer (builds them if they are missing); returns its origin. */
  listen(): Promise<string>;
}

export interface CallOptions {
  as?: Person | undefined;
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
}

export interface TestAppOptions {
  env?: Record<string, string>;
  overrides?: DepsOverrides;
  /** The name under which `listen` serves: browsers allow passkeys on `localhost`, and not on a bare address. */
  hostname?: "localhost";
  /** Another way to the same database, such as one that can be cut; the test's own `sql` does not take it. */
  databaseVia?: (url: string) => Promise<string>;
  /** Without jobs nothing is transferred or purged until a test does it. */
  jobs?: boolean;
}

let shared: SharedWorkers | undefined;

/** The processes of all apps in this test process: to start them costs as much as many tests do. They end with it. */
function sharedWorkers(): SharedWorkers {
  const log = createLogger({ level: "error", write: (line) => process.stderr.write(line) });
  shared ??= {
    ingest: openIngestWorkers(log, workerCommand("ingest")),
    pictures: createPictureMaker({ log, command: workerCommand("picture"), turns: new Turns() }),
  };
  return shared;
}

const noAssets = embeddedAssets({ version: 1, assets: {} }, {});
const DIST = join(import.meta.dir, "../../../dist");

/**
 * The real app on a database and a DATA_DIR of its own; English answers unless a test asks otherwise. An answer that the API's
 * document does not know fails the test that asked for it.
 */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const folder = createTempFolder();
  const database = await createTestDatabase();
  let [passedMs, setByMs] = [0, 0];
  const clock = { now: () => new Date(Date.now() + passedMs + setByMs) };
  const config: Config = readConfig({
    DATABASE_URL: (await options.databaseVia?.(database.url)) ?? database.url,
    DATA_DIR: folder.path,
    AUTH_SECRET: "a secret for tests, long enough for HS256",
    SCRUB_DAYS: "0",
    // Its own tests turn it on.
    DERIVATIVES: "off",
    ...options.env,
  });
  const log = createLogger({
    level: process.env.TEST_LOG ? "debug" : "error",
    write: (line) => process.stderr.write(line),
  });
  const overrides: DepsOverrides = {
    clock,
    elapsedMs: () => performance.now() + passedMs,
    log,
    // The probe opens four connections and asks a hundred times; there is no pooler here.
    databaseProbe: async () => {},
    // It is a clone of one in which the product has started. Each connection less saves as much as many statements cost.
    isDatabasePrepared: true,
    jobsConnections: 1,
    workers: sharedWorkers(),
    dimseWorkerCommand: workerCommand("dimse"),
    encodeWorkerCommand: workerCommand("encode"),
    ...options.overrides,
  };
  const deps = await createDeps(config, overrides);
  const app = checkAnswers(createApp(deps, { client: noAssets, viewer: noAssets }));
  const jobs = options.jobs === false ? undefined : await startJobs(deps);
  const servers: ReturnType<typeof Bun.serve>[] = [];
  let people = 0;

  const call: TestApp["call"] = async (method, path, { as, json, body, headers } = {}) =>
    await app.request(path, {
      method,
      body: json === undefined ? body : JSON.stringify(json),
      headers: {
        "accept-language": "en-US",
        ...(as && { authorization: `Bearer ${as.token}` }),
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
    });

  const upload: TestApp["upload"] = async (person, zip, formData = {}, fileName = "exames.zip") => {
    const form = new FormData();
    form.set("formData", JSON.stringify(formData));
    form.set("zipFile", new File([Uint8Array.from(zip)], fileName, { type: "application/zip" }));
    // As a browser sends it: one body with its length and boundary.
    const request = new Request("http://localhost/", { method: "POST", body: form });
    const contentType = request.headers.get("content-type") ?? "";
    return await call("POST", "/api/upload-dicom", {
      as: person,
      body: await request.arrayBuffer(),
      headers: { "content-type": contentType },
    });
  };

  async function settle(): Promise<void> {
    await until(async () => {
      const staged = await database.sql`
        select 1 from stored_objects where staged_on is not null
        union all
        select 1 from pgboss.job where state in ('created', 'active', 'retry') and start_after <= now()
          and name not like '%sweep%' and name not like '\\_\\_%' limit 1`;
      return staged.length === 0;
    });
  }

  async function listen(): Promise<string> {
    ensureBuilt();
    const waiting = () => new Response(null, { status: 503 });
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      development: false,
      idleTimeout: 120,
      fetch: waiting,
    });
    servers.push(server);
    const publicUrl = `http://${options.hostname ?? "127.0.0.1"}:${server.port}`;
    const assets = { client: folderAssets(join(DIST, "client")), viewer: folderAssets(join(DIST, "viewer")) };
    // Unchecked: tests measure its memory and its speed.
    const served = createApp({ ...deps, config: { ...config, publicUrl } }, assets);
    server.reload({ fetch: answerRequests(served, publicUrl) });
    return publicUrl;
  }

  return {
    deps,
    sql: database.sql,
    app,
    advance(milliseconds) {
      passedMs += milliseconds;
    },
    setClock(byMilliseconds) {
      setByMs += byMilliseconds;
    },
    call,
    async addPerson(name, { role = "user", plan = "essencial" } = {}) {
      const email = `${name.toLowerCase().replace(/[^a-z]+/g, ".")}${++people}@example.com`;
      const password = `senha de ${name}`;
      const registered = await call("POST", "/api/auth/register", {
        json: { name, email, cpfcnpj: "529.982.247-25", password },
      });
      if (registered.status !== 201) throw new Error(`register: ${await registered.text()}`);
      const { id } = (await registered.json()) as { id: string };
      await updateUser(deps.db, id, { role, isTrial: plan === "avaliacao" });
      if (plan !== null)
        await startSubscription(deps.db, { userId: id, planSlug: plan, expiresAt: null, now: clock.now() });
      if (plan === null) await database.sql`delete from subscriptions where user_id = ${id}`;
      const signedIn = await call("POST", "/api/auth/login", { json: { email, password } });
      const { token } = (await signedIn.json()) as { token: string };
      return { id, email, password, token };
    },
    upload,
    async store(person, zip, formData) {
      const answer = await upload(person, zip, formData);
      if (answer.status !== 201) throw new Error(`upload: ${answer.status} ${await answer.text()}`);
      await settle();
      return (await answer.json()) as UploadAnswer;
    },
    settle,
    async startAgain() {
      const again = await createDeps(config, overrides);
      return {
        app: checkAnswers(createApp(again, { client: noAssets, viewer: noAssets })),
        [Symbol.asyncDispose]: () => again[Symbol.asyncDispose](),
      };
    },
    listen,
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.stop(true);
      await jobs?.[Symbol.asyncDispose]();
      await deps[Symbol.asyncDispose]();
      await database.drop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export interface ProblemBody {
  code: string;
  message: string;
  status: number;
  requestId: string;
  violations?: { path: string; code: string; message: string }[];
}

export async function problemOf(response: Response): Promise<ProblemBody> {
  return (await response.json()) as ProblemBody;
}
