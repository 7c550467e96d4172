import { expect, test } from "bun:test";
import { ConfigError } from "../../../src/server/config.ts";
import { ensureAdmin } from "../../../src/server/features/accounts/users/ensure-admin.ts";
import { createTestApp } from "../../support/app/test-app.ts";

test("the first admin gets no address with which nobody can sign in", async () => {
  await using t = await createTestApp({ jobs: false });
  const { db, clock, config } = t.deps;
  const made = (adminEmail: string) =>
    ensureAdmin({ db, clock, config: { ...config, adminEmail, adminPassword: "segredo de teste" } });
  const failure = await made("root@localhost").catch((error: unknown) => error);
  expect(failure instanceof ConfigError && failure.problems).toEqual([
    expect.stringContaining("ADMIN_EMAIL must be an address such as admin@example.com"),
  ]);
  expect(await t.sql`select 1 from users where role = 'admin'`).toHaveLength(0);

  expect((await made("chefe@example.com"))?.email).toBe("chefe@example.com");
  const json = { email: "chefe@example.com", password: "segredo de teste" };
  expect((await t.call("POST", "/api/auth/login", { json })).status).toBe(200);
});
