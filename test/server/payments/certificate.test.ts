import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tellOfCertificate } from "../../../src/server/features/payments/tell-of-certificate.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { openPixAtPsp, pixErrorOf } from "../../support/psp/pix-at-psp.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const DAY_MS = 86_400_000;

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp();
  await t.addPerson("Administradora", { role: "admin", plan: null });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

test("an admin is told from 30 days before the certificate for Pix ends, once a week, and of one that has ended", async () => {
  await using at = await openPixAtPsp();
  const lines: string[] = [];
  const log = createLogger({ level: "warn", write: (line) => void lines.push(line) });
  const endsAt = new Date(t.deps.clock.now().getTime() + 31 * DAY_MS);
  const tell = async () => {
    await tellOfCertificate({ ...t.deps, log, pix: { ...at.pix, certificateEndsAt: async () => endsAt } });
    await t.settle();
    return (await readOutbox(t.deps.config.dataDir)).filter(({ text }) => text.includes("PIX_CERT"));
  };
  expect(await tell()).toEqual([]);
  expect(lines).toEqual([]);
  t.advance(1.5 * DAY_MS);
  for (let times = 0; times < 2; times++) expect(await tell()).toHaveLength(1);
  t.advance(6 * DAY_MS);
  expect(await tell()).toHaveLength(1);
  t.advance(1.5 * DAY_MS);
  expect(await tell()).toHaveLength(2);
  t.advance(30 * DAY_MS);
  const mails = await tell();
  expect(mails.map(({ subject }) => / (ends|ended) on /.exec(subject)?.[1])).toEqual([
    "ends",
    "ends",
    "ended",
  ]);
  expect(lines).toHaveLength(5);
});

test("a PSP that can't be asked with a certificate that has ended is logged with that reason, and the adapter knows when it ends", async () => {
  await using folder = createTempFolder();
  await using at = await openPixAtPsp();
  expect(Number(await at.pix.certificateEndsAt?.()) - Date.now()).toBeGreaterThan(200 * DAY_MS);
  const until = new Date(Math.floor(Date.now() / 1000) * 1000 - DAY_MS);
  const { cert, key } = at.psp.authority.certify("exameteca", { until });
  const [certFile, certKeyFile] = [join(folder.path, "cert"), join(folder.path, "key")];
  await Promise.all([writeFile(certFile, cert), writeFile(certKeyFile, key)]);
  await using late = await openPixAtPsp({ config: { ...at.psp.config, certFile, certKeyFile } });
  const error = await pixErrorOf(late.pix.readCob(late.pix.newTxid()));
  expect(error.kind).toBe("unavailable");
  expect(error.message).toEndWith(`; PIX_CERT ended at ${until.toISOString()}`);
});
