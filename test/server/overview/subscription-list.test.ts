import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AccountSubscription } from "../../../src/shared/api/subscriptions.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";

let t: TestApp;
let admin: Person;

beforeAll(async () => {
  t = await createTestApp({
    env: {
      PIX_KEY: "123e4567-e12b-12d1-a456-426655440000",
      PIX_MERCHANT_NAME: "Exames",
      PIX_MERCHANT_CITY: "Brasília",
    },
  });
  admin = await t.addPerson("Administradora", { role: "admin" });
});
afterAll(() => t[Symbol.asyncDispose]());

async function list(query = "") {
  const answer = await t.call("GET", `/api/subscriptions/all${query}`, { as: admin });
  expect(answer.status).toBe(200);
  const rows = (await answer.json()) as AccountSubscription[];
  return {
    rows,
    names: rows.map(({ user }) => user.id),
    total: Number(answer.headers.get("X-Total-Count")),
  };
}

test("each subscription is on exactly one page, and each page says how many there are", async () => {
  for (const number of [1, 2, 3, 4]) await t.addPerson(`Página ${number}`);
  const all = await list();
  expect(all.total).toBe(all.rows.length);
  expect(all.total).toBeGreaterThan(4);
  const paged: AccountSubscription[] = [];
  for (let offset = 0; offset < all.total; offset += 2) {
    const page = await list(`?limit=2&offset=${offset}`);
    expect(page.total).toBe(all.total);
    paged.push(...page.rows);
  }
  expect(paged).toEqual(all.rows);
  expect((await list(`?limit=2&offset=${all.total}`)).rows).toEqual([]);
});

test("subscriptions are found by name or e-mail without case and accents, and by the status that they show", async () => {
  const [active, over, paying, unpaid] = [
    await t.addPerson("Ativo Álvaro"),
    await t.addPerson("Antigo Álvaro"),
    await t.addPerson("Pagando Álvaro", { plan: null }),
    await t.addPerson("Desistente Álvaro", { plan: null }),
  ];
  await t.sql`update subscriptions set expires_at = now() - interval '1 day' where user_id = ${over.id}`;
  await t.sql`delete from payments`;
  const [plan] = await t.sql`select id from plans where slug = 'essencial'`;
  for (const person of [paying, unpaid]) {
    const bought = await t.call("POST", "/api/payments/create", { as: person, json: { planId: plan?.id } });
    expect(bought.status).toBe(201);
  }
  await t.sql`update payments set expires_at = now() - interval '1 minute' where user_id = ${unpaid.id}`;
  const found = async (query: string) => (await list(`?${query}`)).names.toSorted();
  const sorted = (...people: Person[]) => people.map(({ id }) => id).toSorted();
  expect(await found("search=ALVARO")).toEqual(sorted(active, over, paying));
  expect(await found(`search=${encodeURIComponent(over.email.toUpperCase())}`)).toEqual([over.id]);
  for (const [status, person] of Object.entries({ active, expired: over, pending: paying })) {
    const { rows, names, total } = await list(`?search=alvaro&status=${status}`);
    expect([names, total]).toEqual([[person.id], 1]);
    expect(rows[0]?.subscription.status as string).toBe(status);
  }
  // One that was never paid is in no list.
  expect((await list()).names).not.toContain(unpaid.id);
});

test("a page that can't be is refused, and what the call does not know is ignored as before", async () => {
  for (const query of ["limit=0", "limit=1001", "offset=-1", "status=gone"]) {
    const answer = await t.call("GET", `/api/subscriptions/all?${query}`, { as: admin });
    expect([query, answer.status]).toEqual([query, 400]);
  }
  expect((await list("?other=1")).total).toBe((await list()).total);
});
