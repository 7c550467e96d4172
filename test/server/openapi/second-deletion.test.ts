import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { tusHeaders, tusOf } from "../../support/app/tus.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
let admin: Person;
let doctor: Person;
let study = "";
let operations: Record<string, { delete?: { description?: string } }>;

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Apaga Duas Vezes", { plan: "clinica" });
  admin = await t.addPerson("Administradora", { role: "admin", plan: null });
  doctor = await t.addPerson("Doutora", { role: "doctor" });
  study = (await t.store(owner, sampleZip({ study: "70" }))).studies[0]?.id ?? "";
  const document = await t.call("GET", "/api/openapi.json");
  operations = ((await document.json()) as { paths: typeof operations }).paths;
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

/** Makes something by the API and returns its id. */
async function made(path: string, json: object): Promise<string> {
  const answer = await t.call("POST", path, { as: owner, json });
  expect([path, answer.status]).toEqual([path, 201]);
  return ((await answer.json()) as { id: string }).id;
}

async function sent(path: string, fields: Record<string, string>, file: string): Promise<string> {
  const form = await formBody(fields, { name: file, bytes: samplePdf() });
  const answer = await t.call("POST", path, { as: owner, ...form });
  expect(answer.status).toBeLessThan(300);
  return ((await answer.json()) as { id?: string }).id ?? "";
}

/** Each route, what makes the path that it deletes, what a second deletion answers, and who deletes. */
const CASES: [route: string, make: () => Promise<string>, second: number, who?: () => Person][] = [
  ["/api/links/{id}", () => made("/api/links", { studyIds: [study] }), 204],
  ["/api/requests/{id}", () => made("/api/requests", { label: "Clínica" }), 204],
  ["/api/receivers/{id}", () => made("/api/receivers", { name: "Aparelho", aeTitle: "APAGA" }), 404],
  ["/api/tokens/{id}", () => made("/api/tokens", { name: "Programa", scopes: ["dicomweb:read"] }), 404],
  ["/api/uploads/{upload}", async () => (await tusOf(t, owner).begin(1_000)).split("/").at(-1) ?? "", 404],
  [
    "/api/exams-lab/{id}",
    () => sent("/api/exams-lab/upload", { examName: "Hemograma", modality: "LAB" }, "file"),
    404,
  ],
  [
    "/api/studies/laudo/{study}",
    async () => {
      await sent("/api/studies/laudo/upload", { studyInstanceUID: study }, "laudo");
      return study;
    },
    404,
  ],
  [
    "/api/studies/{study}/grants/{userId}",
    async () => {
      await t.call("POST", `/api/studies/${study}/assign`, { as: owner, json: { userId: doctor.id } });
      return doctor.id;
    },
    204,
  ],
  [
    "/api/studies/{study}/invitations/{id}",
    async () => {
      const path = `/api/studies/${study}/invitations`;
      const json = { email: "convidada@example.com" };
      await t.call("POST", path, { as: owner, json });
      const [invitation] = (await (await t.call("GET", path, { as: owner })).json()) as { id: string }[];
      return invitation?.id ?? "";
    },
    404,
  ],
  ["/api/studies/{study}", async () => study, 404],
  ["/api/users/{id}", async () => doctor.id, 404, () => admin],
];

test.each(CASES)(
  "DELETE %s says in the API's document what a second one answers",
  async (route, make, second, who) => {
    const id = await make();
    const path = route.replace(/\{\w+\}$/, id).replace("{study}", study);
    const call = () => t.call("DELETE", path, { as: who?.() ?? owner, headers: tusHeaders });
    const first = await call();
    expect(first.status).toBeLessThan(300);
    expect((await call()).status).toBe(second);
    expect(operations[route]?.delete?.description).toContain(
      second === 404 ? "A second time it is 404." : `A second time it is ${second} again.`,
    );
  },
);

test("every path that deletes is among these", () => {
  const deleting = Object.entries(operations).filter(([, methods]) => methods.delete);
  expect(deleting.map(([path]) => path).sort()).toEqual(CASES.map(([route]) => route).sort());
});
