import { expect, test } from "bun:test";
import type { Db } from "../../../src/server/db/client.ts";
import { forgetExpired } from "../../../src/server/features/accounts/accounts.jobs.ts";
import { cleanAudit } from "../../../src/server/features/audit/audit.jobs.ts";
import { forgetOldRequests } from "../../../src/server/features/deliveries/deliveries.jobs.ts";
import { sweepResumables } from "../../../src/server/features/ingest/resumable/sweep-resumables.ts";
import { forgetOldLinks } from "../../../src/server/features/links/links.jobs.ts";
import { listOpenRemovals } from "../../../src/server/features/removals/list-open-removals.ts";
import { purgeRemovals } from "../../../src/server/features/removals/purge-removals.ts";
import { removeLapsed } from "../../../src/server/features/removals/remove-lapsed.ts";
import { forgetOldSupportMessages } from "../../../src/server/features/support/support.jobs.ts";
import { DatabaseClock } from "../../../src/server/nodes/database-clock.ts";
import { DAY_MS } from "../../../src/shared/units.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import { tusOf } from "../../support/app/tus.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

/** A node's work with a clock of its machine that is a year ahead of the database's. */
function aYearAhead({ deps }: TestApp): TestApp["deps"] {
  const ahead = (now: () => number) => ({ now: () => new Date(now() + 365 * DAY_MS) });
  const clock = ahead(() => deps.clock.now().getTime());
  class Measured extends DatabaseClock {
    override follow(db: Db): Promise<number> {
      return super.follow(db, ahead(Date.now));
    }
  }
  return { ...deps, clock, databaseClock: new Measured(clock) };
}

test("a node whose clock is a year ahead deletes nothing for good before its time", async () => {
  await using t = await createTestApp();
  const ana = await t.addPerson("Ana");
  const { studies } = await t.store(ana, sampleZip({ study: "1" }));
  const made = { as: ana, json: { studyIds: [studies[0]?.id] } };
  expect((await t.call("POST", "/api/links", made)).status).toBe(201);
  expect((await t.call("POST", "/api/requests", { as: ana, json: { label: "Clínica" } })).status).toBe(201);
  const tus = tusOf(t, ana);
  const upload = await tus.begin(1_000);
  expect((await tus.patch(upload, 0, new Uint8Array(600))).status).toBe(204);
  const bia = await t.addPerson("Bia", { plan: "familia" });
  await t.store(bia, sampleZip({ study: "2" }));
  expect((await t.call("POST", "/api/subscriptions/cancel", { as: bia })).status).toBe(200);

  const node = aYearAhead(t);
  await purgeRemovals(node);
  await sweepResumables(node, new AbortController().signal);
  await forgetOldLinks(node);
  await forgetOldRequests(node);

  expect(await listOpenRemovals(t.deps)).toMatchObject([{ studyCount: 1 }]);
  expect((await tus.head(upload)).headers.get("upload-offset")).toBe("600");
  for (const path of ["/api/links", "/api/requests"])
    expect(await (await t.call("GET", path, { as: ana })).json()).toHaveLength(1);
  const removed = await t.sql`select 1 from studies where account_id = ${bia.id}`;
  expect(removed).toHaveLength(1);
});

test("nor a support message, the log of visitors, or a token that goes on for a month", async () => {
  await using t = await createTestApp();
  const ana = await t.addPerson("Ana");
  const form = new FormData();
  const message = { subject: "Dúvida", message: "Olá", userEmail: "ana@example.com", userName: "Ana" };
  for (const [name, text] of Object.entries(message)) form.set(name, text);
  expect((await t.call("POST", "/api/support/send", { body: form })).ok).toBe(true);
  await t.sql`insert into audit_events (at, action) values (now() - interval '1 day', 'session.failed')`;
  const token = { name: "Programa", scopes: ["api"], expiresAt: null };
  expect((await t.call("POST", "/api/tokens", { as: ana, json: token })).ok).toBe(true);
  await t.sql`update access_tokens set expires_at = now() + interval '30 days'`;

  const node = aYearAhead(t);
  await forgetOldSupportMessages(node);
  await cleanAudit(node);
  await forgetExpired(node);

  expect(await t.sql`select 1 from support_messages`).toHaveLength(1);
  expect(await t.sql`select 1 from audit_events where action = 'session.failed'`).toHaveLength(1);
  expect(await t.sql`select 1 from access_tokens`).toHaveLength(1);
});

test("nor does it remove the exams of a subscription that ended yesterday, in the moments after its clock jumped", async () => {
  await using t = await createTestApp();
  const ana = await t.addPerson("Ana");
  await t.store(ana, sampleZip({ study: "1" }));
  await t.sql`update subscriptions set expires_at = now() - interval '1 day' where user_id = ${ana.id}`;
  await removeLapsed(aYearAhead(t));
  expect(await t.sql`select 1 from subscription_notices where kind like 'removal%'`).toHaveLength(0);
  expect(await t.sql`select 1 from removals`).toHaveLength(0);
});
