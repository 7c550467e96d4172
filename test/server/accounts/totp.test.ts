import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { strFromU8, unzipSync } from "fflate";
import { findPasswordChange } from "../../../src/server/features/audit/audit.repo.ts";
import type { NewUserAnswer } from "../../../src/shared/api/users.ts";
import { factorsOf, totpAt } from "../../support/app/factors.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { codeIn, readOutbox } from "../../support/mail/outbox.ts";
import { untilLockWaits } from "../../support/until.ts";

const STEP = 30_000;

let t: TestApp;
let factors: ReturnType<typeof factorsOf>;
beforeAll(async () => {
  t = await createTestApp();
  factors = factorsOf(t);
});
afterAll(() => t[Symbol.asyncDispose]());

const post = (path: string, json: unknown, as?: Person, headers?: Record<string, string>) =>
  t.call("POST", path, { json, as, headers });
const now = () => t.deps.clock.now();
const logIn = ({ email, password }: Person, headers?: Record<string, string>) =>
  post("/api/auth/login", { email, password }, undefined, headers);
const verify = ({ email }: Person, code: string | undefined) => post("/api/auth/verify-2fa", { email, code });

async function withTotp(name: string) {
  const person = await t.addPerson(name);
  return { person, ...(await factors.addTotp(person)) };
}

/** The code after the one that was used last: the clock goes on by a step. */
function nextCode(secret: string): string {
  t.advance(STEP);
  return totpAt(secret, now());
}

/** Mails that are sent at once arrive in any order. */
async function subjectsTo(person: Person): Promise<string[]> {
  await t.settle();
  const mails = await readOutbox(t.deps.config.dataDir);
  return mails.filter((mail) => mail.to.includes(person.email)).map(({ subject }) => subject);
}

