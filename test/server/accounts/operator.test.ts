import { expect, test } from "bun:test";
import { findOperator } from "../../../src/server/features/accounts/users/find-operator.ts";
import { tellOfLowDisks } from "../../../src/server/features/monitoring/tell-of-low-disks.ts";
import { createTestApp } from "../../support/app/test-app.ts";

const SUPPORT = "ajuda@example.com";
const ADMIN = "admin@example.com";

test("one address hears what the program has to tell: SUPPORT_EMAIL, or ADMIN_EMAIL, or the first admin's", async () => {
  await using t = await createTestApp({ jobs: false });
  const { config, db } = t.deps;
  const operator = (set: { supportEmail?: string; adminEmail?: string }) =>
    findOperator({ config: { ...config, supportEmail: undefined, adminEmail: undefined, ...set } }, db);
  expect(await operator({})).toBeUndefined();
  const { id, email } = await t.addPerson("Beatriz", { role: "admin" });
  await t.sql`update users set locale = 'en-US' where id = ${id}`;
  expect(await operator({})).toEqual({ to: email, locale: "en-US" });
  expect(await operator({ adminEmail: ADMIN })).toEqual({ to: ADMIN, locale: "pt-BR" });
  expect(await operator({ adminEmail: ADMIN, supportEmail: SUPPORT })).toEqual({
    to: SUPPORT,
    locale: "pt-BR",
  });
});

test("a disk that is low is told to SUPPORT_EMAIL, as a returned payment is", async () => {
  await using t = await createTestApp({ jobs: false, env: { SUPPORT_EMAIL: SUPPORT, ADMIN_EMAIL: ADMIN } });
  const told: string[] = [];
  const mailSeal = { ...t.deps.mailSeal, close: (mail: { to: string }) => String(told.push(mail.to)) };
  await t.sql`insert into nodes (id, started_at, steady_since, last_beat_at, disk_free_bytes, disk_size_bytes)
    values (${Bun.randomUUIDv7()}, now(), now(), now(), 3000000000, 100000000000)`;
  await tellOfLowDisks({ ...t.deps, mailSeal: mailSeal as never });
  expect(told).toEqual([SUPPORT]);
});
