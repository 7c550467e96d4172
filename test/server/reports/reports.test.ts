import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { CreatedLink, Opening } from "../../../src/shared/api/links.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
let stranger: Person;
let doctor: Person;
let studyId: string;
let studies = 0;

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona do Laudo", { plan: "clinica" });
  stranger = await t.addPerson("Curioso");
  doctor = await t.addPerson("Doutor Laudador", { role: "doctor", plan: null });
});
afterAll(() => t[Symbol.asyncDispose]());
beforeEach(async () => {
  const answer = await t.store(owner, sampleZip({ study: `${++studies}` }));
  studyId = answer.studies[0]?.id ?? "";
});

async function attach(as: Person, pdf = samplePdf(), id = studyId, sent = {}): Promise<Response> {
  const form = await formBody({ studyInstanceUID: id }, { name: "laudo", bytes: pdf });
  const headers = { ...form.headers, ...sent };
  return await t.call("POST", "/api/studies/laudo/upload", { as, ...form, headers });
}
/** Two files in one form. */
async function attachTwo(as: Person): Promise<Response> {
  const files = ["um", "outro"].map((text) => ({ name: "laudo", bytes: samplePdf(text) }));
  const form = await formBody({ studyInstanceUID: studyId }, ...files);
  return await t.call("POST", "/api/studies/laudo/upload", { as, ...form });
}
const open = (as: Person) => t.call("GET", `/api/studies/laudo/${studyId}`, { as });
const remove = (as: Person) => t.call("DELETE", `/api/studies/laudo/${studyId}`, { as });

async function hasReport(): Promise<boolean | undefined> {
  const list = (await (await t.call("GET", "/api/studies", { as: owner })).json()) as Study[];
  return list.find((study) => study.id === studyId)?.laudo;
}

