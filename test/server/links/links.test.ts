import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { leasesEnded } from "../../../src/server/db/leased-statement.ts";
import { describeAccount } from "../../../src/server/features/export/describe-account.ts";
import { forgetOldLinks } from "../../../src/server/features/links/links.jobs.ts";
import { countLiveLinks } from "../../../src/server/features/links/links.repo.ts";
import type { CreatedLink, Link, NewLink, Opening, Visit } from "../../../src/shared/api/links.ts";
import type { NotificationList } from "../../../src/shared/api/notifications.ts";
import { DAY_MS } from "../../../src/shared/units.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { until, untilLockWaits } from "../../support/until.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const FRAME = (study: string) =>
  `/studies/${studyUID(study)}/series/2.25.2.${study}.1/instances/2.25.3.${study}.1.1/frames/1`;
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1";

let t: TestApp;
let owner: Person;
let other: Person;
let admin: Person;
let doctor: Person;
let first: string;
let second: string;
let foreign: string;

beforeAll(async () => {
  t = await createTestApp({ env: { TRUST_PROXY: "127.0.0.1" } });
  owner = await t.addPerson("Marina Souza Gonçalves");
  other = await t.addPerson("Outra Pessoa");
  admin = await t.addPerson("Administradora", { role: "admin" });
  doctor = await t.addPerson("Doutora", { role: "doctor", plan: null });
  first = (await t.store(owner, sampleZip({ study: "1" }))).studies[0]?.id ?? "";
  second = (await t.store(owner, sampleZip({ study: "2" }))).studies[0]?.id ?? "";
  foreign = (await t.store(other, sampleZip({ study: "3" }))).studies[0]?.id ?? "";
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());
beforeEach(async () => {
  await t.sql`delete from throttles`;
  await t.sql`delete from share_links`;
  await t.sql`update subscriptions set downloads = 0, status = 'active', expires_at = null`;
});

async function makeLink(as: Person, link: Partial<NewLink> = {}): Promise<CreatedLink & { secret: string }> {
  const answer = await t.call("POST", "/api/links", { as, json: { studyIds: [first], ...link } });
  expect(answer.status).toBe(201);
  const made = (await answer.json()) as CreatedLink;
  return { ...made, secret: new URL(made.url).hash.slice(1) };
}

/** `from` is the address of the visitor. */
async function visit(body: object, from = "192.0.2.1", headers: Record<string, string> = {}) {
  return await t.call("POST", "/api/visits", {
    json: body,
    headers: { "x-forwarded-for": from, "user-agent": IPHONE, ...headers },
  });
}

async function openLink(link: { id: string; secret: string; passcode?: string }): Promise<Visit> {
  const answer = await visit({ link: link.id, secret: link.secret, passcode: link.passcode });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Visit;
}

const mailsTo = async (email: string) =>
  (await readOutbox(t.deps.config.dataDir)).filter(({ to }) => to === email);

async function attachReport(studyId: string): Promise<void> {
  const form = await formBody({ studyInstanceUID: studyId }, { name: "laudo", bytes: samplePdf() });
  expect((await t.call("POST", "/api/studies/laudo/upload", { as: owner, ...form })).status).toBe(201);
}

const statusOf = async (path: string, as?: Person) => (await t.call("GET", path, { as })).status;
const linksOf = async (as: Person, query = "") =>
  (await (await t.call("GET", `/api/links${query}`, { as })).json()) as Link[];

async function downloadsOf({ id }: Person): Promise<number> {
  const [row] = await t.sql<{ count: number }[]>`
    select downloads as count from subscriptions where user_id = ${id}`;
  return row?.count ?? 0;
}

async function wrongPasscodes(link: { id: string; secret: string }, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++)
    statuses.push((await visit({ link: link.id, secret: link.secret, passcode: "no" })).status);
  return statuses;
}

