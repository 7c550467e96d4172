import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Study, StudyAccess } from "../../../src/shared/api/studies.ts";
import type { Role } from "../../../src/shared/api/users.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

const TIMEOUT_MS = 120_000;

let t: TestApp;
let owner: Person;
let studies = 0;
beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona Helena", { plan: "clinica" });
}, TIMEOUT_MS);
afterAll(() => t[Symbol.asyncDispose]());

async function newStudy(of: Person): Promise<string> {
  studies += 1;
  const { studies: stored } = await t.store(of, sampleZip({ study: `70${studies}` }));
  return stored[0]?.id ?? "";
}

async function attach(as: Person, studyId: string): Promise<number> {
  const form = await formBody({ studyInstanceUID: studyId }, { name: "laudo", bytes: samplePdf() });
  return (await t.call("POST", "/api/studies/laudo/upload", { as, ...form })).status;
}

async function offered(as: Person, studyId: string): Promise<StudyAccess | undefined> {
  const listed = (await (await t.call("GET", "/api/studies", { as })).json()) as Study[];
  return listed.find(({ id }) => id === studyId)?.access;
}

/** The answers to a caller who makes all calls; each may change the study, so the deletes come last. */
async function allowed(as: Person, studyId: string): Promise<StudyAccess> {
  const is = (status: number, ...refusals: number[]) => {
    expect([200, 201, 204, ...refusals]).toContain(status);
    return !refusals.includes(status);
  };
  const call = async (method: string, path: string, json?: unknown) =>
    (await t.call(method, path, { as, json })).status;
  const grantee = await t.addPerson("Alguém Mais", { role: "doctor", plan: null });
  const download = is(await call("GET", `/api/studies/${studyId}/download`), 403);
  const shares = [
    await call("POST", `/api/studies/${studyId}/share`, { email: grantee.email }),
    await call("GET", `/api/studies/${studyId}/grants`),
    await call("GET", `/api/studies/${studyId}/audit`),
    await call("DELETE", `/api/studies/${studyId}/grants/${grantee.id}`),
  ].map((status) => is(status, 403));
  expect(new Set(shares).size).toBe(1);
  const deleteReport = is(await call("DELETE", `/api/studies/laudo/${studyId}`), 403, 404);
  const attachReport = deleteReport ? false : is(await attach(as, studyId), 409);
  const isDeleted = is(await call("DELETE", `/api/studies/${studyId}`), 403);
  return { download, share: shares[0] === true, deleteReport, attachReport, delete: isDeleted };
}

interface Case {
  title: string;
  role: Role;
  plan?: string | null;
  isOwner?: boolean;
  report?: "owner" | "caller" | "doctor";
  expected: Partial<StudyAccess>;
}

const everything = { download: true, delete: true, share: true };
const nothing = { download: false, delete: false, share: false, attachReport: false, deleteReport: false };
const cases: Case[] = [
  { title: "its owner", role: "user", isOwner: true, expected: { ...everything, attachReport: true } },
  {
    ...{ title: "its owner where a doctor attached the report", role: "user", isOwner: true },
    ...{ report: "doctor", expected: { ...everything, deleteReport: true } },
  },
  { title: "an admin", role: "admin", report: "owner", expected: { ...everything, deleteReport: true } },
  { title: "a grantee of role user", role: "user", expected: { download: true, attachReport: true } },
  {
    title: "a grantee beside the owner's report",
    role: "user",
    report: "owner",
    expected: { download: true },
  },
  { title: "a doctor", role: "doctor", plan: null, expected: { attachReport: true } },
  { title: "a doctor with a plan of their own", role: "doctor", expected: { attachReport: true } },
  { title: "a doctor beside the owner's report", role: "doctor", plan: null, report: "owner", expected: {} },
  {
    ...{ title: "a doctor who attached the report", role: "doctor", plan: null },
    ...{ report: "caller", expected: { deleteReport: true } },
  },
  { title: "a laboratory", role: "lab", plan: null, expected: { attachReport: true } },
];

