import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { byAccount, takeFromBudgets } from "../../../src/server/mail/mail-budget.ts";
import type { NewUserAnswer } from "../../../src/shared/api/users.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { createVisitor } from "../../support/app/visitor.ts";
import { codeIn, linkIn, readOutbox } from "../../support/mail/outbox.ts";
import { untilLockWaits } from "../../support/until.ts";

let t: TestApp;
beforeAll(async () => {
  const env = { PUBLIC_URL: "https://exames.example.com", TRUST_PROXY: "127.0.0.1" };
  t = await createTestApp({ env });
});
afterAll(() => t[Symbol.asyncDispose]());
beforeEach(() => {
  t.advance(2 * 3600_000);
  t.deps.config.twoFactor = "off";
});

async function countMailsTo(email: string): Promise<number> {
  return (await mailsTo(email)).length;
}

async function mailsTo(email: string) {
  await t.settle();
  return (await readOutbox(t.deps.config.dataDir)).filter((mail) => mail.to.includes(email));
}

const change = (person: Person, email: string, name = "Nome Igual") =>
  t.call("PATCH", "/api/users/profile", {
    as: person,
    json: { name, email, currentPassword: person.password },
  });

describe("one account", () => {
  test("causes five mails an hour to one recipient however often it asks, and every change is told to the old address", async () => {
    const person = await t.addPerson("Canhão de Correio");
    const statuses: number[] = [];
    for (let i = 0; i < 20; i++) statuses.push((await change(person, `alvo+${i}@example.com`)).status);
    expect(statuses).toEqual([...Array(5).fill(200), ...Array(15).fill(429)]);
    expect(await countMailsTo("alvo+")).toBe(5);
    const warnings = await mailsTo(person.email);
    expect(warnings.map((mail) => linkIn(mail).pathname.startsWith("/stop-email-change/"))).toEqual(
      Array(5).fill(true),
    );
  });

  test("is refused before anything changes, learns for how long, and can go on when the hour is over", async () => {
    const person = await t.addPerson("Espera a Hora");
    for (let i = 0; i < 5; i++) expect((await change(person, `hora${i}@example.com`)).status).toBe(200);
    const refused = await change(person, "sexta@example.com", "Nome Novo");
    expect([refused.status, (await problemOf(refused)).code]).toEqual([429, "throttled"]);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(3500);
    const [row] = await t.sql`select u.name, l.new_email from users u join mailed_links l on l.user_id = u.id
      where u.id = ${person.id}`;
    expect({ ...row }).toEqual({ name: "Nome Igual", new_email: "hora4@example.com" });
    t.advance(seconds * 1000);
    expect((await change(person, "sexta@example.com")).status).toBe(200);
  });

  test("mails several people at once while it mails one of them, and neither fails", async () => {
    const { db } = t.deps;
    const cause = byAccount(Bun.randomUUIDv7(), t.deps.clock.now());
    let other: Promise<void> = Promise.resolve();
    await db.transaction(async (tx) => {
      await takeFromBudgets(tx, cause, "um@example.com");
      other = db.transaction((second) => takeFromBudgets(second, cause, "outro@example.com"));
      await untilLockWaits(t.sql);
      await takeFromBudgets(tx, cause, "outro@example.com");
    });
    await other;
  });

  test("waits for no mails of a time that has yet to come", async () => {
    const person = await t.addPerson("Relógio Adiantado");
    for (let i = 0; i < 5; i++) expect((await change(person, `adiante${i}@example.com`)).status).toBe(200);
    expect((await change(person, "agora@example.com")).status).toBe(429);
    // The clock was ahead, and was set back.
    await t.sql`update mail_ledger set at = at + interval '3 days'`;
    expect((await change(person, "agora@example.com")).status).toBe(200);
  });

  test("can't exceed its limit by concurrent requests", async () => {
    const person = await t.addPerson("Tudo Junto");
    const asks = Array.from({ length: 12 }, (_, i) => change(person, `junto${i}@example.com`));
    const statuses = (await Promise.all(asks)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(await countMailsTo(person.email)).toBe(5);
  });

  test("of an admin causes twenty mails in all: invitations beyond them are handed over as links", async () => {
    await using mailing = await createTestApp({
      env: { SMTP_URL: "smtp://127.0.0.1:9", TWO_FACTOR: "off" },
      jobs: false,
    });
    const admin = await mailing.addPerson("Admin Convida", { role: "admin" });
    const answers: NewUserAnswer[] = [];
    for (let i = 0; i < 22; i++) {
      const json = { name: "Convidada", email: `convidada${i}@example.com` };
      const answer = await mailing.call("POST", "/api/users", { as: admin, json });
      expect(answer.status).toBe(201);
      answers.push((await answer.json()) as NewUserAnswer);
    }
    expect(answers.map(({ invitationUrl }) => invitationUrl !== undefined)).toEqual([
      ...Array(20).fill(false),
      true,
      true,
    ]);
    const [jobs] = await mailing.sql`select count(*)::int as mails from pgboss.job where name = 'mail.send'`;
    expect(jobs?.mails).toBe(20);
    const token = answers[21]?.invitationUrl?.split("/").at(-1);
    const chosen = await mailing.call("POST", "/api/auth/reset-password", {
      json: { token, password: "minha senha" },
    });
    expect(chosen.status).toBe(200);
  });
});

describe("many accounts together", () => {
  test("cause at most twenty mails an hour to an address that is not theirs", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) {
      const person = await t.addPerson("Exército");
      for (let k = 0; k < 5; k++) statuses.push((await change(person, "vitima@example.com")).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(await countMailsTo("vitima@example.com")).toBe(20);
  });
});

describe("reset links", () => {
  test("requested by strangers are at most five an hour in all, and the owner's browser still gets its own", async () => {
    const person = await t.addPerson("Esquece Muito");
    const owner = createVisitor(t, "198.51.100.9");
    await owner.post("/api/auth/login", { email: person.email, password: person.password });
    for (let i = 0; i < 14; i++) {
      const stranger = createVisitor(t, `203.0.113.${i}`);
      const answer = await stranger.post("/api/auth/forgot-password", { email: person.email });
      expect([answer.status, await answer.json()]).toEqual([200, { sent: true }]);
      await t.settle();
    }
    expect(await countMailsTo(person.email)).toBe(5);
    await owner.post("/api/auth/forgot-password", { email: person.email });
    expect(await countMailsTo(person.email)).toBe(6);
    const token = linkIn((await mailsTo(person.email)).at(-1))
      .pathname.split("/")
      .at(-1);
    await createVisitor(t, "203.0.113.99").post("/api/auth/forgot-password", { email: person.email });
    await t.settle();
    const reset = await owner.post("/api/auth/reset-password", { token, password: "nova senha" });
    expect(reset.status).toBe(200);
  });
});

describe("codes", () => {
  test("are five an hour for an address, twenty for all strangers, and the owner's browser has its own", async () => {
    const person = await t.addPerson("Recebe Códigos");
    const owner = createVisitor(t, "198.51.100.10");
    const logIn = (at: typeof owner) =>
      at.post("/api/auth/login", { email: person.email, password: person.password });
    await logIn(owner);
    t.deps.config.twoFactor = "required";
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) {
      const thief = createVisitor(t, `203.0.113.${20 + i}`);
      for (let k = 0; k < 6; k++) statuses.push((await logIn(thief)).status);
    }
    expect(statuses.slice(0, 6)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(await countMailsTo(person.email)).toBe(20);
    expect((await logIn(owner)).status).toBe(200);
    const code = codeIn((await mailsTo(person.email)).at(-1));
    expect((await owner.post("/api/auth/verify-2fa", { email: person.email, code })).status).toBe(200);
  });

  test("are sent again three times for one sign-in, and resend-code answers alike beyond that", async () => {
    const person = await t.addPerson("Não Chegou");
    const owner = createVisitor(t, "198.51.100.11");
    await owner.post("/api/auth/login", { email: person.email, password: person.password });
    t.deps.config.twoFactor = "required";
    await owner.post("/api/auth/login", { email: person.email, password: person.password });
    for (let i = 0; i < 10; i++) {
      const answer = await owner.post("/api/auth/resend-code", { email: person.email });
      expect([answer.status, await answer.json()]).toEqual([200, { sent: true }]);
    }
    expect(await countMailsTo(person.email)).toBe(4);
    const code = codeIn((await mailsTo(person.email)).at(-1));
    expect((await owner.post("/api/auth/verify-2fa", { email: person.email, code })).status).toBe(200);
  });
});
