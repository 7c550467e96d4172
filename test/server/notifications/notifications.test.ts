import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { notify } from "../../../src/server/features/notifications/notify.ts";
import { sendEndNotices } from "../../../src/server/features/subscriptions/send-end-notices.ts";
import { byProgram } from "../../../src/server/mail/mail-budget.ts";
import { MAX_NOTIFICATIONS, type NotificationList } from "../../../src/shared/api/notifications.ts";
import type { Payment } from "../../../src/shared/api/payments.ts";
import type { OfferedPlan } from "../../../src/shared/api/subscriptions.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let admin: Person;
let owner: Person;
let doctor: Person;
let studyId: string;

beforeAll(async () => {
  t = await createTestApp({
    env: {
      PIX_KEY: "123e4567-e12b-12d1-a456-426655440000",
      PIX_MERCHANT_NAME: "Exames",
      PIX_MERCHANT_CITY: "Brasilia",
    },
  });
  admin = await t.addPerson("Administradora", { role: "admin", plan: null });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

let studies = 0;
beforeEach(async () => {
  t.advance(2 * 3600_000);
  admin.token = await signIn(admin);
  owner = await t.addPerson("Marina Paciente");
  doctor = await t.addPerson("Dra Ines", { role: "doctor", plan: null });
  const { studies: stored } = await t.store(owner, sampleZip({ study: String(++studies) }));
  studyId = stored[0]?.id ?? "";
});

async function signIn({ email, password }: Person): Promise<string> {
  const answer = await t.call("POST", "/api/auth/login", { json: { email, password } });
  return ((await answer.json()) as { token: string }).token;
}

const read = async (as: Person) =>
  (await (await t.call("GET", "/api/notifications", { as })).json()) as NotificationList;
const eventsOf = async (as: Person) => (await read(as)).notifications.map(({ event }) => event);
const share = () =>
  t.call("POST", `/api/studies/${studyId}/share`, { as: owner, json: { email: doctor.email } });
async function attach(as: Person): Promise<number> {
  const form = await formBody({ studyInstanceUID: studyId }, { name: "laudo", bytes: samplePdf() });
  return (await t.call("POST", "/api/studies/laudo/upload", { as, ...form })).status;
}
async function mailsTo({ email }: Person) {
  await t.settle();
  return (await readOutbox(t.deps.config.dataDir)).filter(({ to }) => to.includes(email));
}

describe("an account is told", () => {
  test("that an exam is shared with it, until the access ends; the mail names nobody", async () => {
    await share();
    const { unread, notifications } = await read(doctor);
    expect(unread).toBe(1);
    expect(notifications).toMatchObject([
      { event: "study.shared", actorName: "Marina Paciente", readAt: null, study: { id: studyId } },
    ]);
    const [mail] = await mailsTo(doctor);
    expect(mail?.subject).toBe("An exam was shared with you");
    expect(`${mail?.subject} ${mail?.text}`).not.toContain("Marina");
    await t.call("DELETE", `/api/studies/${studyId}/grants/${doctor.id}`, { as: owner });
    expect(await read(doctor)).toEqual({ unread: 0, notifications: [] });
  });

  test("that its exam has a report, unless it attached that itself, and not once the report is gone", async () => {
    await share();
    expect(await attach(doctor)).toBe(201);
    expect(await eventsOf(owner)).toEqual(["report.attached"]);
    expect((await mailsTo(owner)).map(({ subject }) => subject)).toEqual(["An exam of yours has a report"]);
    await t.call("DELETE", `/api/studies/laudo/${studyId}`, { as: owner });
    expect(await eventsOf(owner)).toEqual([]);
    expect(await attach(owner)).toBe(201);
    expect(await eventsOf(owner)).toEqual([]);
  });

  test("that its Pix was confirmed, and an admin that one waits, until it does not", async () => {
    const plans = (await (
      await t.call("GET", "/api/subscriptions/plans", { as: owner })
    ).json()) as OfferedPlan[];
    const json = { planId: plans.find(({ name }) => name === "Família")?.id };
    const made = (await (
      await t.call("POST", "/api/payments/create", { as: owner, json })
    ).json()) as Payment;
    expect((await read(admin)).notifications[0]).toMatchObject({
      ...{ event: "payment.waiting", actorName: "Marina Paciente" },
      details: { amount: made.amount, planName: "Família" },
    });
    expect((await mailsTo(admin)).at(-1)?.text).not.toContain("Marina");
    await t.call("POST", `/api/payments/${made.id}/confirm`, { as: admin });
    expect(await eventsOf(admin)).not.toContain("payment.waiting");
    expect(await eventsOf(owner)).toEqual(["payment.confirmed"]);
  });

  test("that its plan is about to end, by mail only if it wants that", async () => {
    await t.sql`update subscriptions set expires_at = ${new Date(t.deps.clock.now().getTime() + 2 * 86_400_000).toISOString()}
      where user_id = ${owner.id}`;
    const choice = { event: "plan.ending", wanted: false };
    await t.call("PATCH", "/api/notifications/mails", { as: owner, json: choice });
    await sendEndNotices(t.deps);
    expect(await eventsOf(owner)).toEqual(["plan.ending"]);
    expect(await mailsTo(owner)).toEqual([]);
  });

  test("an admin, once, that an exam did not reach the store at the second try, until it does", async () => {
    await t.sql`update studies set storage_status = 'error' where id = ${studyId}`;
    const fail = () => t.deps.owners.studies.transferFailed(t.deps.db, [studyId]);
    await fail();
    const told = await read(admin);
    expect(told.notifications[0]).toMatchObject({ event: "transfer.failed", study: { id: studyId } });
    await t.call("POST", "/api/notifications/read", { as: admin, json: {} });
    await fail();
    expect((await read(admin)).unread).toBe(0);
    await t.sql`update studies set storage_status = 'b2' where id = ${studyId}`;
    expect(await eventsOf(admin)).not.toContain("transfer.failed");
  });
});

test("people mark only their own notifications as read, one by one or all at once", async () => {
  await share();
  const [told] = (await read(doctor)).notifications;
  const json = { ids: [told?.id] };
  await t.call("POST", "/api/notifications/read", { as: owner, json });
  expect((await read(doctor)).unread).toBe(1);
  await t.call("POST", "/api/notifications/read", { as: doctor, json });
  expect((await read(doctor)).unread).toBe(0);
});

test("an account keeps the newest hundred, and no more", async () => {
  for (let n = 0; n <= MAX_NOTIFICATIONS; n++) {
    t.advance(1_000);
    const subjectId = Bun.randomUUIDv7();
    const notice = {
      event: "study.shared",
      subjectId,
      details: { planName: String(n) },
      cause: byProgram,
    } as const;
    await t.deps.db.transaction((tx) => notify(t.deps, tx, doctor.id, notice));
  }
  const { notifications } = await read(doctor);
  expect(notifications).toHaveLength(MAX_NOTIFICATIONS);
  expect(notifications.at(-1)?.details.planName).toBe("1");
  const [{ kept } = { kept: 0 }] =
    await t.sql`select count(*)::int as kept from notifications where user_id = ${doctor.id}`;
  expect(kept).toBe(MAX_NOTIFICATIONS);
});

test("somebody who is no admin any more reads nothing of the people that admins are told of", async () => {
  const former = await t.addPerson("Ex-Administradora", { role: "admin", plan: null });
  const told = async (event: "payment.waiting" | "account.waiting") => {
    const notice = { event, subjectId: Bun.randomUUIDv7(), actorId: owner.id, cause: byProgram };
    await t.deps.db.transaction((tx) => notify(t.deps, tx, former.id, notice));
  };
  await told("payment.waiting");
  await told("account.waiting");
  expect((await eventsOf(former)).toSorted()).toEqual(["account.waiting", "payment.waiting"]);
  const be = (role: string) => t.call("PATCH", `/api/users/${former.id}`, { as: admin, json: { role } });
  expect((await be("user")).status).toBe(200);
  expect(await read(former)).toEqual({ unread: 0, notifications: [] });
  await be("admin");
  expect((await read(former)).unread).toBe(2);
});

test("the profile offers the events of one's role, and what is told goes with the account", async () => {
  const choices = async (as: Person) =>
    (await (await t.call("GET", "/api/notifications/mails", { as })).json()) as object[];
  expect(await choices(owner)).toContainEqual({ event: "payment.confirmed", wanted: true });
  expect(await choices(doctor)).not.toContainEqual(expect.objectContaining({ event: "payment.confirmed" }));
  const json = { event: "study.shared", wanted: false };
  await t.call("PATCH", "/api/notifications/mails", { as: doctor, json });
  await share();
  expect(await mailsTo(doctor)).toEqual([]);
  expect((await t.call("DELETE", `/api/users/${doctor.id}`, { as: admin })).status).toBe(200);
  const left = await t.sql`select user_id from notifications where user_id = ${doctor.id}
    union all select user_id from mail_choices where user_id = ${doctor.id}`;
  expect(left).toHaveLength(0);
});
