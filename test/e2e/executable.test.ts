import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, renameSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { type GeneratedInstance, generateStudy } from "../../scripts/demo/phantom/study.ts";
import type { Study, ViewerToken } from "../../src/shared/api/studies.ts";
import type { UploadAnswer } from "../../src/shared/api/upload.ts";
import {
  accounts,
  buildExecutableIfStale,
  type InstalledExecutable,
  installExecutable,
} from "../support/program/executable.ts";
import { memoryOf, processTree } from "../support/program/process-tree.ts";
import { postZip } from "../support/program/server-process.ts";

const isAsked = process.env.TEST_EXECUTABLE === "1" || process.env.CI !== undefined;
const BUILD_TIMEOUT_MS = 600_000;
const TIMEOUT_MS = 240_000;
const MAX_IDLE_BYTES = 200 * 1024 * 1024;
/** The smallest of the series made below: a scout. */
const MIN_FRAME_BYTES = 256;
const PERSON = { name: "Ana Conceição", email: "ana@example.com", password: "senha da ana" };

/** A person of one server, signed in. */
interface Caller {
  id: string;
  token: string;
  call(method: string, path: string, headers?: Record<string, string>): Promise<Response>;
}

async function signIn(url: string): Promise<Caller> {
  const answer = await postJson(`${url}/api/auth/login`, PERSON);
  expect(answer.status).toBe(200);
  const { id, token } = (await answer.json()) as { id: string; token: string };
  return {
    id,
    token,
    call: (method, path, headers = {}) =>
      fetch(url + path, { method, headers: { authorization: `Bearer ${token}`, ...headers } }),
  };
}

function postJson(url: string, body: object): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

function makeStudy(seed: string): GeneratedInstance[] {
  return [...generateStudy({ kind: "ct-head", seed, size: 32, instances: 3 })];
}

function pack(instances: GeneratedInstance[]): Blob {
  const entries = instances.map(({ fileName, bytes }) => [fileName, bytes] as const);
  return new Blob([Uint8Array.from(zipSync(Object.fromEntries(entries)))]);
}

async function upload(url: string, { token }: Caller, instances: GeneratedInstance[]): Promise<UploadAnswer> {
  const answer = await postZip({ url }, token, pack(instances));
  expect(answer.status).toBe(201);
  return (await answer.json()) as UploadAnswer;
}

/** Begins an upload that never goes on; resolves with what came back, once the server has closed the connection. */
function sendHalf(url: string, { token }: Caller, zip: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname);
  let answer = "";
  socket.on("data", (text) => {
    answer += text.toString();
  });
  socket.on("error", () => {}); // a reset closes it as well
  socket.on("close", () => resolve(answer));
  socket.write(
    `POST /api/upload-dicom HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: multipart/form-data; boundary=half\r\nContent-Length: ${zip.length}\r\n\r\n` +
      '--half\r\nContent-Disposition: form-data; name="zipFile"; filename="exames.zip"\r\n\r\n',
  );
  socket.write(zip.subarray(0, zip.length / 2));
  return promise;
}

/** Uploads whose bytes lie on the disk, beside the store's own folder. */
function stagedUploads({ folder }: InstalledExecutable): string[] {
  return readdirSync(join(folder, "data/staging")).filter((name) => /^[\da-f-]{36}$/.test(name));
}

async function list({ call }: Caller): Promise<Study[]> {
  return (await (await call("GET", "/api/studies")).json()) as Study[];
}

/** Jobs run in their own time. */
async function pollUntil<Value>(
  read: () => Promise<Value>,
  isThere: (value: Value) => boolean,
): Promise<Value> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const value = await read();
    if (isThere(value)) return value;
    if (Date.now() > deadline) throw new Error(`not soon: ${JSON.stringify(value)}`);
    await Bun.sleep(20);
  }
}

const hashes = (files: Uint8Array[]) => files.map((bytes) => String(Bun.hash(bytes))).sort();

