import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { SignedInUser } from "../../../src/shared/api/users.ts";
import { isInvitationToken } from "../../../src/shared/rules/invitation-token.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { codeIn, linkIn, type ReadMail, readOutbox } from "../../support/mail/outbox.ts";

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ env: { PUBLIC_URL: "https://exames.example.com" } });
});
afterAll(() => t[Symbol.asyncDispose]());

const post = (path: string, json: unknown, headers?: Record<string, string>) =>
  t.call("POST", path, { json, headers });

async function mailsTo(email: string): Promise<ReadMail[]> {
  await t.settle();
  return (await readOutbox(t.deps.config.dataDir)).filter((mail) => mail.to.includes(email));
}

async function newestMail(email: string): Promise<ReadMail | undefined> {
  return (await mailsTo(email)).at(-1);
}

/** With codes wanted from here on; people are added without. */
function wantCodes(isWanted: boolean): void {
  t.deps.config.twoFactor = isWanted ? "required" : "off";
}

async function addPerson(name: string): Promise<Person> {
  wantCodes(false);
  const person = await t.addPerson(name);
  wantCodes(true);
  return person;
}

async function signIn(person: Person, headers?: Record<string, string>): Promise<Response> {
  return await post("/api/auth/login", { email: person.email, password: person.password }, headers);
}

