import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { decodeJwt } from "jose";
import type { Db } from "../../../src/server/db/client.ts";
import { mailResetLink } from "../../../src/server/features/accounts/passwords/reset-password.ts";
import {
  closeAbandoned,
  GrowingUpload,
} from "../../../src/server/features/ingest/resumable/growing-upload.ts";
import { DatabaseClock } from "../../../src/server/nodes/database-clock.ts";
import type { Receiver } from "../../../src/shared/api/receivers.ts";
import type { UploadAnswer } from "../../../src/shared/api/upload.ts";
import { factorsOf, totpAt } from "../../support/app/factors.ts";
import { SoftwareAuthenticator } from "../../support/app/software-authenticator.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
import { sampleInstance, sampleZip } from "../../support/zip/sample-zip.ts";

const ORIGIN = "https://exames.example.com";
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

let bucket: FaultyS3Server;
let right: TestApp;
let ahead: TestApp;
let person: Person;
let studyId = "";

beforeAll(async () => {
  bucket = await startFaultyS3Server();
  const env = { ...s3Environment(bucket.options), ACK: "store", PUBLIC_URL: ORIGIN };
  right = await createTestApp({ env, jobs: false });
  ahead = await createTestApp({
    env: { ...env, DATABASE_URL: right.deps.config.databaseUrl ?? "" },
    jobs: false,
  });
  person = await right.addPerson("Relógio Adiantado", { plan: "clinica" });
  const stored = await right.upload(person, sampleZip({ study: "1" }));
  studyId = ((await stored.json()) as UploadAnswer).studies[0]?.id ?? "";
  ahead.advance(10 * MINUTE_MS);
  const system = { now: () => new Date(Date.now() + 10 * MINUTE_MS) };
  await ahead.deps.databaseClock.follow(ahead.deps.db, system);
}, 240_000);
afterAll(async () => {
  await ahead[Symbol.asyncDispose]();
  await right[Symbol.asyncDispose]();
  await bucket[Symbol.asyncDispose]();
});

async function ticketOf(node: TestApp): Promise<string> {
  const answer = await node.call("POST", `/api/studies/${studyId}/download-ticket`, { as: person });
  return ((await answer.json()) as { url: string }).url;
}

async function exportOf(node: TestApp): Promise<string> {
  const answer = await node.call("POST", "/api/users/export-ticket", { as: person });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { url: string }).url;
}

const statusAt = async (node: TestApp, url: string) => {
  const answer = await node.call("GET", url);
  await answer.arrayBuffer();
  return answer.status;
};

test("a node whose clock is ten minutes ahead takes the tickets of others, and they take its own", async () => {
  for (const issue of [ticketOf, exportOf])
    for (const [one, other] of [
      [right, ahead],
      [ahead, right],
    ] as const)
      expect(await statusAt(other, await issue(one))).toBe(200);
});

test("a ticket of a node whose clock is ahead lasts no longer than any, on all nodes", async () => {
  const askedAt = Date.now();
  const url = await exportOf(ahead);
  const { exp = 0 } = decodeJwt(url.slice(url.lastIndexOf("/") + 1));
  expect(exp * 1000).toBeGreaterThan(askedAt + 5 * MINUTE_MS - 5_000);
  expect(exp * 1000).toBeLessThan(Date.now() + 5 * MINUTE_MS + 5_000);
  for (const node of [right, ahead]) {
    node.advance(6 * MINUTE_MS);
    expect(await statusAt(node, url)).toBe(401);
    node.advance(-6 * MINUTE_MS);
  }
});

test("a passkey answers the challenge of a node whose clock is ahead at any other, and the other way round, for five minutes", async () => {
  const key = new SoftwareAuthenticator(ORIGIN);
  await factorsOf(right).addPasskey(person, key);
  const answeredAt = async (node: TestApp, response: object) =>
    (await node.call("POST", "/api/auth/passkeys/sign-in", { json: { response } })).status;
  for (const [one, other] of [
    [right, ahead],
    [ahead, right],
  ] as const) {
    expect(await answeredAt(other, key.sign(await factorsOf(one).signInOptions()))).toBe(200);
    const late = key.sign(await factorsOf(one).signInOptions());
    other.advance(6 * MINUTE_MS);
    expect(await answeredAt(other, late)).toBe(401);
    other.advance(-6 * MINUTE_MS);
  }
});

