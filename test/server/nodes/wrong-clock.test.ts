import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { removeLapsed } from "../../../src/server/features/removals/remove-lapsed.ts";
import type { CreatedLink } from "../../../src/shared/api/links.ts";
import type { UploadAnswer } from "../../../src/shared/api/upload.ts";
import { DAY_MS } from "../../../src/shared/units.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

/*
 * Two nodes on one database, of which one has a clock that is years off. What a person may see, and for how long, must
 * be the same at both.
 */
let bucket: FaultyS3Server;
let right: TestApp;
let person: Person;
let studyId = "";
let people = 0;

beforeAll(async () => {
  bucket = await startFaultyS3Server();
  right = await createTestApp({ env: { ...s3Environment(bucket.options), ACK: "store" }, jobs: false });
  person = await right.addPerson("Relógio", { plan: "clinica" });
  const stored = await right.upload(person, sampleZip({ study: "1" }));
  studyId = ((await stored.json()) as UploadAnswer).studies[0]?.id ?? "";
}, 240_000);
afterAll(async () => {
  await right[Symbol.asyncDispose]();
  await bucket[Symbol.asyncDispose]();
});

const statusOf = async (answering: Promise<Response>) => {
  const answer = await answering;
  await answer.arrayBuffer();
  return answer.status;
};
const meAt = (node: TestApp, as: Person) => statusOf(node.call("GET", "/api/auth/me", { as }));

async function signInAt(node: TestApp, { email }: Person, password: string): Promise<Response> {
  return await node.call("POST", "/api/auth/login", { json: { email, password } });
}

async function makeLink(node: TestApp, expiresAt: Date): Promise<{ link: string; secret: string }> {
  const json = { studyIds: [studyId], expiresAt: expiresAt.toISOString() };
  const answer = await node.call("POST", "/api/links", { as: person, json });
  expect(answer.status).toBe(201);
  const { id, url } = (await answer.json()) as CreatedLink;
  return { link: id, secret: new URL(url).hash.slice(1) };
}

describe.each([
  ["ahead", 400 * DAY_MS],
  ["behind", -400 * DAY_MS],
])("a node whose clock is far %s", (_name, offMs) => {
  let wrong: TestApp;
  beforeAll(async () => {
    const databaseUrl = right.deps.config.databaseUrl ?? "";
    const env = { ...s3Environment(bucket.options), ACK: "store", DATABASE_URL: databaseUrl };
    wrong = await createTestApp({ env, jobs: false });
    wrong.advance(offMs);
    const { db, databaseClock } = wrong.deps;
    const follow = databaseClock.follow.bind(databaseClock);
    databaseClock.follow = (asked) => follow(asked, { now: () => new Date(Date.now() + offMs) });
    await databaseClock.follow(db);
  }, 240_000);
  afterAll(() => wrong[Symbol.asyncDispose]());

  test("takes the sessions of the others, they take its own, and both end at their time", async () => {
    const someone = await right.addPerson(`Sessão ${++people}`);
    for (const [one, other] of [
      [right, wrong],
      [wrong, right],
    ] as const) {
      const { token } = (await (await signInAt(one, someone, someone.password)).json()) as { token: string };
      const session = { ...someone, token };
      expect(await meAt(other, session)).toBe(200);
      expect(await meAt(one, session)).toBe(200);
      other.advance(13 * 3600_000);
      expect(await meAt(other, session)).toBe(401);
      other.advance(-13 * 3600_000);
    }
  });

  test("opens a link as long as the others do", async () => {
    for (const [one, other] of [
      [right, wrong],
      [wrong, right],
    ] as const) {
      const visit = await makeLink(one, new Date(Date.now() + DAY_MS));
      expect(await statusOf(other.call("POST", "/api/visits", { json: visit }))).toBe(200);
      other.advance(2 * DAY_MS);
      expect(await statusOf(other.call("POST", "/api/visits", { json: visit }))).toBe(404);
      other.advance(-2 * DAY_MS);
    }
  });

  test("lets a subscription begin and end as the others do", async () => {
    const someone = await right.addPerson(`Plano ${++people}`);
    const list = async (days: number) => {
      await right.sql`update subscriptions set expires_at = now() + ${days} * interval '1 day'
        where user_id = ${someone.id}`;
      return await statusOf(wrong.call("GET", "/api/studies?limit=1", { as: someone }));
    };
    expect(await list(1)).toBe(200);
    expect(await list(-1)).toBe(403);
  });

  test("removes no exams of a subscription that ended lately", async () => {
    await right.sql`update subscriptions set expires_at = now() - interval '1 day' where user_id = ${person.id}`;
    await removeLapsed(wrong.deps);
    await right.sql`update subscriptions set expires_at = null where user_id = ${person.id}`;
    expect(await right.sql`select 1 from subscription_notices where user_id = ${person.id}`).toHaveLength(0);
    expect(await right.sql`select 1 from removals where user_id = ${person.id}`).toHaveLength(0);
  });

  test("makes whoever mistyped a password wait no longer than the others do", async () => {
    const someone = await right.addPerson(`Senha ${++people}`);
    for (let times = 0; times < 15; times++) await signInAt(wrong, someone, "errada demais");
    expect((await signInAt(right, someone, someone.password)).status).toBe(429);
    right.advance(16 * 60_000);
    expect((await signInAt(right, someone, someone.password)).status).toBe(200);
    right.advance(-16 * 60_000);
  });

  test("tells browsers the time of the others, by which they choose when a link ends", async () => {
    const { headers } = await wrong.call("GET", "/api/auth/me", { as: person });
    expect(Math.abs(Date.parse(headers.get("date") ?? "") - Date.now())).toBeLessThan(60_000);
  });

  test("says when an exam came by the time of the others", async () => {
    const stored = await wrong.upload(person, sampleZip({ study: String(++people + 10) }));
    const { studies } = (await stored.json()) as UploadAnswer;
    const [row] = await right.sql`select abs(extract(epoch from now() - created_at))::float8 as seconds
      from studies where id = ${studies[0]?.id ?? ""}`;
    expect(row?.seconds).toBeLessThan(60);
  });
});

test("whoever mistyped a password while the clock of all was ahead waits no longer for it once it is set back", async () => {
  const someone = await right.addPerson(`Senha ${++people}`);
  right.advance(3 * DAY_MS);
  for (let times = 0; times < 15; times++) await signInAt(right, someone, "errada demais");
  expect((await signInAt(right, someone, someone.password)).status).toBe(429);
  right.advance(-3 * DAY_MS);
  expect((await signInAt(right, someone, someone.password)).status).toBe(200);
});
