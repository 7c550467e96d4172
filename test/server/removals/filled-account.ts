import { startSubscription } from "../../../src/server/features/subscriptions/start-subscription.ts";
import type { DownloadTicket } from "../../../src/shared/api/downloads.ts";
import type { LabExam } from "../../../src/shared/api/labs.ts";
import type { Study, ViewerToken } from "../../../src/shared/api/studies.ts";
import type { Subscription } from "../../../src/shared/api/subscriptions.ts";
import type { Person, TestApp } from "../../support/app/test-app.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

export const HOUR_MS = 3600_000;
export const DAY_MS = 24 * HOUR_MS;
export const origin = { address: "203.0.113.7", requestId: "00000000-0000-7000-8000-000000000000" };

/** How long a cancellation can be undone. */
export const GRACE_MS = 72 * HOUR_MS;

/** Somebody with two studies, one of them with a report and granted to others, and a lab exam. */
export interface FilledAccount {
  owner: Person;
  doctor: Person;
  relative: Person;
  studyIds: string[];
  labId: string;
}

/** Runs numbers for Study Instance UIDs, so that accounts of one test do not share any. */
let numbers = 500;
export const newStudyNumber = () => `${++numbers}`;

export async function fillAccount(
  t: TestApp,
  name: string,
  options: { plan?: string } = {},
): Promise<FilledAccount> {
  const owner = await t.addPerson(name, { plan: options.plan ?? "familia" });
  const doctor = await t.addPerson(`${name} Doutora`, { role: "doctor", plan: null });
  const relative = await t.addPerson(`${name} Parente`);
  const [first, second] = [newStudyNumber(), newStudyNumber()];
  const { studies } = await t.store(
    owner,
    sampleZip({ study: first }, { study: first, sop: "2" }, { study: second }),
  );
  const studyIds = studies.map(({ id }) => id);
  const [reported = ""] = studyIds;
  await attachReport(t, owner, reported);
  for (const { id: userId } of [doctor, relative]) {
    for (const id of studyIds) {
      const granted = await t.call("POST", `/api/studies/${id}/assign`, { as: owner, json: { userId } });
      if (granted.status !== 200) throw new Error(`assign: ${granted.status}`);
    }
  }
  return { owner, doctor, relative, studyIds, labId: await addLabExam(t, owner) };
}

export async function attachReport(t: TestApp, as: Person, studyId: string): Promise<Response> {
  const form = await formBody({ studyInstanceUID: studyId }, { name: "laudo", bytes: samplePdf("laudo") });
  return await t.call("POST", "/api/studies/laudo/upload", { as, ...form });
}

export async function sendLabExam(t: TestApp, as: Person): Promise<Response> {
  const fields = { examName: "Hemograma", modality: "LAB", examDate: "2026-10-02" };
  const form = await formBody(fields, { name: "file", bytes: samplePdf("hemograma") });
  return await t.call("POST", "/api/exams-lab/upload", { as, ...form });
}

export async function addLabExam(t: TestApp, as: Person): Promise<string> {
  const answer = await sendLabExam(t, as);
  if (answer.status !== 201) throw new Error(`lab: ${answer.status}`);
  return ((await answer.json()) as LabExam).id;
}

export const askToCancel = (t: TestApp, as: Person) => t.call("POST", "/api/subscriptions/cancel", { as });

export async function cancel(t: TestApp, person: Person): Promise<Subscription> {
  const answer = await askToCancel(t, person);
  if (answer.status !== 200) throw new Error(`cancel: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Subscription;
}

/** A new session in place of one that ended while a test moved the clock. */
export async function signInAgain(t: TestApp, ...people: Person[]): Promise<void> {
  for (const person of people) {
    const { email, password } = person;
    const answer = await t.call("POST", "/api/auth/login", { json: { email, password } });
    person.token = ((await answer.json()) as { token: string }).token;
  }
}

/** The base address of DICOMweb for a viewer opened on a study. */
export async function openViewer(t: TestApp, as: Person, studyId: string): Promise<string> {
  const data = Buffer.from(JSON.stringify([{ userId: as.id, id: studyId }])).toString("base64url");
  const answer = await t.call("GET", `/generate-token?data=${data}`, { as });
  if (answer.status !== 200) throw new Error(`viewer: ${answer.status} ${await answer.text()}`);
  return `/dicomweb/t/${((await answer.json()) as ViewerToken).token}`;
}

export async function askTicket(t: TestApp, as: Person, studyId: string): Promise<string> {
  const answer = await t.call("POST", `/api/studies/${studyId}/download-ticket`, { as });
  return ((await answer.json()) as DownloadTicket).url;
}

/** The studies in a person's list. */
export async function listedTo(t: TestApp, as: Person): Promise<string[]> {
  const answer = await t.call("GET", "/api/studies", { as });
  return ((await answer.json()) as Study[]).map(({ id }) => id);
}

/** Every mail to somebody, the oldest first. */
export async function mailsTo(t: TestApp, { email }: Person) {
  await t.settle();
  return (await readOutbox(t.deps.config.dataDir)).filter(({ to }) => to.includes(email));
}

/** A subscription without end. */
export async function addEndlessSubscription(t: TestApp, { id }: Person, planSlug: string): Promise<void> {
  const now = t.deps.clock.now();
  await startSubscription(t.deps.db, { userId: id, planSlug, expiresAt: null, now });
}

/** A period that was paid for; the id of its payment. */
export async function addPaidPeriod(
  t: TestApp,
  { id: userId }: Person,
  { plan, start, end }: { plan: string; start: Date; end: Date },
): Promise<string> {
  const id = Bun.randomUUIDv7();
  const [from, to] = [start.toISOString(), end.toISOString()];
  await t.sql`insert into payments
    (id, user_id, plan_id, plan_name, amount_cents, period_days, provider, txid, status, created_at, expires_at, period_start, period_end)
    select ${id}, ${userId}, id, name, price_cents, 30, 'local', ${Bun.randomUUIDv7()}, 'paid', ${from}, ${from}, ${from}, ${to}
    from plans where slug = ${plan}`;
  return id;
}

/** The removal of an account, the last one first. */
export async function removalOf(t: TestApp, person: Person) {
  const [row] = await t.sql`select * from removals where user_id = ${person.id} order by id desc limit 1`;
  return row as {
    id: string;
    purged_at: string | null;
    undone_at: string | null;
    study_count: number;
    lab_exam_count: number;
  };
}

/** Keys of everything an account stores. */
export async function keysOf(t: TestApp, person: Person): Promise<string[]> {
  const rows = await t.sql`
    select o.key from stored_objects o join studies s on s.id = o.study_id where s.account_id = ${person.id}
    union all select key from lab_exams where account_id = ${person.id}`;
  return rows.map(({ key }) => key as string);
}

export async function digestOf(answer: Response): Promise<string> {
  return new Bun.CryptoHasher("sha256").update(await answer.arrayBuffer()).digest("hex");
}
