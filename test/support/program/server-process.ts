import { once } from "node:events";
import { request } from "node:http";
import { attachOrStart } from "../../../src/server/db/embedded/embedded-postgres.ts";
import { openPostgres, type Sql } from "../../../src/server/db/postgres.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { isAlive, processTree } from "./process-tree.ts";
import { programFile } from "./program-file.ts";
import { layStartedData } from "./started-data.ts";

/** The whole program as processes of their own: server, workers, PostgreSQL. */
export interface ServerProcess extends AsyncDisposable {
  url: string;
  pid: number;
  /** Whether one of the kills below has begun: later failures are its effect. */
  isKilled: boolean;
  /** Signs in as the admin of the data directory. */
  signIn(): Promise<string>;
  /** Kills only the app, as the kernel kills a process that takes too much memory. */
  killApp(): Promise<void>;
  /** Kills everything at once, PostgreSQL included, as the end of a container does. */
  killAll(): Promise<void>;
  /** Its exit code, once it ended by whatever. */
  exited: Promise<number>;
  /** SIGTERM; resolves once it has ended. */
  terminate(): Promise<{ code: number }>;
  /** Its log. */
  log(): string;
}

const ADMIN = { email: "admin@example.com", password: "segredo de teste" };
const START_TIMEOUT_MS = 120_000;

/**
 * @param main the program of this version, unless another one is named
 * @throws if it does not become ready; the message has its output
 */
export async function spawnServer(
  dataDir: string,
  env: Record<string, string> = {},
  main = programFile(),
): Promise<ServerProcess> {
  if (!env.DATABASE_URL) await layStartedData(dataDir);
  const child = Bun.spawn([process.execPath, main, "serve"], {
    env: {
      PATH: process.env.PATH ?? "",
      DATA_DIR: dataDir,
      PORT: "0",
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      LOG_LEVEL: "info",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ready = Promise.withResolvers<string>();
  const follow = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      output = (output + decoder.decode(chunk, { stream: true })).slice(-100_000);
      const url = / is ready at (http:\S+)/.exec(output)?.[1];
      if (url) ready.resolve(url);
    }
  };
  const ended = Promise.all([follow(child.stdout), follow(child.stderr)]);
  ended.then(() => ready.reject(new Error(`the server ended:\n${output}`)));
  ready.promise.catch(() => {});
  const timer = setTimeout(
    () => ready.reject(new Error(`the server did not start:\n${output}`)),
    START_TIMEOUT_MS,
  );
  const url = await ready.promise.finally(() => clearTimeout(timer));

  async function kill(pids: number[]): Promise<void> {
    server.isKilled = true;
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, "SIGKILL");
    await child.exited;
  }

  const server: ServerProcess = {
    url,
    pid: child.pid,
    isKilled: false,
    exited: child.exited,
    async signIn() {
      const answer = await fetch(`${url}/api/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(ADMIN),
      });
      if (!answer.ok) throw new Error(`sign in: ${answer.status} ${await answer.text()}`);
      return ((await answer.json()) as { token: string }).token;
    },
    killApp: () => kill([child.pid]),
    killAll: () => kill(processTree(child.pid)),
    async terminate() {
      child.kill("SIGTERM");
      return { code: await child.exited };
    },
    log: () => output,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await child.exited;
    },
  };
  return server;
}

/** The database of a server that runs on `dataDir`. */
export async function connectTo(dataDir: string): Promise<AsyncDisposable & { sql: Sql }> {
  const postgres = await attachOrStart({ dataDir, log: createLogger({ level: "error" }) });
  const sql = openPostgres(postgres.url, { max: 2 });
  return {
    sql,
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 5 });
      await postgres.stop();
    },
  };
}

/** Sends a ZIP as a browser does. */
export async function postZip(
  server: { url: string },
  token: string,
  zip: Blob,
  signal?: AbortSignal,
): Promise<Response> {
  const form = new FormData();
  form.set("formData", "{}");
  form.set("zipFile", zip, "exames.zip");
  return await fetch(`${server.url}/api/upload-dicom`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: form,
    signal,
  });
}

export interface OpenUpload {
  /** Resolves when the server's side of the connection has ended. */
  closed: Promise<unknown>;
  /** Breaks the connection, as a browser does when its tab is closed. */
  abort(): void;
}

const BOUNDARY = "a-boundary-no-zip-holds";

/** Begins an upload whose body says `zip.length` and sends only its first `sentBytes`. */
export async function beginUpload(
  server: { url: string },
  token: string,
  zip: Uint8Array,
  sentBytes: number,
): Promise<OpenUpload> {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="zipFile"; filename="exames.zip"\r\nContent-Type: application/zip\r\n\r\n`;
  const tail = `\r\n--${BOUNDARY}--\r\n`;
  const upload = request(`${server.url}/api/upload-dicom`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
      "content-length": head.length + zip.length + tail.length,
    },
  });
  upload.on("error", () => {}); // only the end of the connection matters
  const closed = new Promise((resolve) => upload.once("close", resolve));
  upload.write(head);
  const piece = 1 << 20;
  for (let sent = 0; sent < sentBytes; sent += piece) {
    if (!upload.write(zip.subarray(sent, Math.min(sent + piece, sentBytes)))) await once(upload, "drain");
  }
  return { closed, abort: () => upload.destroy() };
}
