import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { zipSync } from "fflate";
import { Upload } from "tus-js-client";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import type { Request } from "../../src/shared/api/deliveries.ts";
import type { ResumableUploadState } from "../../src/shared/api/resumable.ts";
import { createRandom, seedOf } from "../../src/shared/phantom/random.ts";
import { tusChecksum } from "../support/app/tus.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { type CuttingProxy, startCuttingProxy } from "../support/network/cutting-proxy.ts";
import { downloadHashes, listStudies } from "../support/program/sent-uploads.ts";
import { type ServerProcess, spawnServer } from "../support/program/server-process.ts";
import { sha256 } from "../support/program/stored-bytes.ts";
import { s3Environment } from "../support/store/s3-environment.ts";
import { startS3Server } from "../support/store/s3-server.ts";
import { createTempFolder } from "../support/temp-folder.ts";

/*
 * The client that browsers use, against the whole program, over a line that breaks. The same seed gives the same studies, cuts and
 * moments; only the machine's timing differs. TUS_UPLOADS=200 is the long run.
 */
const seed = process.env.TUS_SEED ?? String(Date.now());
const uploads = Number(process.env.TUS_UPLOADS ?? 2);
/** Sums uploads of any size while they come, as the program itself does with large ones. */
const SUMMING = join(import.meta.dir, "../support/program/summing-server.ts");
const CHUNK_BYTES = 256 * 1024;
const UPLOAD_MS = 60_000;
const OVERHEAD_BYTES = 2_000;
const retryDelays = [0, 200, 500, 1000, 2000, 3000, 4000, 5000, 5000, 5000, 5000];

/** A study whose ZIP can become its volume, except every fourth, and the hash of each instance. */
function studyToSend(name: string, index: number): { zip: Uint8Array; hashes: string[] } {
  const instances = [...generateStudy({ kind: "ct-head", seed: name, size: 160, instances: 30 })];
  const nameOf = (i: number) =>
    index % 4 === 3 ? `I${i}` : `PACIENTE/EXAMES/CT/IM${String(i).padStart(10, "0")}`;
  const zip = zipSync(Object.fromEntries(instances.map(({ bytes }, i) => [nameOf(i), bytes])), { level: 0 });
  return { zip, hashes: instances.map(({ bytes }) => sha256(bytes)).sort() };
}

/** What a client sent in vain. */
interface Waste {
  /** Chunks that the server refused, since it had not noticed yet that the line of the former one was cut. */
  refusedChunks: number;
  /** Bytes that it had acknowledged before. */
  acknowledgedBytes: number;
}

async function send(
  proxy: CuttingProxy,
  token: string,
  { zip, isChecked }: { zip: Uint8Array; isChecked: boolean },
): Promise<Waste & { url: string }> {
  const waste = { refusedChunks: 0, acknowledgedBytes: 0 };
  let acknowledged = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const upload = new Upload(Buffer.from(zip), {
    endpoint: `${proxy.url}/api/uploads`,
    chunkSize: CHUNK_BYTES,
    retryDelays,
    metadata: { filename: "exame.zip" },
    headers: { authorization: `Bearer ${token}` },
    onBeforeRequest(request) {
      if (request.getMethod() !== "PATCH") return;
      const offset = Number(request.getHeader("Upload-Offset"));
      waste.acknowledgedBytes += Math.max(0, acknowledged - offset);
      const chunk = zip.subarray(offset, offset + CHUNK_BYTES);
      if (isChecked) request.setHeader("Upload-Checksum", tusChecksum(chunk));
    },
    onAfterResponse(request, response) {
      acknowledged = Math.max(acknowledged, Number(response.getHeader("Upload-Offset") ?? 0));
      if (request.getMethod() === "PATCH" && response.getStatus() !== 204) waste.refusedChunks++;
    },
    onSuccess: () => resolve(),
    onError: reject,
  });
  upload.start();
  await promise;
  return { ...waste, url: upload.url ?? "" };
}

/** What became of an upload; asked until it is known, whatever happens to the server meanwhile. */
async function outcomeOf(server: () => ServerProcess, token: string, url: string) {
  const { pathname } = new URL(url);
  for (let tries = 0; tries < 1200; tries++) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(server().url + pathname, { headers }).catch(() => undefined);
    const upload = answer?.ok ? ((await answer.json()) as ResumableUploadState) : undefined;
    if (upload?.state === "done" || upload?.state === "failed") return upload;
    await Bun.sleep(50);
  }
  throw new Error("the upload was not taken in");
}

async function waitUntilArchived(server: ServerProcess, token: string): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    const studies = await listStudies(server, token);
    if (studies.every(({ storageStatus }) => storageStatus === "b2")) return;
    await Bun.sleep(50);
  }
  throw new Error("the studies were not moved to the store");
}

/** What somebody without an account delivers, by a request of the account. */
async function beginDelivery(server: ServerProcess, token: string): Promise<{ id: string; token: string }> {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const init = { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(server.url + path, {
      ...init,
      headers: { "content-type": "application/json", ...headers },
    });
    return (await answer.json()) as Record<string, string>;
  };
  const authorization = `Bearer ${token}`;
  const { id = "", url = "" } = await post("/api/requests", { label: "Clínica" }, { authorization });
  const secret = new URL(url).hash.slice(1);
  const delivery = await post("/api/deliveries", { request: id, secret, from: "Clínica" });
  return { id, token: delivery.token ?? "" };
}

