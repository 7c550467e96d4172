import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { strFromU8, unzipSync, zipSync } from "fflate";
import type { Study } from "../../../src/shared/api/studies.ts";
import type { ExportTicket } from "../../../src/shared/api/users.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { noise, packed, restingObjects, sampleKinds } from "../../support/app/damaged-study.ts";
import { serveApp } from "../../support/app/raw-upload.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { leavesOf, recordsOf } from "../../support/dicom/dicomdir-records.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { sampleInstance } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
beforeAll(async () => {
  t = await createTestApp();
  await t.addPerson("Quem Cuida", { role: "admin" });
  owner = await t.addPerson("Dona do Exame", { plan: "clinica" });
});
afterAll(() => t[Symbol.asyncDispose]());

/** An instance whose pixels do not compress, in a ZIP that has them as they are. */
function large(study: string, ...sops: string[]): Uint8Array {
  const instance = (sop: string) =>
    sampleInstance({
      ...{ study, sop },
      elements: { [TagHex.PixelData]: { vr: "OW", bytes: noise(300_000, Number(sop)) } },
    });
  return zipSync(Object.fromEntries(sops.map((sop) => [sop, instance(sop)])), { level: 0 });
}

async function listed(id: string, app = t, as = owner): Promise<Study | undefined> {
  return ((await (await app.call("GET", "/api/studies", { as })).json()) as Study[]).find(
    (study) => study.id === id,
  );
}

const mails = async () =>
  (await readOutbox(t.deps.config.dataDir)).filter(({ subject }) => subject.includes("damaged")).length;

async function attach(studyInstanceUID: string, text: string): Promise<number> {
  const form = await formBody({ studyInstanceUID }, { name: "laudo", bytes: samplePdf(text) });
  return (await t.call("POST", "/api/studies/laudo/upload", { as: owner, ...form })).status;
}

async function addLab(text: string): Promise<string> {
  const form = await formBody(
    { examName: "Hemograma", modality: "LAB" },
    { name: "file", bytes: samplePdf(text) },
  );
  const answer = await t.call("POST", "/api/exams-lab/upload", { as: owner, ...form });
  return ((await answer.json()) as { id: string }).id;
}

/** Changes a byte of a file, or removes the file; returns a function that restores it. */
function harm(key: string, at: number | "gone"): () => void {
  const path = join(t.deps.config.dataDir, "objects", key);
  const bytes = readFileSync(path);
  const changed = Buffer.from(bytes);
  if (at === "gone") rmSync(path);
  else {
    changed[at] = (changed[at] ?? 0) ^ 0x55;
    writeFileSync(path, changed);
  }
  return () => writeFileSync(path, bytes);
}

/** The received bytes of a chunked body (RFC 9112 §7.1), and whether its last chunk came. */
function dechunked(sent: Buffer): { body: Buffer; isEnded: boolean } {
  const parts: Buffer[] = [];
  for (let at = 0; at < sent.length; ) {
    const dataAt = sent.indexOf("\r\n", at) + 2;
    const sizeBytes = Number.parseInt(sent.toString("latin1", at, dataAt), 16);
    if (sizeBytes === 0) return { body: Buffer.concat(parts), isEnded: true };
    parts.push(sent.subarray(dataAt, dataAt + sizeBytes));
    at = dataAt + sizeBytes + 2;
  }
  return { body: Buffer.concat(parts), isEnded: false };
}

async function exported(): Promise<Record<string, Uint8Array>> {
  await t.sql`delete from throttles`;
  const ticket = await t.call("POST", "/api/users/export-ticket", { as: owner });
  const { url } = (await ticket.json()) as ExportTicket;
  return unzipSync(new Uint8Array(await (await t.call("GET", url)).arrayBuffer()));
}

const hashes = (files: Iterable<Uint8Array>) => Array.from(files, (bytes) => Bun.hash(bytes)).sort();
const imagesIn = (files: Record<string, Uint8Array>) =>
  Object.entries(files).flatMap(([name, bytes]) => (name.startsWith("DICOM/") ? [bytes] : []));

describe("a laudo with a changed byte", () => {
  test("is never shown, marks its study and is announced once; the study is sound again when the laudo is replaced or deleted", async () => {
    const { studies } = await t.store(owner, large("500", "1"));
    const { id = "", studyInstanceUID = "" } = studies[0] ?? {};
    for (const isReplaced of [true, false]) {
      if (isReplaced) expect(await attach(studyInstanceUID, "primeiro")).toBe(201);
      const [row] = await t.sql`select key from stored_objects where study_id = ${id} and kind = 'report'`;
      const before = await mails();
      harm(row?.key, 12);
      t.deps.sums.clear();
      for (let times = 0; times < 2; times++) {
        const shown = await t.call("GET", `/api/studies/laudo/${id}`, { as: owner });
        expect([shown.status, (await problemOf(shown)).code]).toEqual([500, "archive.damaged"]);
      }
      await t.settle();
      expect(await mails()).toBe(before + 1);
      expect(await listed(id)).toMatchObject({ integrity: "damaged", laudo: true });
      expect((await t.call("DELETE", `/api/studies/laudo/${id}`, { as: owner })).status).toBe(200);
      if (isReplaced) expect(await attach(studyInstanceUID, "segundo")).toBe(201);
      await t.settle();
      expect(await listed(id)).toMatchObject({ integrity: "ok", laudo: isReplaced });
    }
    expect((await t.call("GET", `/api/studies/laudo/${id}`, { as: owner })).status).toBe(404);
  });
});