test("a sign-in that a node began waits ten minutes for its second step at any other", async () => {
  const someone = await right.addPerson("Fator Adiantado");
  const { recoveryCodes } = await factorsOf(right).addTotp(someone);
  const { email, password } = someone;
  const secondStepAt = async (node: TestApp) => {
    const json = { email, code: recoveryCodes.pop() };
    return (await node.call("POST", "/api/auth/verify-2fa", { json })).status;
  };
  for (const [one, other] of [
    [right, ahead],
    [ahead, right],
  ] as const) {
    const begin = async () =>
      expect((await one.call("POST", "/api/auth/login", { json: { email, password } })).status).toBe(200);
    await begin();
    expect(await secondStepAt(other)).toBe(200);
    await begin();
    other.advance(11 * MINUTE_MS);
    expect(await secondStepAt(other)).toBe(401);
    other.advance(-11 * MINUTE_MS);
  }
});

test("a code of an authenticator app is right at a node whose clock is ahead, too", async () => {
  const someone = await right.addPerson("App Adiantado");
  const { email, password } = someone;
  const { secret } = await factorsOf(right).addTotp(someone);
  await right.call("POST", "/api/auth/login", { json: { email, password } });
  // The code of the next half minute, since that of this one is used.
  const code = totpAt(secret, new Date(right.deps.clock.now().getTime() + 30 * SECOND_MS));
  expect((await ahead.call("POST", "/api/auth/verify-2fa", { json: { email, code } })).status).toBe(200);
});

test("a mailed link for a new password lasts an hour, whichever node made it and whichever takes it", async () => {
  const { email } = await right.addPerson("Senha Adiantada");
  const linkOf = async ({ deps }: TestApp) => {
    await mailResetLink(deps, { email, locale: "en-US" });
    const [mail] = await right.sql`
      select data->>'sealed' as sealed from pgboss.job where name = 'mail.send' order by created_on desc limit 1`;
    const { text } = deps.mailSeal.open(mail?.sealed) as { text: string };
    return /\/reset-password\/(\S+)/.exec(text)?.[1];
  };
  for (const [one, other] of [
    [right, ahead],
    [ahead, right],
  ] as const) {
    const token = await linkOf(one);
    const takenAfter = async (minutes: number) => {
      other.advance(minutes * MINUTE_MS);
      const json = { token, password: "outra senha longa" };
      const { status } = await other.call("POST", "/api/auth/reset-password", { json });
      other.advance(-minutes * MINUTE_MS);
      return status;
    };
    expect(await takenAfter(61)).toBe(400);
    expect(await takenAfter(59)).toBe(200);
  }
});

test("what DICOM senders bring to one node is closed by no other whose clock is ahead, until it was quiet for five minutes", async () => {
  await using folder = createTempFolder();
  const bytes = sampleInstance({ study: "2" });
  const path = join(folder.path, "instance");
  await Bun.write(path, bytes);
  const file = { path, sizeBytes: bytes.length, crc32: crc32(bytes) };
  const receiver = await right.call("POST", "/api/receivers", { as: person, json: { aeTitle: "CLOCK" } });
  const { id: receiverId } = (await receiver.json()) as Receiver;
  const sender = { accountId: person.id, receiverId, callingAETitle: "CT", address: "127.0.0.1" };
  for (const [one, other] of [
    [right, ahead],
    [ahead, right],
  ] as const) {
    await using upload = await GrowingUpload.open(one.deps, sender);
    await closeAbandoned(other.deps);
    await upload.add(file);
    await closeAbandoned(other.deps);
    await upload.add(file);
    other.advance(6 * MINUTE_MS);
    await closeAbandoned(other.deps);
    other.advance(-6 * MINUTE_MS);
    await expect(upload.add(file)).rejects.toThrow("it was closed");
  }
});