describe("a link", () => {
  test("is made by the owner of its studies, ends after 7 days, and carries its secret behind the #", async () => {
    const made = await makeLink(owner, { studyIds: [first, second, first] });
    expect(made.url).toBe(`${t.deps.config.publicUrl}/v/${made.id}#${made.secret}`);
    expect(Buffer.from(made.secret, "base64url").length).toBeGreaterThanOrEqual(16);
    expect(made.passcode).toBeUndefined();
    const days = (new Date(made.expiresAt).getTime() - t.deps.clock.now().getTime()) / DAY_MS;
    expect(days).toBeCloseTo(7, 2);
    expect(await linksOf(owner, `?study=${second}`)).toMatchObject([
      { id: made.id, studyIds: [first, second], state: "active", laudo: true, download: false, openings: 0 },
    ]);
  });

  test("of somebody else's study is a 404, and of a granted one a 403", async () => {
    const make = (as: Person, studyIds: string[]) => t.call("POST", "/api/links", { as, json: { studyIds } });
    expect((await make(owner, [foreign])).status).toBe(404);
    expect((await make(owner, [first, foreign])).status).toBe(404);
    await t.call("POST", `/api/studies/${foreign}/assign`, { as: other, json: { userId: owner.id } });
    expect((await problemOf(await make(owner, [foreign]))).code).toBe("study.not_owner");
    expect(await statusOf(`/api/links?study=${foreign}`, owner)).toBe(403);
    expect((await make(admin, [foreign])).status).toBe(201);
    expect((await problemOf(await make(admin, [first, foreign]))).code).toBe("link.one_owner");
  });

  test("needs a session, an active subscription, studies and an end within a year", async () => {
    const make = (as: Person | undefined, json: object) => t.call("POST", "/api/links", { as, json });
    expect((await make(undefined, { studyIds: [first] })).status).toBe(401);
    expect((await make(doctor, { studyIds: [first] })).status).toBe(403);
    const at = (days: number) => new Date(t.deps.clock.now().getTime() + days * DAY_MS).toISOString();
    for (const wrong of [
      {},
      { studyIds: [] },
      { studyIds: [first], expiresAt: at(-1) },
      { studyIds: [first], expiresAt: at(366) },
      { studyIds: [first], expiresAt: "tomorrow" },
      { studyIds: [first], maxOpenings: 0 },
      { studyIds: [first], recipient: "x".repeat(201) },
      { studyIds: Array(51).fill(first) },
    ])
      expect([wrong, (await make(owner, wrong)).status]).toEqual([wrong, 400]);
    expect((await make(owner, { studyIds: [first], expiresAt: at(364) })).status).toBe(201);
  });

  test("is kept as hashes only: neither its secret nor its passcode is in the database", async () => {
    const { secret, passcode = "" } = await makeLink(owner, { passcode: true });
    expect(passcode).toMatch(/^\d{6}$/);
    const rows = await t.sql`select to_jsonb(l)::text as text from share_links l`;
    const audit =
      await t.sql`select to_jsonb(a)::text as text from audit_events a where action like 'link.%'`;
    const texts = [...rows, ...audit].map((row) => String(row.text)).join("\n");
    expect(texts).toContain("$argon2id$");
    expect(texts).not.toContain(secret);
    expect(texts).not.toContain(passcode);
  });

  test("is seen and ended by its owner and admins, and by nobody else", async () => {
    const { id } = await makeLink(owner);
    for (const [method, path] of [
      ["GET", `/api/links/${id}/openings`],
      ["DELETE", `/api/links/${id}`],
    ] as const) {
      expect((await t.call(method, path)).status).toBe(401);
      for (const who of [other, doctor]) expect((await t.call(method, path, { as: who })).status).toBe(404);
    }
    expect(await linksOf(other)).toEqual([]);
    expect(await statusOf(`/api/links?study=${first}`, other)).toBe(404);
    expect(await statusOf("/api/links/nonsense/openings", owner)).toBe(404);
    expect(await linksOf(admin, `?study=${first}`)).toMatchObject([{ id }]);
    expect((await t.call("DELETE", `/api/links/${id}`, { as: admin })).status).toBe(204);
    expect((await t.call("DELETE", `/api/links/${id}`, { as: owner })).status).toBe(204);
    expect(await linksOf(owner)).toMatchObject([{ id, state: "ended" }]);
  });

  test("is one of at most 1,000 that an account can have at once", async () => {
    await t.sql`insert into share_links (id, account_id, secret_hash, laudo, download, created_at, expires_at)
      select gen_random_uuid(), ${owner.id}, 'x' || n, true, false, now(), now() + interval '1 day'
      from generate_series(1, 1000) n`;
    await t.sql`insert into share_link_studies (link_id, study_id, place)
      select id, ${first}, 0 from share_links where account_id = ${owner.id} on conflict do nothing`;
    const refused = await t.call("POST", "/api/links", { as: owner, json: { studyIds: [first] } });
    expect((await problemOf(refused)).code).toBe("link.too_many");
    expect(await linksOf(owner)).toHaveLength(1000);
    await t.sql`update share_links set ended_at = now() where secret_hash = 'x1'`;
    await makeLink(owner);
  });

  test("that is over gives way to newer ones beyond 2,000 of its account; one that is not over stays", async () => {
    const [oldest, foreignOne] = [await makeLink(owner), await makeLink(other, { studyIds: [foreign] })];
    await t.call("DELETE", `/api/links/${foreignOne.id}`, { as: other });
    await t.sql`insert into share_links (id, account_id, secret_hash, laudo, download, created_at, expires_at)
      select ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${owner.id}, 'x' || n, true, false,
        now(), now() - interval '1 day'
      from generate_series(1, 2003) n`;
    const made = await makeLink(owner);
    const over = await t.sql<{ hash: string }[]>`
      select secret_hash as hash from share_links where account_id = ${owner.id} and expires_at < now()`;
    const hashes = over.map(({ hash }) => hash);
    expect([hashes.length, hashes.includes("x3"), hashes.includes("x4")]).toEqual([2000, false, true]);
    const left =
      await t.sql`select 1 from share_links where id in (${oldest.id}, ${foreignOne.id}, ${made.id})`;
    expect(left).toHaveLength(3);
    // The owner can end only what they see.
    const listed = (await linksOf(owner)).map(({ id }) => id);
    expect(listed).toEqual([...listed].sort().reverse());
    expect(listed).toEqual(expect.arrayContaining([oldest.id, made.id]));
  });

  test("is forgotten 90 days after it ended", async () => {
    const [ended, running] = [await makeLink(owner), await makeLink(owner, { recipient: "still there" })];
    await t.call("DELETE", `/api/links/${ended.id}`, { as: owner });
    await t.sql`update share_links set ended_at = ended_at - interval '91 days' where id = ${ended.id}`;
    await forgetOldLinks(t.deps);
    expect((await linksOf(owner)).map(({ id }) => id)).toEqual([running.id]);
  });
});