async function expectViewerOpens(url: string, caller: Caller, instance: GeneratedInstance): Promise<void> {
  const { studyInstanceUID, seriesInstanceUID, sopInstanceUID } = instance.attributes;
  const data = btoa(JSON.stringify([{ userId: caller.id, studyInstanceUID }]));
  const answer = await caller.call("GET", `/generate-token?data=${encodeURIComponent(data)}`);
  expect(answer.status).toBe(200);
  const { token, url: viewerUrl } = (await answer.json()) as ViewerToken;

  const page = await (await fetch(new URL(viewerUrl, url))).text();
  const files = Array.from(page.matchAll(/(?:src|href)="(\/viewer\/[^"]+)"/g), ([, path = ""]) => path);
  expect(files.length).toBeGreaterThan(2);
  for (const path of files) {
    const plain = await fetch(url + path, { headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
    const bytes = await plain.arrayBuffer();
    const packed = await fetch(url + path, { headers: { "accept-encoding": "br" }, decompress: false });
    // What would gain nothing is not compressed.
    const coding = bytes.byteLength < 300 ? null : "br";
    expect([packed.status, packed.headers.get("content-encoding")]).toEqual([200, coding]);
    const inflated = await fetch(url + path, { headers: { "accept-encoding": "br" } });
    expect(Bun.hash(bytes)).toBe(Bun.hash(await inflated.arrayBuffer()));
  }

  const frame = await fetch(
    `${url}/dicomweb/t/${token}/studies/${studyInstanceUID}/series/${seriesInstanceUID}/instances/${sopInstanceUID}/frames/1`,
    { headers: { accept: "multipart/related; type=application/octet-stream; transfer-syntax=*" } },
  );
  expect(frame.status).toBe(200);
  const body = Buffer.from(await frame.arrayBuffer());
  const pixels = body.subarray(body.indexOf("\r\n\r\n") + 4, body.lastIndexOf("\r\n--"));
  expect(pixels.length).toBeGreaterThanOrEqual(MIN_FRAME_BYTES);
  expect(Buffer.from(instance.bytes).includes(pixels)).toBe(true);
}

describe.skipIf(!isAsked)("the executable, alone in an empty folder and with an empty environment", () => {
  beforeAll(buildExecutableIfStale, BUILD_TIMEOUT_MS);

  describe.each(accounts)("run by $name", (account) => {
    let installed: InstalledExecutable;
    beforeAll(() => {
      installed = installExecutable(account);
    });
    afterAll(() => installed[Symbol.asyncDispose]());

    test(
      "registers a person, takes in a study, lists, shows, returns and deletes it",
      async () => {
        await using server = await installed.start();
        const { url, adminPassword } = server;
        expect(readdirSync(installed.folder).sort()).toEqual(["data", "exameteca"]);
        expect(adminPassword).toMatch(/\S{10}/);
        expect(await (await fetch(url)).text()).toContain("data-island");
        expect(
          (await postJson(`${url}/api/auth/register`, { ...PERSON, cpfcnpj: "529.982.247-25" })).status,
        ).toBe(201);
        const ana = await signIn(url);
        const instances = makeStudy("main job");
        const { instancesReceived } = await upload(url, ana, instances);
        expect(instancesReceived).toBe(instances.length);
        const [study] = await pollUntil(
          () => list(ana),
          ([first]) => first?.storageStatus === "b2",
        );
        expect(study?.imagesReceived).toBe(instances.length);
        for (const instance of instances.slice(0, 2)) await expectViewerOpens(url, ana, instance);

        const file = await ana.call("GET", `/api/studies/${study?.id}/download`);
        const returned = Object.values(unzipSync(new Uint8Array(await file.arrayBuffer())));
        expect(hashes(returned)).toEqual(hashes(instances.map(({ bytes }) => bytes)));

        const medium = await ana.call("GET", `/api/studies/${study?.id}/download?as=pdi`);
        const { "INDEX.HTM": page } = unzipSync(new Uint8Array(await medium.arrayBuffer()));
        expect(Buffer.from(page ?? []).includes('<div id="disc">')).toBe(true);

        expect((await ana.call("DELETE", `/api/studies/${study?.id}`)).ok).toBe(true);
        expect(await list(ana)).toEqual([]);
        expect(await server.kill("SIGTERM")).toBe(0);
      },
      TIMEOUT_MS,
    );

    test(
      "starts again on its data, idles in little memory, and stops on SIGTERM without a trace",
      async () => {
        await using server = await installed.start();
        const { pid, healthyAfterMs } = server;
        const memory = memoryOf(processTree(pid));
        const megabytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MiB`;
        console.log(
          `${account.name}: healthy after ${Math.round(healthyAfterMs)} ms; idle PSS ${megabytes(memory.pssBytes)}, ` +
            `RSS ${megabytes(memory.rssBytes)}`,
        );
        expect(memory.pssBytes).toBeLessThan(MAX_IDLE_BYTES);
        expect(installed.processes().length).toBeGreaterThan(2);

        expect(await server.kill("SIGTERM")).toBe(0);
        expect(installed.processes()).toEqual([]);
      },
      TIMEOUT_MS,
    );

    test(
      "leaves no PostgreSQL behind when it is killed, and starts again with everything it acknowledged",
      async () => {
        await using first = await installed.start();
        await upload(first.url, await signIn(first.url), makeStudy("before the kill"));
        expect(await first.kill("SIGKILL")).toBe("SIGKILL");
        await pollUntil(
          async () => installed.processes(),
          (processes) => processes.length === 0,
        );

        await using second = await installed.start();
        const ana = await signIn(second.url);
        const [study] = await pollUntil(
          () => list(ana),
          ([kept]) => kept?.storageStatus === "b2",
        );
        expect((await ana.call("DELETE", `/api/studies/${study?.id}`)).ok).toBe(true);
      },
      TIMEOUT_MS,
    );

    test(
      "still accepts uploads while its own file is missing, as in an upgrade",
      async () => {
        await using server = await installed.start();
        const ana = await signIn(server.url);
        renameSync(installed.path, `${installed.path}.old`);
        await upload(server.url, ana, makeStudy("main job"));
        renameSync(`${installed.path}.old`, installed.path);
        expect(await server.kill("SIGTERM")).toBe(0);
        expect(installed.processes()).toEqual([]);
      },
      TIMEOUT_MS,
    );

    test(
      "ends an upload that is under way when it stops, and lists nothing of it afterwards",
      async () => {
        await using first = await installed.start();
        const zip = new Uint8Array(await pack(makeStudy("never whole")).arrayBuffer());
        const ana = await signIn(first.url);
        const listed = await list(ana);
        const answer = sendHalf(first.url, ana, zip);
        await pollUntil(
          async () => stagedUploads(installed),
          (staged) => staged.length > 0,
        );
        expect(await first.kill("SIGTERM")).toBe(0);
        expect(await answer).not.toContain(" 201 ");

        await using second = await installed.start();
        expect(await list(await signIn(second.url))).toEqual(listed);
        await pollUntil(
          async () => stagedUploads(installed),
          (staged) => staged.length === 0,
        );
      },
      TIMEOUT_MS,
    );

    test("prints the licences of everything in it", async () => {
      const { code, output } = await installed.run("licenses");
      expect(code).toBe(0);
      for (const text of [
        "Apache License",
        "@ohif/app",
        "PostgreSQL Database Management System",
        "SIL OPEN FONT LICENSE",
      ]) {
        expect(output.includes(text) ? text : "").toBe(text);
      }
    });
  });
});
