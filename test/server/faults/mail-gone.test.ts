import { expect, test } from "bun:test";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createTestApp } from "../../support/app/test-app.ts";
import { startSmtpServer } from "../../support/mail/smtp-server.ts";
import { startConnectionProxy } from "../../support/network/connection-proxy.ts";
import { until } from "../../support/until.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

test("while the mail server is gone, nobody waits for it and nothing else stops; its mails arrive once it is back", async () => {
  await using smtp = await startSmtpServer();
  await using proxy = await startConnectionProxy(smtp.url);
  await using t = await createTestApp({
    env: { SMTP_URL: proxy.url, ADMIN_EMAIL: "admin@example.com", TWO_FACTOR: "off" },
    overrides: { log: createLogger({ level: "error", write: () => {} }) },
  });
  const person = await t.addPerson("Carteiro Sumiu");
  proxy.cut();
  const asked = await t.call("POST", "/api/auth/forgot-password", { json: { email: person.email } });
  expect(asked.status).toBe(200);
  expect((await t.upload(person, sampleZip({ study: "1" }))).status).toBe(201);
  expect((await t.call("GET", "/api/health")).status).toBe(200);
  const waiting = async () =>
    (await t.sql`select 1 from pgboss.job where name = 'mail.send' and state = 'retry'`).length > 0;
  await until(waiting);
  proxy.mend();
  await t.sql`update pgboss.job set start_after = now() where state = 'retry'`;
  const mail = await smtp.nextMail(person.email);
  expect(mail.text).toContain("/reset-password/");
}, 240_000);