describe("a visit", () => {
  test("shows the link's studies to somebody without an account, and nothing else", async () => {
    const link = await makeLink(owner, { studyIds: [second, first], recipient: "Dr. Paulo" });
    const opened = await openLink(link);
    expect(opened).toMatchObject({
      owner: "Marina Souza Gonçalves",
      recipient: "Dr. Paulo",
      laudo: true,
      download: false,
      expiresAt: link.expiresAt,
      studies: [{ id: second }, { id: first, studyInstanceUID: studyUID("1"), laudo: false }],
    });
    const viewer = `/dicomweb/t/${opened.token}`;
    expect(await statusOf(`${viewer}/studies`)).toBe(200);
    for (const path of [FRAME("1"), FRAME("2"), `/studies/${studyUID("1")}/metadata`])
      expect([path, await statusOf(viewer + path)]).toEqual([path, 200]);
    for (const path of [FRAME("3"), `/studies/${studyUID("3")}/metadata`])
      expect([path, await statusOf(viewer + path)]).toEqual([path, 404]);
    expect(await statusOf(`${viewer}/studies/${studyUID("1")}`)).toBe(403);
    for (const part of ["laudo", "first-image/metadata", "first-image/frame"])
      expect([part, await statusOf(`/api/visits/${opened.token}/studies/${foreign}/${part}`)]).toEqual([
        part,
        404,
      ]);
    expect(await statusOf("/api/studies", { ...owner, token: opened.token })).toBe(401);
    const again = await t.call("GET", `/api/visits/${opened.token}`);
    expect(await again.json()).toEqual(opened);
    expect(await linksOf(owner)).toMatchObject([{ openings: 1 }]);
  });

  test("of one of many links keeps nobody else from searching", async () => {
    const { token } = await openLink(await makeLink(owner));
    const search = `/dicomweb/t/${token}/studies/${studyUID("1")}/instances?includefield=all`;
    const { promise, resolve } = Promise.withResolvers<void>();
    let givenUp = 0;
    const held = Array.from({ length: 32 }, (_, n) =>
      t.deps.searchTurns
        .run({ callerId: `link ${n >> 3}`, accountId: owner.id }, () => promise)
        .catch(() => {
          givenUp++;
        }),
    );
    const mine = statusOf(search);
    const others = t.call("GET", `/dicomweb/studies/${studyUID("3")}/instances`, { as: other });
    await until(() => givenUp === 1);
    resolve();
    await Promise.all(held);
    expect([await mine, (await others).status]).toEqual([200, 200]);
  });

  test("reaches no other study of the link's owner, by any way to its images, its report or its files", async () => {
    const { token } = await openLink(await makeLink(owner, { download: true }));
    const viewer = `/dicomweb/t/${token}`;
    const series = FRAME("2").split("/instances/", 1)[0];
    const study = `/studies/${studyUID("2")}`;
    const ways = ["/series", "/instances", "/metadata", "/rendered", "/thumbnail"].map((way) => study + way);
    for (const path of [FRAME("2"), `${series}/metadata`, `${series}/instances`, ...ways])
      expect([path, await statusOf(viewer + path)]).toEqual([path, 404]);
    const all = await t.call("GET", `${viewer}/studies`);
    expect(await all.json()).toHaveLength(1);
    for (const part of ["laudo", "first-image/metadata", "first-image/frame", "download"])
      expect([part, await statusOf(`/api/visits/${token}/studies/${second}/${part}`)]).toEqual([part, 404]);
  });

  test("opens again for the browser whose answer was lost, for ten minutes, and for nobody else", async () => {
    const attempt = "a".repeat(48);
    const link = await makeLink(owner, { maxOpenings: 1 });
    const { id, secret } = link;
    const again = (more: object) => visit({ link: id, secret, ...more });
    const answers = await Promise.all([again({ attempt }), again({ attempt }), again({ attempt })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const lost = await again({ attempt });
    expect(lost.status).toBe(200);
    const { token } = (await lost.json()) as Visit;
    expect(await statusOf(`/api/visits/${token}`)).toBe(200);
    expect(await linksOf(owner)).toMatchObject([{ openings: 1 }]);
    const openings = await t.call("GET", `/api/links/${id}/openings`, { as: owner });
    expect(await openings.json()).toHaveLength(1);
    for (const stranger of [{}, { attempt: "b".repeat(48) }])
      expect((await again(stranger)).status).toBe(404);
    expect((await visit({ link: id, secret: "guessed", attempt })).status).toBe(404);
    expect((await again({ attempt: "short" })).status).toBe(400);
    const another = await makeLink(owner, { maxOpenings: 1 });
    await openLink(another);
    expect((await visit({ link: another.id, secret: another.secret, attempt })).status).toBe(404);
    await t.sql`update share_link_visits set at = at - interval '11 minutes'`;
    expect((await again({ attempt })).status).toBe(404);
  });

  test("counts a lost race for its last opening as a failed visit, like any visit to a link that is used up", async () => {
    const link = await makeLink(owner, { maxOpenings: 1 });
    const lost = await t.sql.begin(async (tx) => {
      await tx`select from share_links where id = ${link.id} for update`;
      const racing = visit({ link: link.id, secret: link.secret });
      await untilLockWaits(t.sql);
      await tx`update share_links set openings = 1 where id = ${link.id}`;
      return { racing };
    });
    expect((await lost.racing).status).toBe(404);
    const failures = () => t.sql`select failures from throttles where name = 'visit:address'`;
    expect(await failures()).toMatchObject([{ failures: 1 }]);
    await openLink(await makeLink(owner));
    expect(await failures()).toMatchObject([{ failures: 1 }]);
  });

  test("opens again with its passcode alone, and not once it ended", async () => {
    const attempt = "c".repeat(48);
    const { id, secret, passcode } = await makeLink(owner, { maxOpenings: 1, passcode: true });
    const again = async (more: object) => (await visit({ link: id, secret, attempt, ...more })).status;
    expect(await again({})).toBe(403);
    expect(await again({ passcode })).toBe(200);
    expect(await again({})).toBe(403);
    expect(await again({ passcode: passcode === "000000" ? "000001" : "000000" })).toBe(403);
    expect(await again({ passcode })).toBe(200);
    await t.call("DELETE", `/api/links/${id}`, { as: owner });
    expect(await again({ passcode })).toBe(404);
  });

  test("tells nothing of a link that does not open: unknown, ended, expired, used up, emptied or guessed", async () => {
    const [ended, expired, used, living, blocked] = [
      await makeLink(owner),
      await makeLink(owner),
      await makeLink(owner, { maxOpenings: 1 }),
      await makeLink(owner),
      await makeLink(owner, { passcode: true }),
    ];
    await t.call("DELETE", `/api/links/${ended.id}`, { as: owner });
    await t.sql`update share_links set expires_at = now() - interval '1 second' where id = ${expired.id}`;
    await openLink(used);
    expect(await wrongPasscodes(blocked, 10)).toEqual(Array(10).fill(403));
    const guesses = [
      { link: "01890000-0000-7000-8000-000000000000", secret: living.secret },
      { link: "nonsense", secret: "" },
      { link: living.id, secret: "guessed" },
      { link: ended.id, secret: ended.secret },
      { link: expired.id, secret: expired.secret },
      { link: used.id, secret: used.secret },
      { link: blocked.id, secret: blocked.secret, passcode: blocked.passcode },
      { link: ended.id, secret: living.secret, passcode: "123456" },
    ];
    const answers = new Set<string>();
    for (const guess of guesses) {
      const answer = await visit(guess);
      const { requestId: _, ...problem } = await problemOf(answer);
      const headers = [...answer.headers].filter(([name]) => !/request-id|security-policy|^date$/.test(name));
      answers.add(JSON.stringify([answer.status, problem, headers]));
    }
    expect([...answers].length).toBe(1);
    expect([...answers][0]).toContain('[404,{"type":"about:blank"');
    expect((await visit({ link: living.id })).status).toBe(400);
  });

  test("ends at the next frame with the link, its time, the owner's subscription and their authorisation", async () => {
    const link = await makeLink(owner);
    const { token } = await openLink(link);
    const paths = [
      `/dicomweb/t/${token}${FRAME("1")}`,
      `/dicomweb/t/${token}/studies`,
      `/api/visits/${token}`,
      `/api/visits/${token}/studies/${first}/first-image/metadata`,
      `/api/visits/${token}/studies/${first}/first-image/frame`,
    ];
    const statuses = () => Promise.all(paths.map((path) => statusOf(path)));
    const open = paths.map(() => 200);
    const over = paths.map(() => 401);
    expect(await statuses()).toEqual(open);
    const changed = async (change: Promise<unknown>) => {
      await change;
      await leasesEnded();
      return await statuses();
    };
    expect(
      await changed(t.sql`update subscriptions set expires_at = now() - interval '1 second'
        where user_id = ${owner.id}`),
    ).toEqual(over);
    expect((await visit({ link: link.id, secret: link.secret })).status).toBe(404);
    await t.sql`update subscriptions set expires_at = null`;
    expect(await changed(t.sql`update users set is_authorized = false where id = ${owner.id}`)).toEqual(over);
    expect(await changed(t.sql`update users set is_authorized = true where id = ${owner.id}`)).toEqual(open);
    expect(await changed(t.sql`update share_links set expires_at = now() - interval '1 second'`)).toEqual(
      over,
    );
    await t.sql`update share_links set expires_at = now() + interval '1 day'`;
    await leasesEnded();
    await using another = await t.startAgain();
    expect((await another.app.request(paths[0] ?? "")).status).toBe(200);
    await t.call("DELETE", `/api/links/${link.id}`, { as: owner });
    expect((await another.app.request(paths[0] ?? "")).status).toBe(401);
    expect(await statuses()).toEqual(over);
  });

  test("asks for the passcode, and the tenth wrong one ends the link and tells the owner", async () => {
    const link = await makeLink(owner, { passcode: true, recipient: "Dr. Paulo" });
    const asked = await visit({ link: link.id, secret: link.secret });
    expect(asked.status).toBe(403);
    expect(await asked.json()).toMatchObject({ code: "link.passcode", owner: "Marina G.", triesLeft: 10 });
    expect(await wrongPasscodes(link, 9)).toEqual(Array(9).fill(403));
    // Spaces are how people write it down.
    await openLink({ ...link, passcode: ` ${link.passcode?.slice(0, 3)} ${link.passcode?.slice(3)}` });
    expect(await linksOf(owner)).toMatchObject([{ state: "active", wrongPasscodes: 9, openings: 1 }]);
    const last = await visit({ link: link.id, secret: link.secret, passcode: "000000" });
    expect(await last.json()).toMatchObject({ code: "link.passcode", triesLeft: 0 });
    expect((await visit({ link: link.id, secret: link.secret, passcode: link.passcode })).status).toBe(404);
    expect(await linksOf(owner)).toMatchObject([{ state: "blocked" }]);
    await t.settle();
    const mails = await mailsTo(owner.email);
    expect(
      mails.filter(({ text }) => text.includes("Dr. Paulo") && text.includes("ten wrong passcodes")),
    ).toHaveLength(1);
    const told = await (await t.call("GET", "/api/notifications", { as: owner })).json();
    expect(told).toMatchObject({
      notifications: expect.arrayContaining([
        expect.objectContaining({ event: "link.blocked", details: { from: "Dr. Paulo" } }),
      ]),
    });
  });

  test("ends, and its owner is told, though the server is lost between the tenth wrong passcode and that", async () => {
    const link = await makeLink(owner, { passcode: true, recipient: "Dr. Perdido" });
    const open = await makeLink(owner, { passcode: true });
    await wrongPasscodes(link, 9);
    await wrongPasscodes(open, 9);
    await t.sql.unsafe(`create function lose_server() returns trigger language plpgsql
      as $$ begin raise exception 'the server is lost'; end $$`);
    await t.sql.unsafe(`create trigger lost before update of ended_at on share_links
      for each row when (new.is_blocked) execute function lose_server()`);
    expect(await wrongPasscodes(link, 1)).toEqual([500]);
    await t.sql.unsafe("drop function lose_server cascade");
    // The right one at the last try, which is looked at again like every last one.
    await openLink(open);
    await t.sql`update pgboss.job set start_after = now() where name = 'links.last-try'`;
    await t.settle();

    const states = new Map((await linksOf(owner)).map(({ id, state }) => [id, state]));
    expect([states.get(link.id), states.get(open.id)]).toEqual(["blocked", "active"]);
    const mails = await mailsTo(owner.email);
    expect(mails.filter(({ text }) => text.includes("Dr. Perdido"))).toHaveLength(1);
  });

  test("counts wrong passcodes that arrive at once", async () => {
    const link = await makeLink(owner, { passcode: true });
    const guess = () => visit({ link: link.id, secret: link.secret, passcode: "no" });
    const statuses = (await Promise.all(Array.from({ length: 16 }, guess))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(10);
    expect(statuses.filter((status) => status === 404)).toHaveLength(6);
  });

  test("opens by the right passcode among nine wrong ones that arrive at once", async () => {
    const link = await makeLink(owner, { passcode: true });
    const guesses = Array.from({ length: 10 }, (_, place) => (place === 5 ? link.passcode : "no"));
    const answers = await Promise.all(
      guesses.map((passcode) => visit({ link: link.id, secret: link.secret, passcode })),
    );
    expect(answers.map(({ status }) => status)).toEqual(guesses.map((_, place) => (place === 5 ? 200 : 403)));
    expect(await linksOf(owner)).toMatchObject([{ state: "active", wrongPasscodes: 9, openings: 1 }]);
    expect(await wrongPasscodes(link, 2)).toEqual([403, 404]);
  });

  test("counts openings that arrive at once", async () => {
    const link = await makeLink(owner, { maxOpenings: 3 });
    const open = () => visit({ link: link.id, secret: link.secret });
    const statuses = (await Promise.all(Array.from({ length: 12 }, open))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 404)).toHaveLength(9);
    expect(await linksOf(owner)).toMatchObject([{ state: "used", openings: 3 }]);
  });

  test("is opened by one address 200 times an hour, each of which is in the audit of all its studies", async () => {
    const link = await makeLink(owner, { studyIds: [first, second] });
    const open = (from: string) => visit({ link: link.id, secret: link.secret }, from);
    expect((await open("198.51.100.9")).status).toBe(200);
    await t.sql`update throttles set failures = 199 where name = 'visit:opened'`;
    const opened = async () =>
      (await t.sql`select count(*)::int as rows from audit_events where action = 'link.opened'`)[0]?.rows;
    const before = await opened();
    expect([(await open("198.51.100.9")).status, (await open("198.51.100.9")).status]).toEqual([200, 429]);
    expect(await opened()).toBe(before + 2);
    // Nobody guessed, so that nobody behind the address waits before other links.
    for (let times = 0; times < 3; times++) expect((await open("198.51.100.9")).status).toBe(429);
    const failures =
      await t.sql`select failures from throttles where name = 'visit:address' and failures > 0`;
    expect(failures).toBeEmpty();
    expect((await open("198.51.100.10")).status).toBe(200);
    // And nothing is compared for them, which would take the server's time and the link's tries.
    const kept = await makeLink(owner, { passcode: true });
    const give = (passcode = "") => visit({ link: kept.id, secret: kept.secret, passcode }, "198.51.100.9");
    expect((await give(kept.passcode)).status).toBe(200);
    await t.sql`update throttles set failures = 200 where name = 'visit:opened'`;
    for (const passcode of [kept.passcode, "000000", "000000"])
      expect((await give(passcode)).status).toBe(429);
    const tries = await t.sql`select wrong_passcodes as wrong from share_links where id = ${kept.id}`;
    expect(tries[0]?.wrong).toBe(0);
    expect(
      await t.sql`select failures from throttles where name = 'visit:address' and failures > 0`,
    ).toBeEmpty();
    t.advance(3600_000);
    expect((await open("198.51.100.9")).status).toBe(200);
  });

  test("waits after 100 failures of one address within 15 minutes, an address being an IPv4 or an IPv6 /64", async () => {
    const link = await makeLink(owner);
    const guess = (from: string) => visit({ link: link.id, secret: "guessed" }, from);
    const guesses = Array.from({ length: 100 }, (_, n) => guess(`2001:db8::${n.toString(16)}`));
    for (const { status } of await Promise.all(guesses)) expect(status).toBe(404);
    const refused = await visit({ link: link.id, secret: link.secret }, "2001:db8::ffff");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await visit({ link: link.id, secret: link.secret }, "2001:db8:0:1::1")).status).toBe(200);
    t.advance(15 * 60_000);
    expect((await visit({ link: link.id, secret: link.secret }, "2001:db8::ffff")).status).toBe(200);
  });

  test("that succeeds or only asks for the passcode is no failure", async () => {
    const [open, locked] = [await makeLink(owner), await makeLink(owner, { passcode: true })];
    expect((await visit({ link: open.id, secret: open.secret })).status).toBe(200);
    expect((await visit({ link: locked.id, secret: locked.secret })).status).toBe(403);
    expect((await visit({ link: locked.id, secret: locked.secret, passcode: locked.passcode })).status).toBe(
      200,
    );
    expect(await t.sql`select failures from throttles where name = 'visit:address'`).toMatchObject([
      { failures: 0 },
    ]);
  });

  test("is shown to the owner with time, address and device, and mailed at most once an hour if they want", async () => {
    const link = await makeLink(owner, { recipient: "Minha irmã" });
    // Mails of the tests before may still be under way.
    await t.settle();
    const before = (await mailsTo(owner.email)).length;
    await openLink(link);
    await visit({ link: link.id, secret: link.secret }, "198.51.100.7", { "user-agent": "" });
    await t.settle();
    expect((await mailsTo(owner.email)).length).toBe(before + 1);
    expect((await mailsTo(owner.email)).at(-1)?.text).toContain("Minha irmã");
    t.advance(3600_000);
    await openLink(link);
    await t.settle();
    expect((await mailsTo(owner.email)).length).toBe(before + 2);
    const told = (await (
      await t.call("GET", "/api/notifications", { as: owner })
    ).json()) as NotificationList;
    expect(told.notifications[0]).toMatchObject({ event: "link.opened", details: { from: "Minha irmã" } });
    const openings = (await (
      await t.call("GET", `/api/links/${link.id}/openings`, { as: owner })
    ).json()) as Opening[];
    expect(openings).toMatchObject([
      { address: "192.0.2.1", device: "iPhone, Safari" },
      { address: "198.51.100.7", device: null },
      { address: "192.0.2.1", device: "iPhone, Safari", readReport: false, downloaded: false },
    ]);
    const entries = await (await t.call("GET", `/api/studies/${first}/audit`, { as: owner })).json();
    const visitor = { action: "link.opened", actorName: null, linkId: link.id };
    expect((entries as unknown[]).slice(0, 4)).toMatchObject([
      { ...visitor, address: "192.0.2.1", device: "iPhone, Safari" },
      { ...visitor, address: "198.51.100.7", device: null },
      visitor,
      { action: "link.created", actorName: "Marina Souza Gonçalves", linkId: link.id },
    ]);
    const choice = { event: "link.opened", wanted: false };
    await t.call("PATCH", "/api/notifications/mails", { as: owner, json: choice });
    t.advance(3600_000);
    await openLink(link);
    await t.settle();
    expect((await mailsTo(owner.email)).length).toBe(before + 2);
    await t.call("PATCH", "/api/notifications/mails", { as: owner, json: { ...choice, wanted: true } });
  });

  test("is kept among the newest 500 of its link, whatever other links have", async () => {
    const [link, quiet] = [await makeLink(owner), await makeLink(owner)];
    await openLink(quiet);
    await t.sql`insert into share_link_visits (id, link_id, at, address)
      select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${link.id}, now(), 'n' || n
      from generate_series(1, 500) n`;
    await openLink(link);
    const kept = await t.sql<{ id: string; address: string }[]>`
      select link_id as id, address from share_link_visits`;
    const addresses = kept.filter(({ id }) => id === link.id).map(({ address }) => address);
    expect([addresses.length, addresses.includes("n1"), addresses.includes("n2")]).toEqual([
      500,
      false,
      true,
    ]);
    expect(kept.filter(({ id }) => id === quiet.id)).toHaveLength(1);
  });

  test("reads the report where the link shows it", async () => {
    await attachReport(first);
    const [shown, hidden] = [
      await openLink(await makeLink(owner)),
      await openLink(await makeLink(owner, { laudo: false })),
    ];
    expect(shown.studies).toMatchObject([{ laudo: true }]);
    expect(hidden.studies).toMatchObject([{ laudo: false }]);
    const answer = await t.call("GET", `/api/visits/${shown.token}/studies/${first}/laudo`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    const refused = await t.call("GET", `/api/visits/${hidden.token}/studies/${first}/laudo`);
    expect((await problemOf(refused)).code).toBe("link.not_allowed");
    expect(await statusOf(`/api/visits/${shown.token}/studies/${second}/laudo`)).toBe(404);
  });

  test("loses a study that is deleted, and ends with the last one", async () => {
    const stored = await t.store(other, sampleZip({ study: "7" }, { study: "8" }));
    const ids = stored.studies.map(({ id }) => id);
    const link = await makeLink(other, { studyIds: ids });
    const { token } = await openLink(link);
    await t.call("DELETE", `/api/studies/${ids[0]}`, { as: other });
    const left = (await (await t.call("GET", `/api/visits/${token}`)).json()) as Visit;
    expect(left.studies.map(({ id }) => id)).toEqual([ids[1] ?? ""]);
    await t.call("DELETE", `/api/studies/${ids[1]}`, { as: other });
    expect((await visit({ link: link.id, secret: link.secret })).status).toBe(404);
    expect(await statusOf(`/api/visits/${token}`)).toBe(401);
    expect(await linksOf(other)).toMatchObject([{ id: link.id, studyIds: [], state: "ended" }]);
    expect(await countLiveLinks(t.deps.db, other.id, new Date())).toBe(0);
  });

  test("says of a study that was deleted only that one was, whoever opens the link and whatever release made it", async () => {
    const stored = await t.store(other, sampleZip({ study: "11" }, { study: "12" }, { study: "13" }));
    const ids = stored.studies.map(({ id }) => id);
    const link = await makeLink(other, { studyIds: ids });
    expect(await openLink(link)).not.toHaveProperty("studiesRemoved");
    await t.call("DELETE", `/api/studies/${ids[2]}`, { as: other });
    const opened = await openLink(link);
    expect(opened).toMatchObject({ studiesRemoved: 1, studies: [{ id: ids[0] }, { id: ids[1] }] });
    expect(JSON.stringify(opened)).not.toContain(ids[2] ?? "");
    expect(JSON.stringify(opened)).not.toContain(studyUID("13"));
    const again = (await (await t.call("GET", `/api/visits/${opened.token}`)).json()) as Visit;
    expect(again.studiesRemoved).toBe(1);
    // The release before did not write how many there were: what stands before one that is left is known to have gone.
    await t.sql`update share_links set study_count = null where id = ${link.id}`;
    expect(await openLink(link)).not.toHaveProperty("studiesRemoved");
    await t.call("DELETE", `/api/studies/${ids[0]}`, { as: other });
    expect((await openLink(link)).studiesRemoved).toBe(1);
    for (const id of ids) await t.call("DELETE", `/api/studies/${id}`, { as: other });
  });

  test("shows nothing of what its owner's cancellation removed, though they have a plan again", async () => {
    const returning = await t.addPerson("Quem Volta");
    const [study] = (await t.store(returning, sampleZip({ study: "10" }))).studies;
    const link = await makeLink(returning, { studyIds: [study?.id ?? ""] });
    const { token } = await openLink(link);
    const frame = `/dicomweb/t/${token}${FRAME("10")}`;
    expect(await statusOf(frame)).toBe(200);
    expect((await t.call("POST", "/api/subscriptions/cancel", { as: returning })).status).toBe(200);
    await t.sql`update subscriptions set expires_at = null where user_id = ${returning.id}`;
    await leasesEnded();
    expect(await statusOf(frame)).toBe(404);
    expect(await statusOf(`/api/visits/${token}`)).toBe(401);
    expect((await visit({ link: link.id, secret: link.secret })).status).toBe(404);
  });
});

test("a visit whose link is being ended gives no account access that outlives it", async () => {
  const link = await makeLink(owner, { download: true });
  const { token } = await openLink(link);
  const keep = () => t.call("POST", `/api/visits/${token}/keep`, { as: other });
  let keeping = Promise.resolve(new Response());
  await t.sql.begin(async (sql) => {
    await sql`update share_links set ended_at = now() where id = ${link.id}`;
    keeping = keep();
    await Promise.race([untilLockWaits(t.sql), keeping]);
  });
  expect((await keeping).status).toBe(401);
  expect(await statusOf(`/api/studies/${first}`, other)).toBe(404);
  const again = await openLink(await makeLink(owner, { download: true }));
  expect((await t.call("POST", `/api/visits/${again.token}/keep`, { as: other })).status).toBe(200);
  expect(await statusOf(`/api/studies/${first}`, other)).toBe(200);
  await t.call("DELETE", `/api/studies/${first}/grants/${other.id}`, { as: owner });
});

test("a visit gives an account what its link allows and no more, and its owner no access beside their own", async () => {
  const lab = await t.addPerson("Laboratório", { role: "lab", plan: null });
  const keep = async (as: Person, allowed: Partial<NewLink>) => {
    const { token } = await openLink(await makeLink(owner, allowed));
    return (await t.call("POST", `/api/visits/${token}/keep`, { as })).status;
  };
  // Whoever has access reads the laudo, and with the role `user` downloads.
  for (const who of [other, doctor, lab]) expect(await keep(who, { laudo: false, download: true })).toBe(403);
  expect(await keep(other, { download: false })).toBe(403);
  expect(await statusOf(`/api/studies/${first}`, other)).toBe(404);
  for (const who of [doctor, lab]) expect(await keep(who, { download: false })).toBe(200);
  expect(await keep(owner, { download: true })).toBe(200);
  const grants = await t.call("GET", `/api/studies/${first}/grants`, { as: owner });
  const keepers = ((await grants.json()) as { userId: string }[]).map(({ userId }) => userId);
  expect(keepers.sort()).toEqual([doctor.id, lab.id].sort());
  for (const userId of keepers)
    await t.call("DELETE", `/api/studies/${first}/grants/${userId}`, { as: owner });
});

test("an account takes its links and their openings along, and they are deleted with it", async () => {
  const leaving = await t.addPerson("Pessoa que sai");
  const stored = await t.store(leaving, sampleZip({ study: "9" }));
  const link = await makeLink(leaving, { studyIds: [stored.studies[0]?.id ?? ""], recipient: "Clínica Sol" });
  const { token } = await openLink(link);
  const exported = JSON.stringify(await describeAccount(t.deps, leaving.id));
  for (const told of ["Clínica Sol", '"visits":[{"at":"']) expect(exported).toContain(told);
  // The hash by which a browser opens the link again is no data of the account.
  expect(exported).not.toContain("attemptHash");
  const gone = await t.call("DELETE", `/api/users/${leaving.id}`, { as: admin });
  expect(gone.status).toBe(200);
  expect(await statusOf(`/api/visits/${token}`)).toBe(401);
  const [left] = await t.sql<{ rows: number }[]>`
    select (select count(*) from share_link_visits)::int + (select count(*) from share_links)::int as rows`;
  expect(left?.rows).toBe(0);
});

// Last, since it outlives the sessions.
test("a visit downloads where the link allows it, for one action of the owner a day", async () => {
  const [without, link] = [await openLink(await makeLink(owner)), await makeLink(owner, { download: true })];
  const refused = await t.call("GET", `/api/visits/${without.token}/studies/${first}/download`);
  expect((await problemOf(refused)).code).toBe("link.not_allowed");
  const { token } = await openLink(link);
  const path = `/api/visits/${token}/studies/${first}/download`;
  expect((await t.call("HEAD", path)).status).toBe(200);
  expect(await downloadsOf(owner)).toBe(0);
  const whole = await t.call("GET", path);
  expect([whole.status, whole.headers.get("content-type")]).toEqual([200, "application/zip"]);
  await whole.arrayBuffer();
  const part = await t.call("GET", path, { headers: { range: "bytes=0-9" } });
  expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 10]);
  // A medium to take along is not what a link gives, and a plain ZIP would not be what was asked for.
  expect(await statusOf(`${path}?as=pdi`)).toBe(400);
  expect(await downloadsOf(owner)).toBe(1);
  expect(await statusOf(`/dicomweb/t/${token}/studies/${studyUID("1")}`)).toBe(403);
  t.advance(25 * 3600_000);
  const again = await openLink(link);
  expect(await statusOf(`/api/visits/${again.token}/studies/${first}/download`)).toBe(200);
  expect(await downloadsOf(owner)).toBe(2);
  expect(await statusOf(path)).toBe(401); // 12 hours are over
});