describe("the second factor", () => {
  test("is a code mailed after the right password; it opens the session once", async () => {
    const person = await addPerson("Com Código");
    const answer = await signIn(person);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ requiresTwoFactor: true, email: person.email });
    const mail = await newestMail(person.email);
    expect(mail?.subject).toContain("verification code");
    const code = codeIn(mail);
    expect(code).toMatch(/^\d{6}$/);
    const verified = await post("/api/auth/verify-2fa", { email: person.email, code });
    expect(verified.status).toBe(200);
    const { token } = (await verified.json()) as SignedInUser;
    expect((await t.call("GET", "/api/auth/me", { as: { ...person, token } })).status).toBe(200);
    expect((await post("/api/auth/verify-2fa", { email: person.email, code })).status).toBe(401);
  });

  test("is mailed in the language of the request", async () => {
    const person = await addPerson("Fala Português");
    await signIn(person, { "accept-language": "pt-BR" });
    expect((await newestMail(person.email))?.subject).toStartWith("Seu código de verificação");
  });

  test("is never in plain text in the database or the log", async () => {
    const person = await addPerson("Segredo Guardado");
    await signIn(person);
    const code = codeIn(await newestMail(person.email));
    const rows = await t.sql`select row_to_json(l)::text as text from pending_logins l`;
    const jobs = await t.sql`select data::text as text from pgboss.job where name = 'mail.send'`;
    for (const { text } of [...rows, ...jobs]) expect(text).not.toContain(code);
  });

  test("expires after ten minutes", async () => {
    const person = await addPerson("Muito Tarde");
    await signIn(person);
    const code = codeIn(await newestMail(person.email));
    t.advance(10 * 60_000 + 1000);
    expect((await post("/api/auth/verify-2fa", { email: person.email, code })).status).toBe(401);
    t.advance(-(10 * 60_000 + 1000));
  });

  test("allows five tries, also in parallel, then even the right code gets 429", async () => {
    const person = await addPerson("Chuta Código");
    await signIn(person);
    const code = codeIn(await newestMail(person.email));
    const wrong = code === "000000" ? "000001" : "000000";
    const guess = () => post("/api/auth/verify-2fa", { email: person.email, code: wrong });
    const statuses = (await Promise.all(Array.from({ length: 9 }, guess))).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    const right = await post("/api/auth/verify-2fa", { email: person.email, code });
    expect(right.status).toBe(429);
    expect(Number(right.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("allows ten wrong codes an hour, however many codes are requested", async () => {
    const person = await addPerson("Insiste Muito");
    const statuses: number[] = [];
    for (let round = 0; round < 3; round++) {
      await signIn(person);
      for (let i = 0; i < 4; i++) {
        statuses.push((await post("/api/auth/verify-2fa", { email: person.email, code: "999999" })).status);
      }
    }
    expect(statuses.slice(0, 10).every((status) => status === 401)).toBe(true);
    expect(statuses.slice(10)).toEqual([429, 429]);
  });

  test("can be sent again only after a right password, and resend-code answers alike in both cases", async () => {
    const person = await addPerson("Pede de Novo");
    const before = await post("/api/auth/resend-code", { email: person.email });
    const unknown = await post("/api/auth/resend-code", { email: "ninguem@example.com" });
    expect([before.status, await before.text()]).toEqual([unknown.status, await unknown.text()]);
    expect(await mailsTo(person.email)).toEqual([]);
    await signIn(person);
    const first = codeIn(await newestMail(person.email));
    await post("/api/auth/resend-code", { email: person.email });
    const mails = await mailsTo(person.email);
    expect(mails).toHaveLength(2);
    if (first !== codeIn(mails[1])) {
      expect((await post("/api/auth/verify-2fa", { email: person.email, code: first })).status).toBe(401);
    }
    expect((await post("/api/auth/verify-2fa", { email: person.email, code: codeIn(mails[1]) })).status).toBe(
      200,
    );
  });

  test("is sent again three times at most, and within ten minutes of the password", async () => {
    const [often, late] = [await addPerson("Insiste"), await addPerson("Demora")];
    const again = ({ email }: Person) => post("/api/auth/resend-code", { email });
    await signIn(often);
    for (let times = 0; times < 5; times++) await again(often);
    expect(await mailsTo(often.email)).toHaveLength(4);
    await signIn(late);
    for (const minutes of [6, 5]) {
      t.advance(minutes * 60_000);
      await again(late);
    }
    expect(await mailsTo(late.email)).toHaveLength(2);
  });

  test("is skipped by a remembered device for 30 days, which opens nothing by itself", async () => {
    const person = await addPerson("Lembra de Mim");
    await signIn(person);
    const code = codeIn(await newestMail(person.email));
    const verified = await post("/api/auth/verify-2fa", { email: person.email, code, rememberDevice: true });
    const cookie = verified.headers.get("set-cookie") ?? "";
    expect(cookie).toStartWith("__Host-device=");
    for (const flag of ["HttpOnly", "Secure", "SameSite=Strict", "Path=/"]) expect(cookie).toContain(flag);
    const device = { cookie: cookie.split(";")[0] ?? "" };
    expect(await (await signIn(person, device)).json()).toHaveProperty("token");
    const wrong = await post("/api/auth/login", { email: person.email, password: "outra" }, device);
    expect(wrong.status).toBe(401);
    expect((await t.call("GET", "/api/auth/me", { headers: device })).status).toBe(401);
    const other = await addPerson("Outro Dono");
    expect(await (await signIn(other, device)).json()).toMatchObject({ requiresTwoFactor: true });
    t.advance(31 * 24 * 3600_000);
    expect(await (await signIn(person, device)).json()).toMatchObject({ requiresTwoFactor: true });
    t.advance(-31 * 24 * 3600_000);
  });

  test("refuses a code that is not six digits with 400", async () => {
    for (const code of ["12345", "1234567", "12a456", ""]) {
      expect((await post("/api/auth/verify-2fa", { email: "a@example.com", code })).status).toBe(400);
    }
  });
});

describe("a forgotten password", () => {
  test("is reset by the mailed link, once, and every old session ends", async () => {
    const person = await addPerson("Esqueceu");
    wantCodes(false);
    expect((await post("/api/auth/forgot-password", { email: person.email.toUpperCase() })).status).toBe(200);
    const link = linkIn(await newestMail(person.email));
    expect(link.origin).toBe("https://exames.example.com");
    expect(link.pathname).toStartWith("/reset-password/");
    const token = link.pathname.split("/").at(-1);
    expect(isInvitationToken(token ?? "")).toBe(false);
    expect((await post("/api/auth/reset-password", { token, password: "curta" })).status).toBe(400);
    expect((await post("/api/auth/reset-password", { token, password: "nova senha" })).status).toBe(200);
    // Whoever has the link reads the mailbox.
    const [user] = await t.sql`select email_proven_at from users where id = ${person.id}`;
    expect(user?.email_proven_at).not.toBeNull();
    expect((await t.call("GET", "/api/auth/me", { as: person })).status).toBe(401);
    expect((await signIn(person)).status).toBe(401);
    expect((await signIn({ ...person, password: "nova senha" })).status).toBe(200);
    const again = await post("/api/auth/reset-password", { token, password: "outra senha" });
    expect(again.status).toBe(400);
    expect((await problemOf(again)).code).toBe("auth.dead_link");
  });

  test("leaves only the newest link valid, for an hour", async () => {
    const person = await addPerson("Pediu Duas Vezes");
    await post("/api/auth/forgot-password", { email: person.email });
    const first = linkIn(await newestMail(person.email))
      .pathname.split("/")
      .at(-1);
    await post("/api/auth/forgot-password", { email: person.email });
    const second = linkIn(await newestMail(person.email))
      .pathname.split("/")
      .at(-1);
    expect((await post("/api/auth/reset-password", { token: first, password: "nova senha" })).status).toBe(
      400,
    );
    t.advance(3600_000 + 1000);
    expect((await post("/api/auth/reset-password", { token: second, password: "nova senha" })).status).toBe(
      400,
    );
    t.advance(-(3600_000 + 1000));
  });

  test("answers alike whether there is such an account, and mails nobody else", async () => {
    const before = (await readOutbox(t.deps.config.dataDir)).length;
    const answer = await post("/api/auth/forgot-password", { email: "ninguem@example.com" });
    expect([answer.status, await answer.json()]).toEqual([200, { sent: true }]);
    await t.settle();
    expect(await readOutbox(t.deps.config.dataDir)).toHaveLength(before);
  });

  test("can be reset twenty times an hour from one address", async () => {
    const headers = {};
    const statuses: number[] = [];
    t.advance(2 * 3600_000);
    for (let i = 0; i < 21; i++) {
      statuses.push(
        (await post("/api/auth/forgot-password", { email: `n${i}@example.com` }, headers)).status,
      );
    }
    expect(statuses.slice(0, 20).every((status) => status === 200)).toBe(true);
    expect(statuses[20]).toBe(429);
    t.advance(-2 * 3600_000);
  });
});