test("what a DICOM sender brings is closed by no other node while a large instance takes its time to be stored", async () => {
  const receiver = await right.call("POST", "/api/receivers", { as: person, json: { aeTitle: "LARGE" } });
  const { id: receiverId } = (await receiver.json()) as Receiver;
  const sender = { accountId: person.id, receiverId, callingAETitle: "CT", address: "127.0.0.1" };
  await using upload = await GrowingUpload.open(right.deps, sender, { renewMs: 20 });
  await right.sql`update resumable_uploads set held_until = held_until - interval '10 minutes' where receiver_id = ${receiverId}`;
  const isHeld = async () =>
    (
      await right.sql`select 1 from resumable_uploads where receiver_id = ${receiverId} and held_until > now()`
    ).length > 0;
  await until(isHeld);
  await closeAbandoned(ahead.deps);
  const bytes = sampleInstance({ study: "3" });
  await using folder = createTempFolder();
  const path = join(folder.path, "instance");
  await Bun.write(path, bytes);
  await upload.add({ path, sizeBytes: bytes.length, crc32: crc32(bytes) });
});

test("a statement that waited long for its turn moves no clock that was measured before", async () => {
  let nowMs = 10 * MINUTE_MS;
  const system = { now: () => new Date(nowMs) };
  const clock = new DatabaseClock(system);
  // The database's clock is a minute behind.
  const followIn = async (waitMs: number, answerMs: number) => {
    const execute = async () => {
      nowMs += waitMs;
      const now = nowMs - MINUTE_MS;
      nowMs += answerMs;
      return [{ now }];
    };
    await clock.follow({ execute } as unknown as Db, system);
    return nowMs - MINUTE_MS - clock.now().getTime();
  };
  expect(await followIn(10, 10)).toBe(0);
  expect(await followIn(30 * SECOND_MS, 10)).toBe(0);
  expect(Math.abs(await followIn(0, SECOND_MS))).toBeLessThanOrEqual(SECOND_MS);
});

test("a slow measurement moves a clock that is surely wrong, as after a jump on a busy machine", async () => {
  let [nowMs, aheadMs] = [10 * MINUTE_MS, 0];
  const system = { now: () => new Date(nowMs) };
  const clock = new DatabaseClock(system);
  const execute = async () => {
    nowMs += 15 * SECOND_MS;
    const now = nowMs - aheadMs;
    nowMs += 15 * SECOND_MS;
    return [{ now }];
  };
  const offMsAfter = async (byMs: number) => {
    nowMs += byMs;
    aheadMs += byMs;
    await clock.follow({ execute } as unknown as Db, system);
    return Math.abs(nowMs - aheadMs - clock.now().getTime());
  };
  await clock.follow({ execute: async () => [{ now: nowMs }] } as unknown as Db, system);
  expect(await offMsAfter(60 * MINUTE_MS)).toBeLessThanOrEqual(15 * SECOND_MS);
  expect(await offMsAfter(-90 * MINUTE_MS)).toBeLessThanOrEqual(15 * SECOND_MS);
  expect(await offMsAfter(30 * MINUTE_MS)).toBeLessThanOrEqual(15 * SECOND_MS);
});

test("what is deleted for good goes by the time that the database told, however long the measurement took", async () => {
  let nowMs = Date.now();
  class Slow extends DatabaseClock {
    override follow(db: Db): Promise<number> {
      return super.follow(db, this.machine);
    }
  }
  const clock = new Slow({ now: () => new Date(nowMs) });
  const execute = async () => {
    const now = nowMs;
    // The clock jumps while the answer is under way.
    nowMs += 24 * 60 * MINUTE_MS;
    return [{ now }];
  };
  const before = nowMs;
  expect((await clock.nowForDeletion({ execute } as unknown as Db)).getTime()).toBe(before);
});
