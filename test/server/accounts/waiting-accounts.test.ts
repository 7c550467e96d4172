import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { insertUser } from "../../../src/server/features/accounts/users/users.repo.ts";
import { tellOfWaiting } from "../../../src/server/features/membership/waiting-accounts.ts";
import { byAccount, IN_ALL, takeFromBudgets } from "../../../src/server/mail/mail-budget.ts";
import type { NotificationList } from "../../../src/shared/api/notifications.ts";
import type { Operations } from "../../../src/shared/api/operations.ts";
import type { CurrentUser } from "../../../src/shared/api/users.ts";
import { DAY_MS, HOUR_MS } from "../../../src/shared/units.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { until } from "../../support/until.ts";

let t: TestApp;
let admin: Person;
let mailsBefore: number;

beforeAll(async () => {
  t = await createTestApp({ env: { REGISTRATION: "approval", TRIAL_DAYS: "14" } });
  const email = "alice@example.com";
  const id = await register("Alice Admin", email);
  await t.sql`update users set role = 'admin', is_authorized = true where id = ${id}`;
  await t.sql`delete from notifications`;
  admin = { id, email, password: "segredo longo", token: "" };
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

beforeEach(async () => {
  await t.settle();
  t.advance(2 * HOUR_MS);
  admin.token = ((await (await signIn(admin.email)).json()) as { token: string }).token;
  mailsBefore = (await mails()).length;
});

async function register(name: string, email: string): Promise<string> {
  const json = { name, email, cpfcnpj: "529.982.247-25", password: "segredo longo" };
  const answer = await t.call("POST", "/api/auth/register", { json });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: string }).id;
}
const signIn = (email: string) =>
  t.call("POST", "/api/auth/login", { json: { email, password: "segredo longo" } });
const authorize = async (id: string, json: object = { isAuthorized: true }) =>
  (await (await t.call("PATCH", `/api/users/${id}`, { as: admin, json })).json()) as CurrentUser;
const remove = (id: string) => t.call("DELETE", `/api/users/${id}`, { as: admin });
const told = async () =>
  ((await (await t.call("GET", "/api/notifications", { as: admin })).json()) as NotificationList)
    .notifications;
const operations = async () =>
  (await (await t.call("GET", "/api/operations", { as: admin })).json()) as Operations;
const mails = () => readOutbox(t.deps.config.dataDir);
async function newMails() {
  await t.settle();
  return (await mails()).slice(mailsBefore).map(({ to, subject }) => [to, subject]);
}

test("admins are told that an account waits, with one mail an hour, until none does", async () => {
  const [ana, bia] = [
    await register("Ana Nova", "ana@example.com"),
    await register("Bia Nova", "bia@example.com"),
  ];
  expect(await told()).toMatchObject([{ event: "account.waiting", actorName: "Bia Nova", readAt: null }]);
  expect(await newMails()).toEqual([[admin.email, "An account waits for your authorization"]]);
  await authorize(ana);
  expect(await told()).toHaveLength(1);
  expect((await remove(bia)).status).toBe(200);
  expect(await told()).toEqual([]);
});

test("the admin's home page names those that wait before all others, however long they do", async () => {
  const waiting = await register("Caio Espera", "caio@example.com");
  t.advance(8 * DAY_MS);
  admin.token = ((await (await signIn(admin.email)).json()) as { token: string }).token;
  const added = await t.call("POST", "/api/users", {
    as: admin,
    json: { name: "Davi Novo", email: "davi@example.com" },
  });
  expect(added.status).toBe(201);
  const { waitingAccounts, newAccounts } = await operations();
  expect(waitingAccounts).toBe(1);
  expect(newAccounts.map(({ name, isWaiting }) => [name, isWaiting])).toEqual([
    ["Caio Espera", true],
    ["Davi Novo", false],
  ]);
  await remove(waiting);
});

test("who is let in gets a mail and the whole trial, however long they waited", async () => {
  const id = await register("Eva Espera", "eva@example.com");
  t.advance(20 * DAY_MS);
  admin.token = ((await (await signIn(admin.email)).json()) as { token: string }).token;
  const { expiresAt } = await authorize(id);
  expect(new Date(expiresAt ?? 0).getTime()).toBeGreaterThan(t.deps.clock.now().getTime() + 13 * DAY_MS);
  expect((await newMails()).at(-1)).toEqual(["eva@example.com", "Your Exameteca account was authorized"]);
  expect((await signIn("eva@example.com")).status).toBe(200);
});

test("an end that the admin chose stays, and an account that was in before gets no second trial", async () => {
  const id = await register("Fabio Espera", "fabio@example.com");
  const chosen = new Date(t.deps.clock.now().getTime() + 2 * DAY_MS).toISOString();
  expect((await authorize(id, { isAuthorized: true, expiresAt: chosen })).expiresAt).toBe(chosen);
  const { token } = (await (await signIn("fabio@example.com")).json()) as { token: string };
  await t.call("POST", "/api/users/accept-terms", { as: { ...admin, token } });
  await authorize(id, { isAuthorized: false });
  expect((await authorize(id)).expiresAt).toBe(chosen);
  expect((await operations()).waitingAccounts).toBe(0);
});

test("who was shut out does not wait, though they never accepted the terms, and gets no second trial", async () => {
  const id = await register("Gil Fora", "gil@example.com");
  const { expiresAt } = await authorize(id);
  await authorize(id, { isAuthorized: false });
  const { waitingAccounts, newAccounts } = await operations();
  expect([waitingAccounts, newAccounts.find((account) => account.id === id)?.isWaiting]).toEqual([0, false]);
  t.advance(5 * DAY_MS);
  admin.token = ((await (await signIn(admin.email)).json()) as { token: string }).token;
  expect((await authorize(id)).expiresAt).toBe(expiresAt);
  expect((await newMails()).filter(([to]) => to === "gil@example.com")).toHaveLength(1);
});

test("admins stay told of an account that registers while the last other one is let in", async () => {
  const { promise: maySettle, resolve: settle } = Promise.withResolvers<void>();
  const isTold = Promise.withResolvers<void>();
  const first = await register("Hugo Espera", "hugo@example.com");
  const registering = t.deps.db.transaction(async (tx) => {
    const row = { name: "Ivo Novo", email: "ivo@example.com", passwordHash: "", role: "user" } as const;
    const id = Bun.randomUUIDv7();
    await insertUser(tx, { ...row, id, isAuthorized: false, createdAt: t.deps.clock.now() });
    await tellOfWaiting(t.deps, tx, id);
    isTold.resolve();
    await maySettle;
  });
  await isTold.promise;
  const letting = authorize(first);
  const blocked = () => t.sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await until(async () => (await blocked()).length > 0);
  settle();
  await Promise.all([registering, letting]);
  expect(await told()).toMatchObject([{ event: "account.waiting", actorName: "Ivo Novo" }]);
});

test("whoever is let in is told, however many mails the admin has caused within the hour", async () => {
  const late = await register("Lia Tarde", "lia@example.com");
  await t.deps.db.transaction(async (tx) => {
    for (let count = 0; count < IN_ALL; count++)
      await takeFromBudgets(tx, byAccount(admin.id, t.deps.clock.now()), `${count}@example.com`);
  });
  await authorize(late);
  expect(await newMails()).toContainEqual(["lia@example.com", "Your Exameteca account was authorized"]);
});