describe("a laboratory PDF", () => {
  test("with a changed byte is never shown, and is marked and announced once, until its bytes are right again", async () => {
    const id = await addLab("hemograma");
    const state = async () => (await t.sql`select integrity from lab_exams where id = ${id}`)[0]?.integrity;
    const [row] = await t.sql`select key from lab_exams where id = ${id}`;
    const before = await mails();
    const restore = harm(row?.key, 12);
    for (const path of ["view", "download"]) {
      const answer = await t.call("GET", `/api/exams-lab/${id}/${path}`, { as: owner });
      expect([answer.status, (await problemOf(answer)).code]).toEqual([500, "archive.damaged"]);
    }
    await t.settle();
    expect([await state(), await mails()]).toEqual(["damaged", before + 1]);
    restore();
    const again = await t.call("GET", `/api/exams-lab/${id}/view`, { as: owner });
    expect(Buffer.from(await again.arrayBuffer())).toEqual(Buffer.from(samplePdf("hemograma")));
    expect(await state()).toBe("ok");
    harm(row?.key, "gone");
    t.deps.sums.clear();
    expect((await t.call("GET", `/api/exams-lab/${id}/view`, { as: owner })).status).toBe(500);
    expect(await state()).toBe("missing");
    expect((await t.call("DELETE", `/api/exams-lab/${id}`, { as: owner })).status).toBe(200);
    expect(await state()).toBeUndefined();
  });
});

/** All that a server sends to one GET, until it closes the connection. */
async function answerOf(port: number, path: string, { token }: Person): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const socket = connect(port, "127.0.0.1");
  const received: Buffer[] = [];
  socket.on("data", (data) => received.push(Buffer.from(data)));
  socket.on("error", () => undefined);
  socket.on("close", () => resolve(Buffer.concat(received)));
  socket.setTimeout(10_000, () => reject(new Error("the connection stays open")));
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  return await promise;
}

test("a download of a large file on a disk that is damaged near its end is refused before its first byte", async () => {
  const { studies } = await t.store(owner, large("511", ...Array.from({ length: 8 }, (_, i) => `${i + 1}`)));
  const id = studies[0]?.id ?? "";
  const [volume] = (await restingObjects(t, id)).filter(({ kind }) => kind === "volume");
  volume?.flip(volume.bytes.length - 100_000);
  const answer = await t.call("GET", `/api/studies/${id}/download`, { as: owner });
  volume?.restore();
  expect([answer.status, (await problemOf(answer)).code]).toEqual([500, "archive.damaged"]);
  expect((await listed(id))?.integrity).toBe("damaged");
});

test("a download from S3 that meets damage is cut: its body is incomplete and has no changed byte", async () => {
  await using s3 = await startFaultyS3Server();
  await using far = await createTestApp({ env: s3Environment(s3.options) });
  const person = await far.addPerson("Longe", { plan: "clinica" });
  const sops = Array.from({ length: 30 }, (_, i) => `${i + 1}`);
  const { studies } = await far.store(person, large("510", ...sops));
  const id = studies[0]?.id ?? "";
  const [row] = await far.sql`select key from stored_objects where kind = 'volume'`;
  const bytes = s3.bucket.objects.get(row?.key)?.[0]?.bytes ?? new Uint8Array();
  const sound = Buffer.from(bytes);
  const at = bytes.length - 1_000_000;
  bytes[at] = (bytes[at] ?? 0) ^ 0x55;
  await using server = serveApp(far);
  const answer = await answerOf(server.port, `/api/studies/${id}/download`, person);
  const bodyAt = answer.indexOf("\r\n\r\n") + 4;
  const head = answer.subarray(0, bodyAt).toString("latin1");
  expect(head).toStartWith("HTTP/1.1 200");
  expect(head).toMatch(/transfer-encoding: chunked\r\n/i);
  const { body, isEnded } = dechunked(answer.subarray(bodyAt));
  expect(isEnded).toBe(false);
  expect(body.length).toBeGreaterThan(1_000_000);
  expect(body.length).toBeLessThan(at);
  expect(body.equals(sound.subarray(0, body.length))).toBe(true);
  expect((await listed(id, far, person))?.integrity).toBe("damaged");
}, 240_000);

