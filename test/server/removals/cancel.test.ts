import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { unzipSync } from "fflate";
import { exportAccount } from "../../../src/server/features/export/export-account.ts";
import { sendEndNotices } from "../../../src/server/features/subscriptions/send-end-notices.ts";
import { accessOf } from "../../../src/server/http/guard.ts";
import type { AccountSubscription, Subscription } from "../../../src/shared/api/subscriptions.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";
import {
  addEndlessSubscription,
  addLabExam,
  addPaidPeriod,
  askTicket,
  askToCancel,
  attachReport,
  cancel,
  DAY_MS,
  type FilledAccount,
  fillAccount,
  GRACE_MS,
  listedTo,
  mailsTo,
  newStudyNumber,
  openViewer,
  removalOf,
} from "./filled-account.ts";

setDefaultTimeout(240_000);

let t: TestApp;
let admin: Person;
beforeAll(async () => {
  t = await createTestApp();
  admin = await t.addPerson("Administradora", { role: "admin", plan: null });
});
afterAll(() => t[Symbol.asyncDispose]());

const get = (as: Person, path: string) => t.call("GET", path, { as });

/** Neither asks for an exam as a session does: visits have tokens of their own, and STOW-RS stores. */
const OTHER_ROUTES = /\/visits\/|^POST \/dicomweb\//;

/** Every declared route by which a session asks for a study or a lab exam. */
function routesToExams(): string[] {
  const declared = t.app.routes
    .filter(({ handler }) => accessOf(handler) !== undefined)
    .map(({ method, path }) => `${method} ${path.replace(/\{.*\}/, "")}`);
  return [...new Set(declared)]
    .filter((route) => /:study|exams-lab\/:id/.test(route) && !OTHER_ROUTES.test(route))
    .sort();
}

async function callRoute(
  route: string,
  as: Person,
  { studyIds, labId, relative }: FilledAccount,
): Promise<number> {
  const [method = "", pattern = ""] = route.split(" ");
  const path = pattern
    .replace(":study", studyIds[0] ?? "")
    .replace(":series", "2.25.2.1.1")
    .replace(":userId", relative.id)
    .replace(":id", labId);
  const json = /assign$/.test(path)
    ? { userId: relative.id }
    : /(share|invitations)$/.test(path)
      ? { email: relative.email }
      : method === "PATCH"
        ? { description: "Outro nome" }
        : undefined;
  return (await t.call(method, path, { as, json })).status;
}

const instancePaths = async (dicomweb: string, as: Person) => {
  const [study] = (await (await get(as, `${dicomweb}/studies`)).json()) as Record<
    string,
    { Value: string[] }
  >[];
  const uid = study?.[TagHex.StudyInstanceUID]?.Value[0];
  const [series] = (await (await get(as, `${dicomweb}/studies/${uid}/series`)).json()) as Record<
    string,
    { Value: string[] }
  >[];
  const seriesPath = `${dicomweb}/studies/${uid}/series/${series?.[TagHex.SeriesInstanceUID]?.Value[0]}`;
  const [instance] = (await (await get(as, `${seriesPath}/instances`)).json()) as Record<
    string,
    { Value: string[] }
  >[];
  const instancePath = `${seriesPath}/instances/${instance?.[TagHex.SOPInstanceUID]?.Value[0]}`;
  return [
    `${dicomweb}/studies/${uid}/series`,
    `${dicomweb}/studies/${uid}/instances`,
    `${dicomweb}/studies/${uid}/metadata`,
    `${seriesPath}/metadata`,
    `${seriesPath}/instances`,
    `${instancePath}/metadata`,
    `${instancePath}/frames/1`,
  ];
};

const OWN = ["DELETE /api/studies/:study", "GET /api/studies/:study/kept-instances"];