describe("an authenticator app", () => {
  test("is not a factor before its first code has confirmed it", async () => {
    const person = await t.addPerson("Ainda Não");
    const begun = await post("/api/auth/totp", {}, person);
    expect(begun.status).toBe(201);
    const { secret, qrCode } = (await begun.json()) as { secret: string; qrCode: string };
    expect(qrCode).toStartWith("data:image/svg+xml;base64,");
    expect(await (await logIn(person)).json()).toHaveProperty("token");
    const wrong = await post("/api/auth/totp/confirm", { code: totpAt(secret, new Date(0)) }, person);
    expect([wrong.status, (await problemOf(wrong)).code]).toEqual([400, "totp.wrong_code"]);
    t.advance(11 * 60_000);
    const late = await post("/api/auth/totp/confirm", { code: totpAt(secret, now()) }, person);
    expect([late.status, (await problemOf(late)).code]).toEqual([409, "totp.not_pending"]);
    expect((await factors.read(person)).totp).toBeNull();
  });

  test("is read with the day of the last change of the password, its own and by whatever way", async () => {
    const [person, other] = [await t.addPerson("Muda Senha"), await t.addPerson("Outra Conta")];
    expect((await factors.read(person)).passwordChangedAt).toBeNull();
    const json = { name: "Muda Senha", email: person.email, currentPassword: person.password };
    const changed = await t.call("PATCH", "/api/users/profile", {
      as: person,
      json: { ...json, newPassword: "outra senha" },
    });
    const { token } = (await changed.json()) as { token: string };
    const { passwordChangedAt } = await factors.read({ ...person, token });
    expect(Math.abs(Date.parse(passwordChangedAt ?? "") - now().getTime())).toBeLessThan(60_000);
    expect((await factors.read(other)).passwordChangedAt).toBeNull();
    t.advance(3600_000);
    await post("/api/auth/forgot-password", { email: person.email });
    await t.settle();
    const mails = await readOutbox(t.deps.config.dataDir);
    const reset = /\/reset-password\/([\w-]+)/.exec(mails.map(({ text }) => text).join("\n"))?.[1];
    await post("/api/auth/reset-password", { token: reset, password: "mais uma senha" });
    const changedAt = await findPasswordChange(t.deps.db, person.id);
    expect(Math.abs(Number(changedAt) - now().getTime())).toBeLessThan(60_000);
  });

  test("opens the sign-in with its code, without a mail", async () => {
    const { person, secret, recoveryCodes } = await withTotp("Com Aplicativo");
    expect(recoveryCodes).toHaveLength(10);
    const login = await logIn(person);
    expect(await login.json()).toEqual({
      requiresTwoFactor: true,
      email: person.email,
      methods: ["totp", "recovery"],
    });
    const opened = await verify(person, nextCode(secret));
    expect(opened.status).toBe(200);
    expect(await opened.json()).toMatchObject({ email: person.email, token: expect.any(String) });
    expect(await subjectsTo(person)).toEqual(["An authenticator app was added to your account"]);
  });

  test("is asked for even if codes by mail are switched off, for everybody or for one account", async () => {
    const { person } = await withTotp("Sempre Pede");
    await t.sql`update users set skips_two_factor = true where id = ${person.id}`;
    expect(await (await logIn(person)).json()).toMatchObject({ requiresTwoFactor: true });
  });

  test("has each code accepted once, also when sent twice at once, and no older one", async () => {
    const { person, secret } = await withTotp("Uma Vez Só");
    const code = nextCode(secret);
    await logIn(person);
    const statuses = (await Promise.all([verify(person, code), verify(person, code)])).map((a) => a.status);
    expect(statuses.sort()).toEqual([200, 401]);
    await logIn(person);
    expect((await verify(person, code)).status).toBe(401);
    expect((await verify(person, totpAt(secret, new Date(now().getTime() - STEP)))).status).toBe(401);
    expect((await verify(person, nextCode(secret))).status).toBe(200);
  });

  test("keeps its secret sealed in the database", async () => {
    const { person, secret, recoveryCodes } = await withTotp("Segredo Selado");
    const rows = await t.sql`
      select row_to_json(s)::text as text from totp_secrets s where user_id = ${person.id}
      union all select row_to_json(r)::text from recovery_codes r where user_id = ${person.id}`;
    expect(rows).toHaveLength(11);
    for (const { text } of rows)
      for (const kept of [secret, ...recoveryCodes]) expect(text).not.toContain(kept);
  });

  test("allows ten wrong codes an hour from one address", async () => {
    const { person, secret, recoveryCodes } = await withTotp("Chuta Muito");
    const statuses: number[] = [];
    for (let round = 0; round < 3; round++) {
      await logIn(person);
      for (let i = 0; i < 4; i++) statuses.push((await verify(person, "000000")).status);
    }
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(statuses.at(-1)).toBe(429);
    expect((await verify(person, nextCode(secret))).status).toBe(429);
    expect((await factors.read(person)).recoveryCodesLeft).toBe(recoveryCodes.length);
  });

  test("can't be replaced before it is removed, for which the password is not enough", async () => {
    const { person, secret } = await withTotp("Troca Celular");
    const { password: currentPassword } = person;
    const second = await post("/api/auth/totp", { currentPassword, code: nextCode(secret) }, person);
    expect([second.status, (await problemOf(second)).code]).toEqual([409, "totp.already_on"]);
    const alone = await post("/api/auth/totp/remove", { currentPassword }, person);
    expect([alone.status, (await problemOf(alone)).code]).toEqual([400, "auth.factor_required"]);
    const proof = { currentPassword, code: nextCode(secret) };
    expect((await post("/api/auth/totp/remove", proof, person)).status).toBe(200);
    expect(await factors.read(person)).toMatchObject({ totp: null, recoveryCodesLeft: 0 });
    expect(await (await logIn(person)).json()).toHaveProperty("token");
    expect((await post("/api/auth/totp/remove", proof, person)).status).toBe(404);
  });

  test("tells a code that comes again from one of an app that another tab set up meanwhile", async () => {
    const person = await t.addPerson("Duas Abas");
    const begin = async () =>
      (
        (await (await post("/api/auth/totp", { currentPassword: person.password }, person)).json()) as {
          secret: string;
        }
      ).secret;
    const confirm = async (code: string) => {
      const answer = await post("/api/auth/totp/confirm", { code }, person);
      return answer.ok ? 200 : (await problemOf(answer)).code;
    };
    const [first, second] = [await begin(), await begin()];
    expect(await confirm(totpAt(first, now()))).toBe("totp.wrong_code");
    const code = totpAt(second, now());
    expect(await confirm(code)).toBe(200);
    expect(await confirm(code)).toBe("totp.not_pending");
    expect(await confirm(totpAt(first, now()))).toBe("totp.already_on");
    // A right code that was not used yet is no different from a wrong one.
    expect(await confirm(nextCode(second))).toBe("totp.already_on");
  });

  test("makes earlier remembered devices invalid, and may be skipped by one remembered after it", async () => {
    const person = await t.addPerson("Aparelho Antigo");
    t.deps.config.twoFactor = "required";
    await logIn(person);
    await t.settle();
    const code = codeIn((await readOutbox(t.deps.config.dataDir)).at(-1));
    const remembering = { email: person.email, rememberDevice: true };
    const old = await post("/api/auth/verify-2fa", { ...remembering, code });
    expect(old.status).toBe(200);
    t.deps.config.twoFactor = "off";
    const { secret } = await factors.addTotp(person);
    const cookieOf = (answer: Response) => ({
      cookie: answer.headers
        .getSetCookie()
        .map((cookie) => cookie.split(";")[0])
        .join("; "),
    });
    expect(await (await logIn(person, cookieOf(old))).json()).toMatchObject({ requiresTwoFactor: true });
    const trusted = await post("/api/auth/verify-2fa", { ...remembering, code: nextCode(secret) });
    expect(await (await logIn(person, cookieOf(trusted))).json()).toHaveProperty("token");
  });
});

