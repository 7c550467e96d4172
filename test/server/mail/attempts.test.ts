import { expect, test } from "bun:test";
import { createTransport } from "nodemailer";
import { enqueueMail, type MailOptions } from "../../../src/server/mail/mail.jobs.ts";
import { byProgram } from "../../../src/server/mail/mail-budget.ts";
import type { Mail } from "../../../src/server/mail/mailer.ts";
import { compose, createSmtpMailer } from "../../../src/server/mail/smtp-mailer.ts";
import { createTestApp } from "../../support/app/test-app.ts";
import { startSmtpServer } from "../../support/mail/smtp-server.ts";
import { startConnectionProxy } from "../../support/network/connection-proxy.ts";
import { until } from "../../support/until.ts";

const FROM = "Exameteca <nao-responda@exames.example.com>";

async function headOf(mail: Mail): Promise<string> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const { message } = await transport.sendMail(compose(mail, FROM));
  return String(message).split("\r\n\r\n", 1)[0] ?? "";
}

test("a mail that is sent again after a lost answer is the same message, and another one is not", async () => {
  const tried: Mail[] = [];
  await using t = await createTestApp({ env: { TWO_FACTOR: "off" } });
  t.deps.mailer.send = async (mail) => {
    tried.push(mail);
    if (tried.length === 1) throw new Error("the connection ended before the answer");
  };
  const person = await t.addPerson("Recebe Uma Vez");
  const ask = () => t.call("POST", "/api/auth/forgot-password", { json: { email: person.email } });
  await ask();
  await until(async () => tried.length === 1);
  await until(async () => {
    await t.sql`update pgboss.job set start_after = now() where state = 'retry'`;
    return tried.length === 2;
  });
  await ask();
  await until(async () => tried.length === 3);
  const ids = (await Promise.all(tried.map(headOf))).map((head) => /^Message-ID: (.*)$/im.exec(head)?.[1]);
  expect(ids[0]).toMatch(/^<[0-9a-f]{32}@exames\.example\.com>$/);
  expect(ids[1]).toBe(ids[0] ?? "");
  expect(ids[2]).not.toBe(ids[0] ?? "");
});

test("a code goes before notices that wait longer", async () => {
  const sent: string[] = [];
  const server = Promise.withResolvers<void>();
  await using t = await createTestApp();
  t.deps.mailer.send = async ({ to }) => {
    sent.push(to);
    await server.promise;
  };
  const enqueue = (to: string, options?: MailOptions) =>
    t.deps.db.transaction((tx) =>
      enqueueMail(t.deps, tx, { to, subject: "Olá", text: "Olá", html: "<p>Olá</p>" }, byProgram, options),
    );
  for (const to of ["a@example.com", "b@example.com"]) await enqueue(to);
  await until(() => sent.length === 2);
  for (const to of ["c@example.com", "d@example.com", "e@example.com"]) await enqueue(to);
  await enqueue("codigo@example.com", { isAwaited: true });
  server.resolve();
  await until(() => sent.length === 6);
  expect(sent.slice(2, 4)).toContain("codigo@example.com");
});

test("automatic answers are asked to stay away, except from a message to support", async () => {
  const mail: Mail = { to: "um@example.com", subject: "Olá", text: "Olá", html: "<p>Olá</p>" };
  expect(await headOf(mail)).toMatch(/^Auto-Submitted: auto-generated$/m);
  expect(await headOf({ ...mail, replyTo: "pessoa@example.com" })).not.toContain("Auto-Submitted");
});

test("a mail is sent once to a server that looks at it for half a minute before it takes it", async () => {
  await using server = await startSmtpServer({ answersAfterMs: 30_000 });
  const mailer = createSmtpMailer({ url: server.url, from: FROM });
  const to = "espera@example.com";
  await mailer.send({ to, subject: "Olá", text: "Olá", html: "<p>Olá</p>" });
  expect((await server.nextMail(to)).text).toContain("Olá");
  mailer.close();
}, 240_000);

test("a mail does not wait on a connection whose other side was forgotten while nothing went over it", async () => {
  await using server = await startSmtpServer();
  await using proxy = await startConnectionProxy(server.url);
  const mailer = createSmtpMailer({ url: proxy.url, from: FROM });
  const mail = { subject: "Olá", text: "Olá", html: "<p>Olá</p>" };
  await mailer.send({ ...mail, to: "antes@example.com" });
  await Bun.sleep(25_000);
  proxy.forget();
  await mailer.send({ ...mail, to: "depois@example.com" });
  expect((await server.nextMail("depois@example.com")).text).toContain("Olá");
  mailer.close();
}, 240_000);
