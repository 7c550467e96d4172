import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import type { Study, ViewerToken } from "../../src/shared/api/studies.ts";
import type { UploadAnswer } from "../../src/shared/api/upload.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { type Balancer, hasCaddy, startCaddy, startSmallBalancer } from "../support/network/balancer.ts";
import { type ComposeService, readComposeFile, readSettings } from "../support/network/compose-file.ts";
import { freePort } from "../support/network/free-port.ts";
import { type ServerProcess, spawnServer } from "../support/program/server-process.ts";
import { startS3Server } from "../support/store/s3-server.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { until } from "../support/until.ts";
import { sampleZip, studyUID } from "../support/zip/sample-zip.ts";

/*
 * deploy/compose.nodes.yaml without a container engine: two processes with the environment of its nodes, a PostgreSQL
 * that has nothing yet, and a foreign S3 store. Only the addresses inside its network are others.
 */
const DEPLOY = resolve(import.meta.dir, "../../deploy");
const SETTINGS = {
  ...readSettings(join(DEPLOY, "nodes.env.example")),
  ...{ POSTGRES_PASSWORD: "of postgres", AUTH_SECRET: "one secret for both, long enough for HS256" },
  ...{ S3_ACCESS_KEY_ID: "S3RVER", S3_SECRET_ACCESS_KEY: "S3RVER" },
};
const services = readComposeFile(join(DEPLOY, "compose.nodes.yaml"), SETTINGS);
const { DOMAIN, VIEWER_DOMAIN, ADMIN_EMAIL: email } = SETTINGS as Record<string, string>;
const START_TIMEOUT_MS = 240_000;
const TIMEOUT_MS = 60_000;
const REQUESTS = 12;
/** This much of the end of a node's log is shown when the node refuses an upload. */
const LOG_CHARACTERS = 4_000;

function environmentOf(name: string): Record<string, string> {
  const { environment } = services[name] as ComposeService;
  return environment;
}

/** What a caller sees of an installation, at whichever address. */
class Caller {
  constructor(
    readonly url: string,
    readonly token: string,
  ) {}

  ask(method: string, path: string, options: { host?: string; body?: BodyInit; type?: string } = {}) {
    const { host = DOMAIN, body, type } = options;
    const headers = {
      ...{ host: host ?? "", authorization: `Bearer ${this.token}` },
      ...(type && { "content-type": type }),
    };
    return fetch(this.url + path, { method, headers, body });
  }

  at(url: string): Caller {
    return new Caller(url, this.token);
  }

  async upload(zip: Uint8Array): Promise<Response> {
    const form = new FormData();
    form.set("formData", "{}");
    form.set("zipFile", new Blob([Uint8Array.from(zip)]), "exames.zip");
    return await this.ask("POST", "/api/upload-dicom", { body: form });
  }

  async studies(study: string): Promise<Study[]> {
    const studies = (await (await this.ask("GET", "/api/studies")).json()) as Study[];
    return studies.filter(({ studyInstanceUID }) => studyInstanceUID === studyUID(study));
  }
}

const held = new AsyncDisposableStack();
let database: TestDatabase;
let storeEndpoint: string;
let folders: string[];
let ports: number[];
let nodes: ServerProcess[];
let admin: Caller;

/** The node of that number with its volume, as the container engine starts it and starts it again. */
async function startNode(index: number): Promise<ServerProcess> {
  const environment = {
    ...environmentOf(`node${index + 1}`),
    ...{ DATABASE_URL: database.url, S3_ENDPOINT: storeEndpoint, TRUST_PROXY: "127.0.0.1" },
    ...{ HOST: "127.0.0.1", PORT: String(ports[index]), ADMIN_PASSWORD: "" },
  };
  const node = await spawnServer(folders[index] ?? "", environment);
  return held.use(node);
}

beforeAll(async () => {
  database = await createTestDatabase({ migrations: [] });
  held.defer(() => database.drop());
  const bucket = environmentOf("node1").S3_BUCKET;
  const { options } = held.use(await startS3Server(bucket));
  storeEndpoint = options.endpoint;
  folders = [0, 1].map(() => held.use(createTempFolder()).path);
  ports = [await freePort(), await freePort()];
  nodes = await Promise.all([startNode(0), startNode(1)]);
  const password = nodes.map((node) => /password: (\S+)/.exec(node.log())?.[1]).find(Boolean) ?? "";
  const stranger = new Caller(nodes[0]?.url ?? "", "");
  const body = JSON.stringify({ email, password });
  const answer = await stranger.ask("POST", "/api/auth/login", { body, type: "application/json" });
  admin = new Caller(stranger.url, ((await answer.json()) as { token: string }).token);
}, START_TIMEOUT_MS);
afterAll(() => held.disposeAsync(), START_TIMEOUT_MS);

test("both nodes start at once on an empty database, and one of them prints the admin's password", () => {
  const printed = nodes.filter((node) => /password: \S+/.test(node.log()));
  expect(printed.length).toBe(1);
  expect(environmentOf("node1")).toEqual(environmentOf("node2"));
});

test("every setting that the file demands is in nodes.env.example, and it demands each that has no value there", () => {
  const example = readSettings(join(DEPLOY, "nodes.env.example"));
  const optional = ["SMTP_URL", "MAIL_FROM"];
  const empty = Object.keys(example).filter((name) => example[name] === "" && !optional.includes(name));
  expect(empty.length).toBeGreaterThan(2);
  for (const name of empty) {
    const others = { ...SETTINGS, [name]: "" };
    expect(() => readComposeFile(join(DEPLOY, "compose.nodes.yaml"), others)).toThrow(`demands ${name}`);
  }
});

