import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { endRestoredSessions } from "../../../src/server/features/accounts/sessions/restored-sessions.repo.ts";
import { type Access, accessOf } from "../../../src/server/http/guard.ts";
import type { AccessToken, MadeAccessToken, TokenScope } from "../../../src/shared/api/access-tokens.ts";
import type { Activity } from "../../../src/shared/api/activity.ts";
import type { AuditEntry } from "../../../src/shared/api/study-audit.ts";
import { totpAt } from "../../support/app/factors.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { until, untilLockWaits } from "../../support/until.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

const ALL: TokenScope[] = ["dicomweb:read", "dicomweb:write", "api"];

let t: TestApp;
let owner: Person;
let admin: Person;
beforeAll(async () => {
  t = await createTestApp();
  admin = await t.addPerson("Administradora", { role: "admin", plan: null });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());
beforeEach(async () => {
  owner = await t.addPerson("Dona do Token");
});

/** A program that acts for `person` by a new token. */
async function programOf(person: Person, scopes: TokenScope[], expiresAt?: string): Promise<Person> {
  const { token } = await made(person, scopes, expiresAt);
  return { ...person, token };
}

async function made(person: Person, scopes: TokenScope[], expiresAt?: string): Promise<MadeAccessToken> {
  const json = { name: "Script de cópia", scopes, expiresAt };
  const answer = await t.call("POST", "/api/tokens", { as: person, json });
  expect(answer.status).toBe(201);
  return (await answer.json()) as MadeAccessToken;
}

const listed = async (person: Person) =>
  (await (await t.call("GET", "/api/tokens", { as: person })).json()) as AccessToken[];
const statusOf = async (person: Person, path = "/api/studies") =>
  (await t.call("GET", path, { as: person })).status;

describe("an access token", () => {
  test("is shown once, begins with exm_, and only its hash is kept", async () => {
    const { id, token } = await made(owner, ["api"]);
    expect(token).toMatch(/^exm_[\w-]{43}$/);
    expect(await listed(owner)).toMatchObject([{ id, scopes: ["api"], expiresAt: null, lastUsedAt: null }]);
    expect(JSON.stringify(await listed(owner))).not.toContain(token);
    const [row] = await t.sql`select * from access_tokens where id = ${id}`;
    expect(JSON.stringify(row)).not.toContain(token.slice(4));
  });

  test("opens what its scopes name, and answers 403 for the rest", async () => {
    const reader = await programOf(owner, ["dicomweb:read"]);
    const caller = await programOf(owner, ["api"]);
    const { studies } = await t.store(owner, sampleZip({ study: owner.id.slice(-4).replace(/\D/g, "1") }));
    const series = `/dicomweb/studies/${studies[0]?.studyInstanceUID}/series`;
    expect(await statusOf(caller)).toBe(200);
    expect(await statusOf(reader, series)).toBe(200);
    const refused = await t.call("GET", "/api/studies", { as: reader });
    expect(refused.status).toBe(403);
    expect((await problemOf(refused)).code).toBe("token.forbidden");
    expect(await statusOf(caller, series)).toBe(403);
  });

  test("says when it was used last, to within five minutes", async () => {
    const program = await programOf(owner, ["api"]);
    await statusOf(program);
    const [first] = await listed(owner);
    expect(first?.lastUsedAt).toBeString();
    t.advance(6 * 60_000);
    await statusOf(program);
    const [later] = await listed(owner);
    expect(Date.parse(later?.lastUsedAt ?? "") - Date.parse(first?.lastUsedAt ?? "")).toBeGreaterThan(
      5 * 60_000,
    );
  });

  test("is in the audit when it is made and ended, and names itself in what it does", async () => {
    const { id, token } = await made(owner, ["api"]);
    const [study] = (await t.store({ ...owner, token }, sampleZip({ study: "77" }))).studies;
    await t.call("DELETE", `/api/tokens/${id}`, { as: owner });
    const rows =
      await t.sql`select action, details from audit_events where actor_id = ${owner.id} order by id`;
    const actions = rows.map(({ action, details }) => [action, details?.tokenId ?? details?.accessTokenId]);
    expect(actions).toContainEqual(["token.made", id]);
    expect(actions).toContainEqual(["token.ended", id]);
    expect(actions).toContainEqual(["study.uploaded", id]);
    expect(study).toBeDefined();
  });

  test("is named beside what a program did by it, to its owner alone, until it ends", async () => {
    const { id, token } = await made(owner, ["api"]);
    const { studies } = await t.store(
      owner,
      sampleZip({ study: `7${owner.id.slice(-6).replace(/\D/g, "1")}` }),
    );
    const [study] = studies;
    const doctor = await t.addPerson("Dra. do Programa", { role: "doctor" });
    const grant = { json: { userId: doctor.id }, as: { ...owner, token } };
    expect((await t.call("POST", `/api/studies/${study?.id}/assign`, grant)).status).toBeLessThan(300);
    const doctorsProgram = await programOf(doctor, ["api"]);
    const uid = { studyInstanceUID: study?.studyInstanceUID ?? "" };
    const laudo = await formBody(uid, { name: "laudo", bytes: samplePdf() });
    const sent = await t.call("POST", "/api/studies/laudo/upload", { as: doctorsProgram, ...laudo });
    expect(sent.status).toBe(201);

    const tokensIn = async (path: string, action: string, as = owner) => {
      const told = (await (await t.call("GET", path, { as })).json()) as AuditEntry[] | Activity;
      const events = "events" in told ? told.events : told;
      return events.filter((event) => event.action === action).map(({ token: used }) => used);
    };
    const activity = "/api/users/activity";
    const audit = `/api/studies/${study?.id}/audit`;
    const named = [{ name: "Script de cópia" }];
    for (const path of [activity, audit]) {
      expect([path, await tokensIn(path, "study.granted")]).toEqual([path, named]);
      expect([path, await tokensIn(path, "report.uploaded")]).toEqual([path, [undefined]]);
    }
    expect(await tokensIn(activity, "report.uploaded", doctor)).toEqual(named);
    await t.call("DELETE", `/api/tokens/${id}`, { as: owner });
    for (const path of [activity, audit])
      expect([path, await tokensIn(path, "study.granted")]).toEqual([path, [{ name: null }]]);
  });

  test("belongs to its owner alone", async () => {
    const other = await t.addPerson("Outra Pessoa");
    const { id } = await made(owner, ["api"]);
    expect(await listed(other)).toEqual([]);
    expect((await t.call("DELETE", `/api/tokens/${id}`, { as: other })).status).toBe(404);
    expect(await listed(owner)).toHaveLength(1);
  });
});

describe("an access token ends", () => {
  const ends: [string, (program: Person) => Promise<unknown>][] = [
    ["when it expires", async () => t.advance(3600_000)],
    [
      "when its owner ends it",
      async () => t.call("DELETE", `/api/tokens/${(await listed(owner))[0]?.id}`, { as: owner }),
    ],
    [
      "with a change of the password",
      () =>
        t.call("PATCH", "/api/users/profile", {
          as: owner,
          json: {
            name: "Dona do Token",
            email: owner.email,
            currentPassword: owner.password,
            newPassword: "outra senha",
          },
        }),
    ],
    [
      "when its account is no longer authorised, and stays ended when it is again",
      async () => {
        for (const isAuthorized of [false, true])
          await t.call("PATCH", `/api/users/${owner.id}`, { as: admin, json: { isAuthorized } });
      },
    ],
    [
      "while its account is blocked, however that came about",
      () => t.sql`update users set is_authorized = false where id = ${owner.id}`,
    ],
    [
      "with its account",
      () => t.call("POST", "/api/users/delete-own", { as: owner, json: { password: owner.password } }),
    ],
    ["when a backup is restored", () => t.sql.begin((tx) => endRestoredSessions(tx))],
  ];
  test.each(ends)("%s", async (_when, end) => {
    const expiresAt = new Date(t.deps.clock.now().getTime() + 1800_000).toISOString();
    const program = await programOf(owner, ALL, expiresAt);
    expect(await statusOf(program)).toBe(200);
    await end(program);
    expect(await statusOf(program)).toBe(401);
  });

  test("not with its owner's session", async () => {
    const program = await programOf(owner, ["api"]);
    await t.call("POST", "/api/auth/logout", { as: owner });
    expect(await statusOf(program)).toBe(200);
  });
});

describe("making a token is refused", () => {
  test.each([
    ["without a scope", { name: "x", scopes: [] }],
    ["with an unknown scope", { name: "x", scopes: ["admin"] }],
    ["without a name", { name: " ", scopes: ["api"] }],
    ["with a time that is over", { name: "x", scopes: ["api"], expiresAt: "2020-01-01T00:00:00Z" }],
    ["with a time that is none", { name: "x", scopes: ["api"], expiresAt: "amanhã" }],
  ])("%s: 400", async (_why, json) => {
    expect((await t.call("POST", "/api/tokens", { as: owner, json })).status).toBe(400);
  });

  test("beyond fifty, also when asked at once", async () => {
    const one = () => t.call("POST", "/api/tokens", { as: owner, json: { name: "x", scopes: ["api"] } });
    const statuses = (await Promise.all(Array.from({ length: 54 }, one))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(50);
    expect(statuses.filter((status) => status === 409)).toHaveLength(4);
  });
});

test("a change of the password leaves nothing to a session that asked before it: no token, no invitation, no second factor", async () => {
  const { studies } = await t.store(owner, sampleZip({ study: "78" }));
  const post = (path: string, json: object) => t.call("POST", path, { as: owner, json });
  const { secret } = (await (await post("/api/auth/totp", {})).json()) as { secret: string };
  const { hash } = Bun.password;
  using hashing = spyOn(Bun.password, "hash");
  const isHashed = Promise.withResolvers<void>();
  hashing.mockImplementation(async (...asked) => {
    await isHashed.promise;
    return await hash(...asked);
  });
  const { email, password: currentPassword } = owner;
  const json = { name: "Dona do Token", email, currentPassword, newPassword: "outra senha" };
  const changing = t.call("PATCH", "/api/users/profile", { as: owner, json });
  await until(() => hashing.mock.calls.length > 0);
  const asked = [
    post("/api/tokens", { name: "x", scopes: ["api"] }),
    post(`/api/studies/${studies[0]?.id}/invitations`, { email: "doutora@example.com" }),
    post("/api/auth/totp/confirm", { code: totpAt(secret, t.deps.clock.now()) }),
  ];
  // The change holds the account's row, for which the three wait.
  await untilLockWaits(t.sql, asked.length).finally(() => isHashed.resolve());
  expect((await changing).status).toBe(200);
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([401, 401, 401]);
  const left = await t.sql`select 1 from access_tokens where user_id = ${owner.id}
    union all select 1 from doctor_invitations where invited_by = ${owner.id}
    union all select 1 from totp_secrets where user_id = ${owner.id} and confirmed_at is not null`;
  expect(left).toHaveLength(0);
});

describe("no token, whatever its scopes,", () => {
  let operator: Person;
  beforeAll(async () => {
    operator = await t.addPerson("Operadora", { role: "admin", plan: null });
  });
  const guarded = () =>
    t.app.routes.flatMap(({ method, path, handler }) => {
      const access = accessOf(handler);
      return access === undefined || access === "public" ? [] : [{ method, path, access }];
    });
  const scopeOf = ({ scope }: Exclude<Access, "public">) => scope;

  test("opens a route that names no scope", async () => {
    const program = await programOf(operator, ALL);
    const closed = guarded().filter(({ access }) => scopeOf(access) === undefined);
    expect(closed.length).toBeGreaterThan(30);
    for (const { method, path } of closed) {
      const concrete = path.replace(/:[A-Za-z]+(\{.*\})?/g, "01890000-0000-7000-8000-000000000000");
      const answer = await t.call(method, concrete, { as: program, ...(method !== "GET" && { json: {} }) });
      expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 403`);
    }
  });

  test("opens a route that names another scope", async () => {
    const open = guarded().filter(({ access }) => scopeOf(access) !== undefined);
    expect(open.length).toBeGreaterThan(20);
    for (const scope of ALL) {
      const program = await programOf(operator, [scope]);
      for (const { method, path, access } of open) {
        if (scopeOf(access) === scope) continue;
        const concrete = path.replace(/:[A-Za-z]+(\{.*\})?/g, "1.2.3");
        const answer = await t.call(method, concrete, { as: program, ...(method !== "GET" && { json: {} }) });
        expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 403`);
      }
    }
  });

  test("reaches passwords, tokens, devices, payments or other accounts", () => {
    const kept =
      /^\/api\/(auth|tokens|payments|users|receivers|exports|operations|integrity)\b|ticket|generate-token/;
    const open = guarded()
      .filter(({ path, access }) => kept.test(path) && scopeOf(access) !== undefined)
      .map(({ method, path }) => `${method} ${path}`);
    expect(open).toEqual(["GET /api/auth/me", "GET /api/users/exam-count"]);
  });
});
