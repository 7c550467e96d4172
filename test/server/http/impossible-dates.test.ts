import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { tusMetadata, tusOf } from "../../support/app/tus.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let person: Person;
let admin: Person;
beforeAll(async () => {
  t = await createTestApp();
  person = await t.addPerson("Data Impossível", { plan: "clinica" });
  admin = await t.addPerson("Admin", { role: "admin" });
  await t.store(person, sampleZip({}));
});
afterAll(() => t[Symbol.asyncDispose]());

async function expectRefused(answer: Response): Promise<void> {
  expect([answer.status, (await problemOf(answer)).code]).toEqual([400, "validation.failed"]);
}

test.each(["startDate=2026-02-30", "endDate=2026-13-01", "startDate=0000-01-01"])(
  "a list with %s is refused",
  async (query) => expectRefused(await t.call("GET", `/api/studies?${query}`, { as: person })),
);

test.each(["2026-02-30T10:00", "0000-01-01", "2026-03-14T25:00"])(
  "an upload of an exam of %s is refused before its bytes",
  async (examinedAt) => {
    const formData = JSON.stringify({ examinedAt });
    const form = new FormData();
    form.append("formData", formData);
    form.append("zipFile", new Blob([Uint8Array.from(sampleZip({ study: "2" }))]), "exame.zip");
    await expectRefused(await t.call("POST", "/api/upload-dicom", { as: person, body: form }));
    const metadata = tusMetadata({ filename: "exame.zip", formData });
    await expectRefused(await tusOf(t, person).create(100, { "upload-metadata": metadata }));
  },
);

test.each(["0000-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00"])(
  "an expiry at %s is refused",
  async (expiresAt) => {
    const { id } = person;
    await expectRefused(await t.call("PATCH", `/api/users/${id}`, { as: admin, json: { id, expiresAt } }));
    for (const [path, json] of [
      ["/api/tokens", { name: "PACS", scopes: ["api"] }],
      ["/api/links", { studyIds: [studyUID("1")] }],
      ["/api/requests", { label: "Clínica" }],
    ] as const)
      await expectRefused(await t.call("POST", path, { as: person, json: { ...json, expiresAt } }));
  },
);