/** How often a request was used, and how many studies each of its deliveries brought. */
async function usesOf(server: ServerProcess, token: string, id: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  const requests = (await (await fetch(`${server.url}/api/requests`, { headers })).json()) as Request[];
  const request = requests.find((one) => one.id === id);
  return [request?.used, request?.deliveries.map(({ studyIds }) => studyIds.length)];
}

test(
  `resumable uploads survive cut connections and kill -9 of the server (seed ${seed})`,
  async () => {
    const random = createRandom(seedOf(seed));
    await using folder = createTempFolder();
    chmodSync(folder.path, 0o711);
    const start = () => spawnServer(folder.path, {}, SUMMING);
    let server = await start();
    const token = await server.signIn();
    const nextCut = () => Math.floor(40_000 + random() * 1_500_000);
    await using proxy = await startCuttingProxy(server.url, nextCut);
    for (let index = 0; index < uploads; index++) {
      const { zip, hashes } = studyToSend(`${seed}-${index}`, index);
      // Every other one is delivered by somebody without an account.
      const delivery = index % 2 ? await beginDelivery(server, token) : undefined;
      const sender = delivery?.token ?? token;
      const before = { bytes: proxy.sentBytes, cuts: proxy.cuts };
      const sending = send(proxy, sender, { zip, isChecked: index % 3 === 0 });
      let kills = 0;
      let isSent = false;
      void sending.then(
        () => (isSent = true),
        () => (isSent = true),
      );
      // At any moment of the upload, and while it is taken in.
      const killing = (async () => {
        await Bun.sleep(random() * 600);
        await (random() < 0.5 ? server.killAll() : server.killApp());
        kills++;
        server = await start();
        proxy.target(server.url);
      })();
      const { url, refusedChunks, acknowledgedBytes } = await sending;
      await killing;
      expect([index, acknowledgedBytes]).toEqual([index, 0]);
      expect(isSent).toBe(true);
      const upload = await outcomeOf(() => server, sender, url);
      expect([index, upload.state, upload.problem]).toEqual([index, "done", undefined]);
      const cuts = proxy.cuts - before.cuts + kills;
      // A chunk that was cut off is sent again from where it stopped.
      const requests = Math.ceil(zip.length / CHUNK_BYTES) + 3 * (cuts + refusedChunks) + 30;
      const allowed = zip.length + (cuts + refusedChunks) * CHUNK_BYTES + requests * OVERHEAD_BYTES;
      expect(proxy.sentBytes - before.bytes).toBeLessThan(allowed);
      const [study] = upload.result?.studies ?? [];
      await waitUntilArchived(server, token);
      expect((await downloadHashes(server, token, study?.id ?? "")).sort()).toEqual(hashes);
      // Counted once, and in the same moment as the study.
      if (delivery) expect(await usesOf(server, token, delivery.id)).toEqual([1, [1]]);
    }
    expect(await readdir(join(folder.path, "arriving"))).toEqual([]);
    await server.terminate();
  },
  240_000 + uploads * UPLOAD_MS,
);

test("a node that is lost for good takes no acknowledged chunk along, whichever node took which", async () => {
  await using database = await createTestDatabase().then((made) => ({
    ...made,
    [Symbol.asyncDispose]: () => made.drop(),
  }));
  await using store = await startS3Server();
  const env = {
    DATABASE_URL: database.url,
    AUTH_SECRET: "one secret for both, long enough for HS256",
    ...s3Environment(store.options),
  };
  await using first = createTempFolder();
  await using second = createTempFolder();
  const lost = await spawnServer(first.path, env);
  await using kept = await spawnServer(second.path, env);
  const token = await kept.signIn();
  const headers = { authorization: `Bearer ${token}`, "tus-resumable": "1.0.0" };
  const { zip, hashes } = studyToSend("two nodes", 0);
  const created = await fetch(`${lost.url}/api/uploads`, {
    method: "POST",
    headers: { ...headers, "upload-length": String(zip.length) },
  });
  const path = created.headers.get("location") ?? "";
  const patch = (node: ServerProcess, offset: number, bytes: Uint8Array) =>
    fetch(node.url + path, {
      method: "PATCH",
      body: Uint8Array.from(bytes),
      headers: {
        ...headers,
        "content-type": "application/offset+octet-stream",
        "upload-offset": String(offset),
      },
    });
  let offset = 0;
  // Small and large chunks in turn, on either node.
  for (let index = 0; offset < zip.length / 2; index++) {
    const bytes = zip.subarray(offset, offset + (index % 3 === 0 ? 1000 : 120_000));
    const answer = await patch(index % 2 ? kept : lost, offset, bytes);
    expect(answer.status).toBe(204);
    offset += bytes.length;
    expect(answer.headers.get("upload-offset")).toBe(String(offset));
  }
  await lost.killApp();
  const head = await fetch(kept.url + path, { method: "HEAD", headers });
  expect(head.headers.get("upload-offset")).toBe(String(offset));
  expect((await patch(kept, offset, zip.subarray(offset))).status).toBe(204);
  const upload = await outcomeOf(() => kept, token, kept.url + path);
  expect(upload.state).toBe("done");
  const [study] = upload.result?.studies ?? [];
  expect((await downloadHashes(kept, token, study?.id ?? "")).sort()).toEqual(hashes);
  const partsLeft = () => database.sql`select 1 from resumable_uploads where bytes_removed_at is null`;
  for (let tries = 0; (await partsLeft()).length > 0; tries++) {
    if (tries > 600) throw new Error(kept.log());
    await Bun.sleep(50);
  }
}, 240_000);