describe("a mailed code", () => {
  test("that is sent while the first factor is being added remembers no device", async () => {
    const person = await t.addPerson("Corrida do Fator");
    t.deps.config.twoFactor = "required";
    await logIn(person);
    await t.settle();
    t.deps.config.twoFactor = "off";
    const code = codeIn((await readOutbox(t.deps.config.dataDir)).at(-1));
    const begun = await post("/api/auth/totp", { currentPassword: person.password }, person);
    expect(begun.status).toBe(201);
    let verified: Promise<Response> | undefined;
    await t.sql.begin(async (sql) => {
      await sql`select 1 from users where id = ${person.id} for no key update`;
      verified = post("/api/auth/verify-2fa", { email: person.email, code, rememberDevice: true });
      await untilLockWaits(t.sql);
      await sql`update totp_secrets set confirmed_at = now() where user_id = ${person.id}`;
    });
    expect((await verified)?.status).toBe(401);
    const [devices] =
      await t.sql`select count(*)::int as rows from trusted_devices where user_id = ${person.id}`;
    expect(devices?.rows).toBe(0);
  });
});

describe("a recovery code", () => {
  test("stands in for the app once, and the owner is told", async () => {
    const { person, recoveryCodes } = await withTotp("Perdeu Celular");
    const [code = ""] = recoveryCodes;
    await logIn(person);
    expect((await verify(person, code.toUpperCase().replaceAll("-", ""))).status).toBe(200);
    expect((await factors.read(person)).recoveryCodesLeft).toBe(9);
    expect(await subjectsTo(person)).toContain("A recovery code was used");
    await logIn(person);
    expect((await verify(person, code)).status).toBe(401);
  });

  test("is invalid once new ones are made, for which the password is not enough", async () => {
    const { person, secret, recoveryCodes } = await withTotp("Folha Nova");
    const { password: currentPassword } = person;
    expect((await post("/api/auth/recovery-codes", { currentPassword }, person)).status).toBe(400);
    const made = await post("/api/auth/recovery-codes", { currentPassword, code: nextCode(secret) }, person);
    const fresh = ((await made.json()) as { recoveryCodes: string[] }).recoveryCodes;
    expect(fresh).toHaveLength(10);
    await logIn(person);
    expect((await verify(person, recoveryCodes[3])).status).toBe(401);
    expect((await verify(person, fresh[3])).status).toBe(200);
  });

  test("is not used up by a change that is refused because the hour's mails are sent", async () => {
    const { person, recoveryCodes } = await withTotp("Muitas Folhas");
    const { password: currentPassword } = person;
    let codes = recoveryCodes;
    const renew = async (code: string | undefined) => {
      const answer = await post("/api/auth/recovery-codes", { currentPassword, code }, person);
      if (answer.ok) codes = ((await answer.json()) as { recoveryCodes: string[] }).recoveryCodes;
      return answer.status;
    };
    for (let made = 0; made < 4; made++) expect(await renew(codes[0])).toBe(201);
    expect(await renew(codes[0])).toBe(429);
    expect((await factors.read(person)).recoveryCodesLeft).toBe(10);
    t.advance(3600_000);
    expect(await renew(codes[0])).toBe(201);
  });

  test("is not given without a factor, and somebody else's is useless", async () => {
    const { person } = await withTotp("Dona Dos Códigos");
    const other = await withTotp("Outra Dona");
    await logIn(person);
    expect((await verify(person, other.recoveryCodes[0])).status).toBe(401);
    const plain = await t.addPerson("Sem Fator");
    const answer = await post("/api/auth/recovery-codes", { currentPassword: plain.password }, plain);
    expect([answer.status, (await problemOf(answer)).code]).toEqual([409, "factor.none"]);
  });
});