describe("an account's export", () => {
  test("leaves out and names only the files that are damaged or missing", async () => {
    const sops = Array.from({ length: 8 }, (_, i) => `${i + 1}`);
    const damagedZip = large("520", ...sops);
    const damaged = await t.store(owner, damagedZip);
    const gone = await t.store(owner, large("521", "1"));
    const behind = await t.store(owner, large("522", "1", "2"));
    const lab = await addLab("some");
    const kept = await addLab("fica");
    const ids = [damaged, gone, behind].map(({ studies }) => studies[0]?.id ?? "");
    const whole = await exported();
    const [volume] = (await restingObjects(t, ids[0] ?? "")).filter(({ kind }) => kind === "volume");
    const [goneVolume] = (await restingObjects(t, ids[1] ?? "")).filter(({ kind }) => kind === "volume");
    expect(whole["damaged.json"]).toBeUndefined();
    const [labRow] = await t.sql`select key from lab_exams where id = ${lab}`;

    volume?.flip(4 * 300_000 + 150_000);
    goneVolume?.remove();
    const restoreLab = harm(labRow?.key, "gone");
    const files = await exported();
    const report = JSON.parse(strFromU8(files["damaged.json"] ?? new Uint8Array()));
    expect(report).toMatchObject([
      { study: ids[0], studyInstanceUID: "2.25.1.520", found: "damaged", leftOutCount: 1 },
      { study: ids[1], found: "missing", leftOut: "all" },
      { laboratory: lab, found: "missing", leftOut: "all" },
    ]);
    const { [`lab/${lab}.pdf`]: _, ...labs } = whole;
    expect(files[`lab/${lab}.pdf`]).toBeUndefined();
    expect(files[`lab/${kept}.pdf`]).toEqual(labs[`lab/${kept}.pdf`]);
    const leftOut = report[0].leftOut as string[];
    const stays = Object.entries(whole).filter(
      ([name]) => name.startsWith("DICOM/") && !leftOut.includes(name) && !name.startsWith(report[1].file),
    );
    expect(hashes(imagesIn(files))).toEqual(hashes(stays.map(([, bytes]) => bytes)));
    const inDirectory = leavesOf(recordsOf(files.DICOMDIR ?? new Uint8Array())).map(({ file }) => file);
    expect(inDirectory.sort()).toEqual(
      Object.keys(files)
        .filter((name) => name.startsWith("DICOM/"))
        .sort(),
    );
    expect(files["exams.json"]).toBeDefined();
    expect(files["audit.json"]).toBeDefined();
    volume?.restore();
    goneVolume?.restore();
    restoreLab();
  });

  test("has every one of several instances under one SOP Instance UID", async () => {
    const one = sampleInstance({
      study: "530",
      elements: { [TagHex.PixelData]: { vr: "OW", bytes: noise(64, 1) } },
    });
    const two = sampleInstance({
      study: "530",
      elements: { [TagHex.PixelData]: { vr: "OW", bytes: noise(64, 2) } },
    });
    const answer = await t.store(owner, zipSync({ "a/1": one, "b/1": two }));
    expect(answer.conflictCount).toBe(1);
    const images = hashes(imagesIn(await exported()));
    for (const hash of hashes([one, two])) expect(images).toContain(hash);
  });
});

test("a damaged local copy of an object in S3 is dropped: the store's bytes are served, and the study stays unmarked", async () => {
  await using s3 = await startFaultyS3Server();
  await using far = await createTestApp({ env: s3Environment(s3.options) });
  const person = await far.addPerson("Longe", { plan: "clinica" });
  const { studies } = await far.store(person, packed(sampleKinds()));
  const id = studies[0]?.id ?? "";
  const [row] = await far.sql`select key from stored_objects where kind = 'volume'`;
  const sent = s3.bucket.objects.get(row?.key)?.[0]?.bytes;
  expect(await far.deps.cache?.warm(row?.key)).toBe(true);
  const folder = join(far.deps.config.dataDir, "cache");
  const copies = () => readdirSync(folder).filter((name) => !name.startsWith("partial"));
  const [copy = ""] = copies();
  const bytes = readFileSync(join(folder, copy));
  for (let at = 100; at < bytes.length; at += 5000) bytes[at] = (bytes[at] ?? 0) ^ 0x55;
  writeFileSync(join(folder, copy), bytes);
  const download = await far.call("GET", `/api/studies/${id}/download`, { as: person });
  expect(download.status).toBe(200);
  expect(Buffer.from(await download.arrayBuffer()).equals(Buffer.from(sent ?? new Uint8Array()))).toBe(true);
  expect(copies()).toEqual([]);
  expect((await listed(id, far, person))?.integrity).toBe("unchecked");
});
