import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { accessOf } from "../../../src/server/http/guard.ts";
import type { ApiDocument } from "../../../src/server/openapi/api-document.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

/* PostgreSQL keeps no U+0000, and UTF-8 no lone surrogate. */
const NUL = "a\0b";
const LONE_SURROGATE = "a\ud800b";

let t: TestApp;
let user: Person;
let admin: Person;
let studyId: string;
let planId: string;

beforeAll(async () => {
  t = await createTestApp();
  user = await t.addPerson("Dona do Exame");
  admin = await t.addPerson("Administradora", { role: "admin", plan: null });
  studyId = (await t.store(user, sampleZip({ study: "1" }))).studies[0]?.id ?? "";
  const [plan] = await t.sql<{ id: string }[]>`select id from plans limit 1`;
  planId = plan?.id ?? "";
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

/** A body in which every JSON route finds its fields; it ignores those of the others. */
const everyField = () => ({
  name: "Nome Novo",
  email: "novo@example.com",
  cpfcnpj: "529.982.247-25",
  password: "uma senha",
  currentPassword: "uma senha",
  newPassword: "outra senha",
  code: "123456",
  token: "token",
  userId: user.id,
  planId,
  role: "user",
  expiresAt: "2030-01-01T00:00:00Z",
  pix: [{ txid: "a".repeat(30), endToEndId: "E1" }],
});

const forms: Record<string, { fields: Record<string, string>; file: string }> = {
  "/api/support/send": {
    fields: { subject: "Assunto", message: "Texto", userEmail: "a@example.com", userName: "Ana" },
    file: "image",
  },
  "/api/exams-lab/upload": {
    fields: { examName: "Hemograma", modality: "LAB", examDate: "2026-01-02" },
    file: "file",
  },
  "/api/studies/laudo/upload": { fields: { studyInstanceUID: "2.25.1.1" }, file: "laudo" },
};

function routes(): { method: string; path: string }[] {
  return t.app.routes.filter(({ handler }) => accessOf(handler) !== undefined);
}

/** The fields that the API's document gives the JSON body of a call. */
function fieldsOf(document: ApiDocument, method: string, path: string): string[] {
  const templated = path.replace(/:([A-Za-z]+)(\{.*\})?/g, "{$1}");
  const { requestBody } = document.paths[templated]?.[method.toLowerCase() as "post"] ?? {};
  const schema =
    requestBody && "content" in requestBody ? requestBody.content["application/json"]?.schema : {};
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const gather = (part: unknown): void => {
    if (seen.has(part)) return;
    seen.add(part);
    for (const [key, value] of Object.entries(Object(part))) {
      if (key === "properties") for (const name of Object.keys(Object(value))) found.add(name);
      if (key === "$ref") gather(document.components?.schemas?.[String(value).split("/").at(-1) ?? ""]);
      else if (typeof value === "object") gather(value);
    }
  };
  gather(schema);
  return [...found];
}

const filled = (path: string) =>
  path.replace(/:study/, studyId).replace(/:[A-Za-z]+(\{.*\})?/g, "01890000-0000-7000-8000-000000000000");

describe("text that the database can't store", () => {
  test("in a path is refused on every route, and is never a 500", async () => {
    for (const { method, path } of routes()) {
      if (!path.includes("/:")) continue;
      const nul = path.replace(/:[A-Za-z]+(\{.*\})?/g, "a%00b");
      for (const as of [user, admin]) {
        const { status } = await t.call(method, nul, { as });
        expect([`${method} ${path}`, [400, 403, 404].includes(status)]).toEqual([`${method} ${path}`, true]);
      }
    }
  });

  test("in any field of any JSON body is never a 500", async () => {
    const document = (await (await t.call("GET", "/api/openapi.json")).json()) as ApiDocument;
    const asked = new Set<string>();
    for (const { method, path } of routes()) {
      if (!["POST", "PATCH", "PUT"].includes(method) || path in forms) continue;
      if (/upload-dicom|logout|cancel|delete-own/.test(path)) continue;
      for (const field of fieldsOf(document, method, path)) {
        for (const text of [NUL, LONE_SURROGATE]) {
          const json = { ...everyField(), [field]: field === "pix" ? [{ txid: text }] : text };
          const { status } = await t.call(method, filled(path), { as: admin, json });
          expect([`${method} ${path} ${field}`, status < 500]).toEqual([`${method} ${path} ${field}`, true]);
          asked.add(field);
        }
      }
    }
    // Otherwise the document said too little.
    expect(Object.keys(everyField()).filter((field) => !asked.has(field))).toEqual([]);
  });

  test("is refused with the name of its field", async () => {
    for (const text of [NUL, LONE_SURROGATE]) {
      const name = { name: text, email: "novo@example.com", cpfcnpj: "529.982.247-25", password: "a senha" };
      for (const [path, json, method] of [
        ["/api/auth/register", name, "POST"],
        ["/api/users/profile", { name: text, email: user.email }, "PATCH"],
      ] as const) {
        const answer = await t.call(method, path, { as: user, json });
        expect(answer.status).toBe(400);
        expect((await problemOf(answer)).violations?.map((violation) => violation.path)).toEqual(["name"]);
      }
    }
  });

  test("in a filter of a list is 400", async () => {
    for (const filter of ["patientName", "patientID", "accessionNumber", "description", "modality"]) {
      const answer = await t.call("GET", `/api/studies?${filter}=a%00b`, { as: user });
      expect(answer.status).toBe(400);
      expect((await problemOf(answer)).violations?.map(({ path }) => path)).toEqual([filter]);
    }
    for (const list of ["/api/payments", "/api/payments/user/history", "/api/subscriptions/usage-history"]) {
      for (const field of ["limit", "offset", "status", "q", "search", "anything"]) {
        expect((await t.call("GET", `${list}?${field}=%00`, { as: admin })).status).toBeLessThan(500);
      }
    }
  });

  test("in a search of DICOMweb or FHIR is 400", async () => {
    const filters = [
      "PatientName",
      "PatientID",
      "StudyInstanceUID",
      "ModalitiesInStudy",
      "SeriesDescription",
    ];
    const places = [
      "studies",
      "series",
      "instances",
      "studies/2.25.1.1/series",
      "studies/2.25.1.1/instances",
    ];
    const asked = [
      ...places.flatMap((place) => filters.map((filter) => `/dicomweb/${place}?${filter}=a%00b`)),
      "/dicomweb/studies?fuzzymatching=true&PatientName=%00",
      "/dicomweb/series?RequestAttributesSequence.RequestedProcedureID=%00",
      ...["patient", "identifier", "modality"].map(
        (name) => `/fhir/ImagingStudy?_id=${studyId}&${name}=a%00b`,
      ),
    ];
    for (const path of asked) {
      expect([path, (await t.call("GET", path, { as: user })).status]).toEqual([path, 400]);
    }
  });

  test("in a form's field is 400, and nothing is kept", async () => {
    for (const [path, { fields, file }] of Object.entries(forms)) {
      for (const field of Object.keys(fields)) {
        const form = await formBody({ ...fields, [field]: NUL }, { name: file, bytes: samplePdf() });
        const { status } = await t.call("POST", path, { as: user, ...form });
        expect([path, field, status]).toEqual([path, field, 400]);
      }
    }
    expect(await t.sql`select 1 from support_messages union all select 1 from lab_exams`).toHaveLength(0);
  });

  test("in the form of an upload is 400", async () => {
    for (const field of ["patientName", "patientIDTag", "accessionNumber", "description", "modality"]) {
      for (const text of [NUL, LONE_SURROGATE]) {
        const answer = await t.upload(user, sampleZip({ study: "7" }), { [field]: text });
        expect([field, answer.status]).toEqual([field, 400]);
      }
    }
  });

  test("in a viewer token's request is 400", async () => {
    for (const text of [NUL, LONE_SURROGATE]) {
      for (const pair of [{ userId: text }, { userId: user.id, studyInstanceUID: text }]) {
        const data = Buffer.from(JSON.stringify([pair])).toString("base64url");
        expect((await t.call("GET", `/generate-token?data=${data}`, { as: user })).status).toBe(400);
      }
    }
  });

  test("in an instance is accepted: the index drops it, the bytes keep it", async () => {
    const elements = {
      [TagHex.PatientName]: { vr: "PN", Value: ["Silva\0^Ana"] },
      [TagHex.PatientID]: { vr: "LO", Value: ["ID\x001"] },
      [TagHex.StudyDescription]: { vr: "LO", Value: ["T\0rax"] },
      [TagHex.SeriesDescription]: { vr: "LO", Value: ["S\0rie"] },
    };
    const stored = await t.store(user, sampleZip({ study: "8", elements }));
    const [row] = await t.sql<{ patient_id: string; description: string }[]>`
      select patient_id, description from studies where id = ${stored.studies[0]?.id ?? ""}`;
    expect(row).toEqual({ patient_id: "ID 1", description: "T rax" });
  });
});