const balancers = [
  { name: "a small balancer", start: startSmallBalancer, isHere: true },
  { name: "Caddy with deploy/Caddyfile", start: startCaddy, isHere: hasCaddy },
];

describe.each(balancers)("behind $name", ({ name, start, isHere }) => {
  const study = name === "a small balancer" ? "100" : "200";
  let balancer: Balancer;
  let front: Caller;
  beforeAll(async () => {
    if (!isHere) return;
    const addresses = ports.map((port) => `127.0.0.1:${port}`);
    expect(environmentOf("caddy").NODES?.split(" ").length).toBe(addresses.length);
    balancer = await start({ environment: environmentOf("caddy"), nodes: addresses });
    front = admin.at(balancer.url);
  }, START_TIMEOUT_MS);
  afterAll(() => balancer?.[Symbol.asyncDispose]());

  /** All answers of a dozen requests, so that each node has its turn. */
  const statuses = async (path: string) => {
    const answers = await Promise.all(Array.from({ length: REQUESTS }, () => front.ask("GET", path)));
    return [...new Set(answers.map(({ status }) => status))];
  };

  /** Caddy before 2.11.2 does not send a body to a second node; its health check finds the dead one within seconds. */
  const takesUpload = async (zip: Uint8Array) => {
    let answer = await front.upload(zip);
    await until(async () => {
      if (answer.status !== 502) return true;
      answer = await front.upload(zip);
      return false;
    });
    expect(answer.status).toBe(201);
    return (await answer.json()) as UploadAnswer;
  };

  test.skipIf(!isHere)(
    "an exam that one node took in is listed, shown and downloaded by the other",
    async () => {
      const taken = await admin.at(nodes[0]?.url ?? "").upload(sampleZip({ study }));
      expect(taken.status, nodes[0]?.log().slice(-LOG_CHARACTERS)).toBe(201);
      const [kept] = ((await taken.json()) as UploadAnswer).studies;
      const other = admin.at(nodes[1]?.url ?? "");
      expect((await other.studies(study)).map(({ id }) => id)).toEqual([kept?.id ?? ""]);
      const download = await other.ask("GET", `/api/studies/${kept?.id}/download`);
      expect((await download.bytes()).length).toBeGreaterThan(100);

      const me = (await (await front.ask("GET", "/api/auth/me")).json()) as { id: string };
      const data = btoa(JSON.stringify([{ userId: me.id, studyInstanceUID: studyUID(study) }]));
      const answer = await front.ask("GET", `/generate-token?data=${encodeURIComponent(data)}`);
      const { token } = (await answer.json()) as ViewerToken;
      const path = `/dicomweb/t/${token}/studies?limit=1&StudyInstanceUID=${studyUID(study)}`;
      expect((await front.ask("GET", path)).status).toBe(404);
      const shown = await front.ask("GET", path, { host: VIEWER_DOMAIN });
      expect(((await shown.json()) as unknown[]).length).toBe(1);
    },
    TIMEOUT_MS,
  );

  test.skipIf(!isHere)(
    "no reader notices kill -9 of a node, uploads go on, and it comes back on its volume",
    async () => {
      expect(await statuses("/api/studies")).toEqual([200]);
      await nodes[0]?.killApp();
      expect(await statuses("/api/studies")).toEqual([200]);
      await takesUpload(sampleZip({ study: `${study}1` }));
      nodes[0] = await startNode(0);
      const again = admin.at(nodes[0].url);
      expect((await again.ask("GET", "/api/health")).status).toBe(200);
      expect((await again.studies(`${study}1`)).length).toBe(1);
    },
    TIMEOUT_MS,
  );

  test.skipIf(!isHere)(
    "a node that is stopped in the middle of an upload keeps it whole or not at all, and the others go on",
    async () => {
      const [staying, leaving] = nodes as [ServerProcess, ServerProcess];
      const zip = sampleZip({ study: `${study}2` });
      const goOn = Promise.withResolvers<void>();
      const sending = admin.at(leaving.url).ask("POST", "/api/upload-dicom", {
        body: inTwoParts(zip, goOn.promise) as unknown as BodyInit,
        type: "multipart/form-data; boundary=half",
      });
      const cut = sending.then(({ status }) => status).catch(() => 0);
      await until(async () => (await openUploads()) > 0);
      const stopped = leaving.terminate();
      await until(async () => leaving.log().includes("server.stopping"));
      expect(await statuses("/api/studies")).toEqual([200]);
      goOn.resolve();
      const status = await cut;
      expect((await stopped).code).toBe(0);

      const other = admin.at(staying.url);
      expect((await other.studies(`${study}2`)).length).toBe(status === 201 ? 1 : 0);
      const again = await takesUpload(zip);
      expect(again.studies.map(({ imagesReceived, duplicates }) => [imagesReceived, duplicates])).toEqual([
        status === 201 ? [0, 1] : [1, 0],
      ]);
      expect((await other.studies(`${study}2`)).length).toBe(1);
      nodes[1] = await startNode(1);
    },
    TIMEOUT_MS,
  );
});

/** The body of an upload whose second half comes later. */
async function* inTwoParts(zip: Uint8Array, later: Promise<void>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const middle = zip.length >> 1;
  yield encoder.encode(
    '--half\r\nContent-Disposition: form-data; name="zipFile"; filename="exames.zip"\r\n\r\n',
  );
  yield zip.subarray(0, middle);
  await later;
  yield zip.subarray(middle);
  yield encoder.encode("\r\n--half--\r\n");
}

async function openUploads(): Promise<number> {
  const [row] = await database.sql`select count(*)::int as open from uploads where state = 'receiving'`;
  return Number(row?.open);
}