describe("a cancelled subscription", () => {
  test("hides every exam at once: from its owner, grantees, admins, open viewers and begun downloads", async () => {
    const account = await fillAccount(t, "Cancela Tudo");
    const { owner, doctor, relative, studyIds, labId } = account;
    const [studyId = ""] = studyIds;
    const viewers = await Promise.all([owner, doctor, admin].map((as) => openViewer(t, as, studyId)));
    const paths = (await Promise.all(viewers.map((viewer) => instancePaths(viewer, owner)))).flat();
    const ticket = await askTicket(t, owner, studyId);
    const begun = await t.call("GET", ticket);
    const resume = { range: "bytes=10-", "if-range": begun.headers.get("etag") ?? "" };
    const before = await Promise.all(paths.map((path) => get(owner, path)));
    expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await t.call("GET", ticket, { headers: resume })).status).toBe(206);
    for (const person of [owner, doctor, relative]) expect(await listedTo(t, person)).toContain(studyId);

    const answer: Subscription = await cancel(t, owner);
    expect(answer).toMatchObject({ status: "expired", canCancel: false, currentExamCount: 0 });
    expect(answer.cancelledAt).toBe(answer.expiresAt);
    const all: AccountSubscription[] = await (
      await t.call("GET", "/api/subscriptions/all", { as: admin })
    ).json();
    const cancelled = all.filter(({ subscription }) => subscription.cancelledAt !== null);
    expect(cancelled.map(({ user }) => user.id)).toContain(owner.id);
    expect(Date.parse(answer.removedUntil ?? "")).toBe(Date.parse(answer.expiresAt ?? "") + GRACE_MS);

    expect((await get(owner, "/api/studies")).status).toBe(403);
    expect((await get(owner, "/api/exams-lab")).status).toBe(403);
    // A new plan gives access again, but not to the removed exams.
    await addEndlessSubscription(t, owner, "familia");
    const mine: Subscription = await (await get(owner, "/api/subscriptions/my-subscription")).json();
    expect(mine).toMatchObject({ status: "active", cancelledAt: null });
    for (const person of [owner, doctor, relative, admin]) {
      expect(await listedTo(t, person)).not.toContain(studyId);
      for (const route of routesToExams()) {
        if (/exams-lab/.test(route) && person !== owner) continue;
        // What only an account of one's own has needs a subscription, which the doctor never had.
        const refused = person === doctor && OWN.includes(route) ? 403 : 404;
        expect([route, await callRoute(route, person, account)]).toEqual([route, refused]);
      }
      expect((await attachReport(t, person, studyId)).status).toBe(404);
      const data = [{ userId: person.id, id: studyId }];
      const query = Buffer.from(JSON.stringify(data)).toString("base64url");
      expect((await get(person, `/generate-token?data=${query}`)).status).toBe(404);
    }
    for (const path of paths) expect([path, (await get(owner, path)).status]).toEqual([path, 404]);
    for (const viewer of viewers) expect(await (await get(owner, `${viewer}/studies`)).json()).toEqual([]);
    expect((await t.call("GET", ticket)).status).toBe(404);
    expect((await t.call("GET", ticket, { headers: resume })).status).toBe(404);
    expect(await (await get(owner, "/api/exams-lab")).json()).toEqual([]);
    expect(await (await get(owner, "/api/users/exam-count")).json()).toEqual({ count: 0 });
    const assets = { get: () => undefined, paths: () => [] };
    const exported = await Array.fromAsync(exportAccount({ ...t.deps, assets }, owner.id, "en-US"));
    const { "exams.json": exams = new Uint8Array() } = unzipSync(Buffer.concat(exported));
    // Only the owner's own copy is left.
    const { studies, laboratory } = JSON.parse(new TextDecoder().decode(exams));
    expect(studies).toHaveLength(2);
    expect(laboratory).toMatchObject([{ id: labId }]);
    for (const { removal } of [...studies, ...laboratory])
      expect(removal).toMatchObject({ removedAt: expect.any(String) });
    const [counters] =
      await t.sql`select exam_count, lab_exam_count from subscriptions where user_id = ${owner.id}`;
    expect(counters).toEqual({ exam_count: 0, lab_exam_count: 0 });
    const [kept] = await t.sql`select count(*)::int as labs from lab_exams where id = ${labId}`;
    expect(kept).toEqual({ labs: 1 });
  });

  test("ends what was paid ahead, and says once what it removed and until when it can be undone", async () => {
    const { owner } = await fillAccount(t, "Cancela e Lê");
    const start = t.deps.clock.now();
    const end = new Date(start.getTime() + 30 * DAY_MS);
    const paymentId = await addPaidPeriod(t, owner, { plan: "familia", start, end });
    t.advance(60_000);
    const { expiresAt } = await cancel(t, owner);
    const [row] = await t.sql`select period_end from payments where id = ${paymentId}`;
    expect(new Date(row?.period_end as string).toISOString()).toBe(expiresAt ?? "");
    // They need not be told that it has ended.
    await sendEndNotices(t.deps);
    const [mail, ...others] = await mailsTo(t, owner);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe("Your Família subscription was cancelled");
    expect(mail?.text).toContain(
      "We removed 2 imaging exams and 1 lab exam from your account, with their reports.",
    );
    expect(mail?.text).toMatch(/Until \w{3} \d+, \d{4} \d{1,2}:\d{2}\s[AP]M \(Brasília time\)/);
    expect(mail?.text).toContain(`write to ${admin.email}`);
    const audit =
      await t.sql`select action, actor_id, address from audit_events where account_id = ${owner.id} and action in ('exams.removed', 'subscription.cancelled')`;
    expect(audit).toHaveLength(2);
    for (const event of audit) expect(event).toMatchObject({ actor_id: owner.id, address: "127.0.0.1" });
  });

  test("is announced in the language of the last sign-in", async () => {
    const person = await t.addPerson("Fala Português");
    const json = { email: person.email, password: person.password };
    await t.call("POST", "/api/auth/login", { json, headers: { "accept-language": "pt-BR" } });
    await addLabExam(t, person);
    await cancel(t, person);
    const [mail] = await mailsTo(t, person);
    expect(mail?.subject).toBe("Sua assinatura Essencial foi cancelada");
    expect(mail?.text).toContain("Removemos da sua conta 1 exame laboratorial, com os laudos.");
    expect(mail?.text).toMatch(/Até \d{2}\/\d{2}\/\d{4} \d{2}:\d{2} \(horário de Brasília\)/);
  });

  test("can't be cancelled again; one that is over or never existed can't be cancelled either", async () => {
    const person = await t.addPerson("Sem Exames");
    const answers = await Promise.all([askToCancel(t, person), askToCancel(t, person)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [row] = await t.sql`select count(*)::int as removals from removals where user_id = ${person.id}`;
    expect(row).toEqual({ removals: 1 });
    const nobody = await t.addPerson("Sem Plano", { plan: null });
    expect(await problemOf(await askToCancel(t, nobody))).toMatchObject({
      status: 409,
      code: "subscription.not_active",
    });
    const [mail] = await mailsTo(t, person);
    expect(mail?.text).toContain("You had no exams stored, so nothing was removed.");
  });

  test("takes nothing from an admin, who keeps their exams and their access", async () => {
    const boss = await t.addPerson("Admin com Plano", { role: "admin", plan: "clinica" });
    const { studies } = await t.store(boss, sampleZip({ study: newStudyNumber() }));
    const answer = await cancel(t, boss);
    expect(answer).toMatchObject({ status: "expired", removedUntil: null });
    expect(await listedTo(t, boss)).toContain(studies[0]?.id ?? "");
    expect(await removalOf(t, boss)).toBeUndefined();
    const [mail] = await mailsTo(t, boss);
    expect(mail?.text).toContain("Nothing was removed: as an administrator you keep your exams");
  });

  test("refuses the uploads that come after it", async () => {
    const person = await t.addPerson("Chega Tarde");
    await cancel(t, person);
    const late = await t.upload(person, sampleZip({ study: newStudyNumber() }));
    expect([late.status, (await problemOf(late)).code]).toEqual([403, "subscription.required"]);
  });
});