describe("a report", () => {
  test("of a doctor whose grant ends while it is stored is refused", async () => {
    await t.call("POST", `/api/studies/${studyId}/assign`, { as: owner, json: { userId: doctor.id } });
    const { store } = t.deps;
    const putBytes = store.putBytes.bind(store);
    using putting = spyOn(store, "putBytes");
    putting.mockImplementation(async (...asked) => {
      await t.call("DELETE", `/api/studies/${studyId}/grants/${doctor.id}`, { as: owner });
      await putBytes(...asked);
    });
    expect((await attach(doctor)).status).toBe(404);
    expect(await hasReport()).toBe(false);
  });

  test("is attached, shown in the list, opened bit for bit, and deleted with its bytes", async () => {
    expect(await hasReport()).toBe(false);
    expect((await attach(owner, samplePdf("crânio"))).status).toBe(201);
    expect(await hasReport()).toBe(true);
    const answer = await open(owner);
    expect(answer.headers.get("content-type")).toBe("application/pdf");
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(samplePdf("crânio"));
    expect((await remove(owner)).status).toBe(200);
    expect(await hasReport()).toBe(false);
    expect((await open(owner)).status).toBe(404);
    await t.settle();
    const kinds =
      await t.sql`select kind from stored_objects where study_id = ${studyId} and kind = 'report'`;
    expect(kinds).toHaveLength(0);
  });

  test("that is sent again under its key, as after a lost answer, is no second one", async () => {
    const key = { "idempotency-key": "b-1" };
    const send = (pdf = samplePdf("um"), sent = key) => attach(owner, pdf, studyId, sent);
    const atOnce = await Promise.all([send(), send()]);
    expect([...atOnce, await send()].map(({ status }) => status)).toEqual([201, 201, 201]);
    for (const other of [send(samplePdf("outro")), send(samplePdf("um"), { "idempotency-key": "b-2" })])
      expect((await problemOf(await other)).code).toBe("report.exists");
    await t.call("POST", `/api/studies/${studyId}/assign`, { as: owner, json: { userId: doctor.id } });
    const bySomeoneElse = await attach(doctor, samplePdf("um"), studyId, key);
    expect((await problemOf(bySomeoneElse)).code).toBe("report.exists");
    const rows = await t.sql`select 1 from stored_objects where study_id = ${studyId} and kind = 'report'`;
    expect(rows).toHaveLength(1);
  });

  test("is refused without the study that it belongs to", async () => {
    for (const fields of [{}, { studyInstanceUID: "" }] as Record<string, string>[]) {
      const form = await formBody(fields, { name: "laudo", bytes: samplePdf() });
      const refused = await t.call("POST", "/api/studies/laudo/upload", { as: owner, ...form });
      const { violations } = (await refused.json()) as { violations?: object[] };
      expect([refused.status, violations]).toEqual([
        400,
        [expect.objectContaining({ path: "studyInstanceUID", code: "validation.required" })],
      ]);
    }
  });

  test("is refused with a second file, which would be lost", async () => {
    const refused = await attachTwo(owner);
    expect(await problemOf(refused)).toMatchObject({ status: 400, code: "body.further_file" });
    expect(await hasReport()).toBe(false);
  });

  test("is asked about by HEAD without being recorded as opened, by its owner, by FHIR or by the visitor of a link", async () => {
    await attach(owner);
    const json = { studyIds: [studyId] };
    const made = (await (await t.call("POST", "/api/links", { as: owner, json })).json()) as Record<
      string,
      string
    >;
    const key = { link: made.id, secret: made.url?.split("#")[1] };
    const visit = (await (await t.call("POST", "/api/visits", { json: key })).json()) as { token: string };
    for (const path of [`/api/studies/laudo/${studyId}`, `/fhir/Binary/${studyId}`]) {
      expect((await t.call("HEAD", path, { as: owner })).status).toBe(200);
    }
    const ofVisitor = `/api/visits/${visit.token}/studies/${studyId}/laudo`;
    expect((await t.call("HEAD", ofVisitor)).status).toBe(200);
    const opened = async () =>
      await t.sql`select 1 from audit_events where study_id = ${studyId} and action = 'report.opened'`;
    expect(await opened()).toHaveLength(0);
    expect((await t.call("GET", ofVisitor)).status).toBe(200);
    expect(await opened()).toHaveLength(1);
  });

  test("whose file is gone was opened by nobody, as its owner reads later", async () => {
    await attach(owner);
    const json = { studyIds: [studyId] };
    const made = (await (await t.call("POST", "/api/links", { as: owner, json })).json()) as CreatedLink;
    const key = { link: made.id, secret: made.url.split("#")[1] };
    const visit = (await (await t.call("POST", "/api/visits", { json: key })).json()) as { token: string };
    const [report] = await t.sql`
      select stored_objects.key from reports join stored_objects on stored_objects.id = object_id
      where reports.study_id = ${studyId}`;
    await t.deps.store.delete(report?.key);
    const ofVisitor = await t.call("GET", `/api/visits/${visit.token}/studies/${studyId}/laudo`);
    for (const answer of [await open(owner), ofVisitor])
      expect((await problemOf(answer)).code).toBe("archive.damaged");
    const opened = await t.sql`
      select 1 from audit_events where study_id = ${studyId} and action = 'report.opened'`;
    expect(opened).toHaveLength(0);
    const path = `/api/links/${made.id}/openings`;
    const [visited] = (await (await t.call("GET", path, { as: owner })).json()) as Opening[];
    expect(visited?.readReport).toBe(false);
  });

  test("is the only one of its study, also when two are sent at the same time", async () => {
    const answers = await Promise.all([attach(owner, samplePdf("a")), attach(owner, samplePdf("b"))]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409]);
    const second = await attach(owner);
    expect((await problemOf(second)).code).toBe("report.exists");
    const staged = (await readdir(join(t.deps.config.dataDir, "staging"))).filter(
      (name) => !name.startsWith("~"),
    );
    expect(staged).toEqual([]);
  });

  test("must be a PDF by its bytes, whatever its name says", async () => {
    const answer = await attach(owner, new TextEncoder().encode("<html>%PDF</html>"));
    expect(answer.status).toBe(400);
    expect((await problemOf(answer)).code).toBe("document.not_pdf");
    expect(await hasReport()).toBe(false);
  });

  test("of someone else's study can't be attached, opened or deleted", async () => {
    await attach(owner);
    for (const answer of [await attach(stranger), await open(stranger), await remove(stranger)]) {
      expect(answer.status).toBe(404);
    }
    expect((await open(owner)).status).toBe(200);
  });

  test("may be attached and deleted by a grantee, who can't delete the owner's", async () => {
    await t.call("POST", `/api/studies/${studyId}/assign`, { as: owner, json: { userId: doctor.id } });
    expect((await attach(doctor)).status).toBe(201);
    expect((await open(doctor)).status).toBe(200);
    expect((await remove(doctor)).status).toBe(200);
    await attach(owner);
    const refused = await remove(doctor);
    expect(refused.status).toBe(403);
    expect((await problemOf(refused)).code).toBe("study.not_owner");
  });

  test("is deleted with its study, bytes included", async () => {
    await attach(owner);
    const [row] = await t.sql`select key from stored_objects where study_id = ${studyId} and kind = 'report'`;
    expect(await t.deps.store.stat(row?.key)).toBeDefined();
    await t.call("DELETE", `/api/studies/${studyId}`, { as: owner });
    await t.settle();
    expect(await t.deps.store.stat(row?.key)).toBeUndefined();
  });

  test("stays when more instances of its study are sent", async () => {
    await attach(owner);
    await t.store(owner, sampleZip({ study: `${studies}`, sop: "2" }));
    expect((await open(owner)).status).toBe(200);
  });
});

describe("sharing", () => {
  test("finds a doctor by e-mail, and nobody else", async () => {
    const share = (email: string) =>
      t.call("POST", `/api/studies/${studyId}/share`, { as: owner, json: { email } });
    const shared = await share(doctor.email.toUpperCase());
    expect(shared.status).toBe(201);
    expect(await shared.json()).toMatchObject({ userId: doctor.id, role: "doctor" });
    expect((await share(stranger.email)).status).toBe(404);
    expect((await share("ninguem@example.com")).status).toBe(404);
    // A person who does not own the study finds nobody, not even themselves.
    for (const { email } of [doctor, stranger]) {
      const path = `/api/studies/${studyId}/share`;
      expect((await t.call("POST", path, { as: doctor, json: { email } })).status).toBe(403);
    }
  });

  test("shows the owner who opened the study and when", async () => {
    await t.call("POST", `/api/studies/${studyId}/share`, { as: owner, json: { email: doctor.email } });
    const data = Buffer.from(JSON.stringify([{ userId: doctor.id, id: studyId }])).toString("base64url");
    await t.call("GET", `/generate-token?data=${data}`, { as: doctor });
    const audit = (await (await t.call("GET", `/api/studies/${studyId}/audit`, { as: owner })).json()) as {
      action: string;
      actorName: string;
    }[];
    expect(audit.map(({ action }) => action)).toEqual(["study.opened", "study.granted", "study.uploaded"]);
    expect(audit[0]?.actorName).toBe("Doutor Laudador");
  });
});
