import { afterAll, beforeAll, expect, test } from "bun:test";
import { unzipSync } from "fflate";
import { sweepUploads } from "../../../src/server/holdings/sweeping/sweep-uploads.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { tusOf } from "../../support/app/tus.ts";
import { noisySlices } from "../../support/dicom/noisy-slices.ts";
import { type ConnectionProxy, startConnectionProxy } from "../../support/network/connection-proxy.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

/*
 * A database that fails over may carry a transaction out and lose its answer. Whoever asked does not know what became of it, and must
 * not undo what may be in force.
 */
let t: TestApp;
let proxy: ConnectionProxy;
let s3: FaultyS3Server;
let person: Person;

beforeAll(async () => {
  s3 = await startFaultyS3Server();
  t = await createTestApp({
    env: s3Environment(s3.options),
    databaseVia: async (url) => {
      proxy = await startConnectionProxy(url);
      return proxy.url;
    },
    // The log tells of each connection that this file breaks.
    overrides: { log: createLogger({ level: "error", write: () => {} }) },
  });
  person = await t.addPerson("Resposta Perdida");
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
});

async function downloaded(studyId: string): Promise<Uint8Array[]> {
  const answer = await t.call("GET", `/api/studies/${studyId}/download`, { as: person });
  expect(answer.status).toBe(200);
  return Object.values(unzipSync(new Uint8Array(await answer.arrayBuffer())));
}

for (const [what, firstBytes] of [
  ["after a short piece", 100_000],
  ["after a long piece", 600_000],
] as const) {
  test(`a resumable upload goes on ${what} where HEAD says, though the answer to what recorded it was lost`, async () => {
    await t.settle();
    const tus = tusOf(t, person);
    const study = String(firstBytes);
    const zip = sampleZip(...noisySlices(study, 24));
    expect(zip.length).toBeGreaterThan(firstBytes + 100_000);
    const url = await tus.begin(zip.length);
    expect((await tus.patch(url, 0, zip.subarray(0, firstBytes))).status).toBe(204);
    const lost = proxy.loseAnswerTo("commit", { behind: "resumable" });
    const refused = await tus.patch(url, firstBytes, zip.subarray(firstBytes, firstBytes + 50_000));
    await lost;
    expect(refused.status).toBe(503);
    const offset = Number((await tus.head(url)).headers.get("upload-offset"));
    expect(offset).toBe(firstBytes + 50_000);
    expect((await tus.patch(url, offset, zip.subarray(offset))).status).toBe(204);
    const { state, result, problem } = await tus.outcome(url);
    expect([state, problem]).toEqual(["done", undefined]);
    expect(await downloaded(result?.studies[0]?.id ?? "")).toEqual(Object.values(unzipSync(zip)));
  }, 240_000);
}

const INSERT_UPLOAD = 'insert into "uploads"';

for (const [what, statement, behind, isKept] of [
  ["that records it, before its first byte", INSERT_UPLOAD, "", false],
  ["that makes it visible", "commit", 'insert into "studies"', true],
] as const) {
  test(`an upload is there whole or not at all if the answer to the statement is lost ${what}`, async () => {
    await t.settle();
    const zip = sampleZip({ study: isKept ? "10" : "11" });
    const lost = proxy.loseAnswerTo(statement, { behind });
    expect((await t.upload(person, zip)).status).toBe(503);
    await lost;
    const studies = async () =>
      (await (await t.call("GET", "/api/studies", { as: person })).json()) as Study[];
    const uid = studyUID(isKept ? "10" : "11");
    const stored = (await studies()).filter(({ studyInstanceUID }) => studyInstanceUID === uid);
    expect(stored).toHaveLength(isKept ? 1 : 0);
    for (const { id } of stored) expect(await downloaded(id)).toEqual(Object.values(unzipSync(zip)));
    // As each hour.
    await sweepUploads(t.deps);
    expect([...(await t.sql`select 1 from uploads where state = 'receiving'`)]).toEqual([]);
    // Whoever sends it again gets no second one.
    expect((await t.upload(person, zip)).status).toBe(201);
    expect((await studies()).filter(({ studyInstanceUID }) => studyInstanceUID === uid)).toHaveLength(1);
  }, 240_000);
}