describe("somebody who lost every factor", () => {
  test("gets back in through an admin, who gives their own password; it is audited, and the owner is told", async () => {
    const admin = await t.addPerson("Administradora", { role: "admin", plan: null });
    const { person, secret } = await withTotp("Perdeu Tudo");
    await logIn(person);
    const remembered = { email: person.email, code: nextCode(secret), rememberDevice: true };
    expect((await post("/api/auth/verify-2fa", remembered)).status).toBe(200);
    const path = `/api/users/${person.id}/clear-factors`;
    const listed = async () => {
      const users = (await (await t.call("GET", "/api/users", { as: admin })).json()) as {
        id: string;
        hasSecondFactor: boolean;
      }[];
      return users.find(({ id }) => id === person.id)?.hasSecondFactor;
    };
    expect(await listed()).toBe(true);
    const currentPassword = admin.password;
    expect((await post(path, { currentPassword: "outra" }, admin)).status).toBe(400);
    expect((await post(path, { currentPassword: person.password }, person)).status).toBe(403);
    expect((await post(path, { currentPassword }, admin)).status).toBe(200);
    expect(await listed()).toBe(false);
    expect(await factors.read(person)).toMatchObject({ totp: null, recoveryCodesLeft: 0 });
    const [devices] =
      await t.sql`select count(*)::int as rows from trusted_devices where user_id = ${person.id}`;
    expect(devices?.rows).toBe(0);
    expect(await (await logIn(person)).json()).toHaveProperty("token");
    expect((await verify(person, nextCode(secret))).status).toBe(401);
    expect(await subjectsTo(person)).toContain("Your second factor was removed by an administrator");
    const audited = await t.sql`select actor_id from audit_events
      where account_id = ${person.id} and action = 'factors.cleared'`;
    expect(audited.map((row) => row.actor_id)).toEqual([admin.id]);
  });

  test("waits a day if the admin was made by another one, or changed address, and all admins are told", async () => {
    const chief = await t.addPerson("Administra Tudo", { role: "admin", plan: null });
    const helper = await t.addPerson("Vira Administradora");
    const moved = await t.addPerson("Mudada De Endereço", { role: "admin", plan: null });
    const json = { role: "admin" };
    expect((await t.call("PATCH", `/api/users/${helper.id}`, { as: chief, json })).status).toBe(200);
    expect((await subjectsTo(chief)).at(-1)).toEndWith("has one more administrator");
    expect(await subjectsTo(helper)).not.toContain((await subjectsTo(chief)).at(-1));
    const email = "mudada.agora@example.com";
    expect((await t.call("PATCH", `/api/users/${moved.id}`, { as: chief, json: { email } })).status).toBe(
      200,
    );
    const { person } = await withTotp("Espera Um Dia");
    const clear = async (as: Person) =>
      await post(`/api/users/${person.id}/clear-factors`, { currentPassword: as.password }, as);
    for (const as of [helper, moved]) {
      const answer = await clear(as);
      expect([answer.status, (await problemOf(answer)).code]).toEqual([403, "user.new_admin"]);
    }
    await t.sql.begin(async (tx) => {
      await tx`alter table audit_events disable trigger user`;
      await tx`update audit_events set at = at - interval '24 hours' where account_id = ${helper.id}`;
      await tx`alter table audit_events enable trigger user`;
    });
    expect((await clear(helper)).status).toBe(200);
  });

  test("waits for an admin who was invited as one", async () => {
    const chief = await t.addPerson("Convida Administradores", { role: "admin", plan: null });
    const json = { name: "Convidada", email: "convidada.admin@example.com", role: "admin" };
    const added = await t.call("POST", "/api/users", { as: chief, json });
    const { user, invitationUrl } = (await added.json()) as NewUserAnswer;
    expect(user.role).toBe("admin");
    const token = invitationUrl?.split("/").at(-1);
    const password = "escolhida por ela";
    expect((await post("/api/auth/reset-password", { token, password })).status).toBe(200);
    const login = await post("/api/auth/login", { email: json.email, password });
    const invited = { ...json, password, ...((await login.json()) as { id: string; token: string }) };
    const { person } = await withTotp("Outra Que Espera");
    const answer = await post(
      `/api/users/${person.id}/clear-factors`,
      { currentPassword: password },
      invited,
    );
    expect([answer.status, (await problemOf(answer)).code]).toEqual([403, "user.new_admin"]);
  });

  test("can't be an admin with a stolen session, since admins remove their own factors in the profile", async () => {
    const admin = await t.addPerson("Administra Sozinha", { role: "admin", plan: null });
    await factors.addTotp(admin);
    const own = await post(
      `/api/users/${admin.id}/clear-factors`,
      { currentPassword: admin.password },
      admin,
    );
    expect([own.status, (await problemOf(own)).code]).toEqual([409, "user.own_factors"]);
  });

  test("finds names and dates in the export of their data, and no secret", async () => {
    const { person, secret, recoveryCodes } = await withTotp("Leva Seus Dados");
    const ticket = await t.call("POST", "/api/users/export-ticket", { as: person });
    const { url } = (await ticket.json()) as { url: string };
    const zip = unzipSync(new Uint8Array(await (await t.call("GET", url)).arrayBuffer()));
    const account = strFromU8(zip["account.json"] ?? new Uint8Array());
    expect(JSON.parse(account).secondFactors).toEqual({
      passkeys: [],
      authenticatorApp: { createdAt: expect.any(String), lastUsedAt: null },
      recoveryCodesLeft: 10,
    });
    for (const kept of [secret, ...recoveryCodes]) expect(account).not.toContain(kept);
  });

  test("loses every factor when the account is deleted", async () => {
    const { person } = await withTotp("Vai Embora");
    expect((await post("/api/users/delete-own", { password: person.password }, person)).status).toBe(200);
    const [left] = await t.sql`select (select count(*) from totp_secrets where user_id = ${person.id})::int
      + (select count(*) from recovery_codes where user_id = ${person.id})::int as rows`;
    expect(left?.rows).toBe(0);
  });
});