describe("what a study offers is what its calls allow, for", () => {
  for (const { title, role, plan, isOwner, report, expected } of cases) {
    test(
      title,
      async () => {
        const caller = await t.addPerson("Quem Chama", { role, ...(plan !== undefined && { plan }) });
        const studyId = await newStudy(isOwner ? caller : owner);
        const grant = { as: owner, json: { userId: caller.id } };
        if (!isOwner) await t.call("POST", `/api/studies/${studyId}/assign`, grant);
        if (report === "doctor") {
          const doctor = await t.addPerson("Doutora Lia", { role: "doctor", plan: null });
          await t.call("POST", `/api/studies/${studyId}/share`, {
            as: caller,
            json: { email: doctor.email },
          });
          expect(await attach(doctor, studyId)).toBe(201);
        } else if (report) expect(await attach(report === "caller" ? caller : owner, studyId)).toBe(201);
        const told = await offered(caller, studyId);
        expect(told).toEqual({ ...nothing, ...expected });
        expect(await allowed(caller, studyId)).toEqual(told as StudyAccess);
      },
      TIMEOUT_MS,
    );
  }

  test(
    "a doctor whose own plan has ended",
    async () => {
      const doctor = await t.addPerson("Doutor Plantão", { role: "doctor" });
      const studyId = await newStudy(doctor);
      await t.sql`update subscriptions set expires_at = now() - interval '1 day' where user_id = ${doctor.id}`;
      const told = await offered(doctor, studyId);
      expect(told).toEqual({ ...nothing, share: true, attachReport: true });
      expect(await allowed(doctor, studyId)).toEqual(told as StudyAccess);
    },
    TIMEOUT_MS,
  );
});

describe("sharing by e-mail", () => {
  async function answers(as: Person, studyId: string, emails: string[]): Promise<string[]> {
    const told: string[] = [];
    for (const email of emails) {
      const answer = await t.call("POST", `/api/studies/${studyId}/share`, { as, json: { email } });
      const { code, message } = await problemOf(answer);
      told.push(answer.ok ? `${answer.status}` : `${answer.status} ${code} ${message}`);
    }
    return told;
  }

  test(
    "lets an owner find only doctors, and lets nobody else find anyone",
    async () => {
      const doctor = await t.addPerson("Doutora Lia", { role: "doctor", plan: null });
      const patient = await t.addPerson("Vizinha Discreta");
      const blocked = await t.addPerson("Doutor Bloqueado", { role: "doctor", plan: null });
      await t.sql`update users set is_authorized = false where id = ${blocked.id}`;
      const studyId = await newStudy(owner);
      const hidden = ["ninguem@example.com", patient.email, blocked.email];

      const [first = "", ...others] = await answers(owner, studyId, hidden);
      expect(first).toStartWith("404 doctor.not_found We found no doctor with this e-mail.");
      expect(others).toEqual([first, first]);
      expect(await answers(owner, studyId, [doctor.email.toUpperCase()])).toEqual(["201"]);

      const all = [...hidden, doctor.email];
      expect(new Set(await answers(doctor, studyId, all)).size).toBe(1);
      expect((await answers(patient, studyId, all)).every((told) => told.startsWith("404 study."))).toBe(
        true,
      );

      const admin = await t.addPerson("Admin Geral", { role: "admin" });
      const [unknown, known, shut] = await answers(admin, studyId, hidden);
      expect([unknown, known, shut].map((told) => told?.split(" ").slice(0, 2).join(" "))).toEqual([
        "404 user.not_found",
        "201",
        "404 user.not_found",
      ]);
    },
    TIMEOUT_MS,
  );

  test(
    "does not tell a list of addresses apart, and goes on finding doctors after some mistakes",
    async () => {
      const lister = await t.addPerson("Dono de Lista");
      const doctors = [1, 2].map((n) => t.addPerson(`Doutora ${n}`, { role: "doctor", plan: null }));
      const [first, second] = await Promise.all(doctors);
      const studyId = await newStudy(lister);
      const share = async (email = "") =>
        (await t.call("POST", `/api/studies/${studyId}/share`, { as: lister, json: { email } })).status;
      const unknown = Array.from({ length: 60 }, (_, n) => `ninguem${n}@example.com`);
      for (const email of unknown.slice(0, 59)) expect(await share(email)).toBe(404);
      expect(await share(first?.email)).toBe(201);
      expect(await share(unknown[59])).toBe(404);
      expect([await share("outro@example.com"), await share(second?.email)]).toEqual([429, 429]);
      t.advance(3_600_000);
      expect(await share(second?.email)).toBe(201);
    },
    TIMEOUT_MS,
  );

  test(
    "goes on finding doctors after many exams that were meant for one address without a doctor",
    async () => {
      const [lab, doctor] = [
        await t.addPerson("Laboratório"),
        await t.addPerson("Doutor Conhecido", { role: "doctor", plan: null }),
      ];
      const studyId = await newStudy(lab);
      const share = async (email: string) =>
        (await t.call("POST", `/api/studies/${studyId}/share`, { as: lab, json: { email } })).status;
      for (let exams = 0; exams < 61; exams++) expect(await share("Sem.Conta@example.com")).toBe(404);
      expect(await share("sem.conta@example.com")).toBe(404);
      expect(await share(doctor.email)).toBe(201);
    },
    TIMEOUT_MS,
  );
});
