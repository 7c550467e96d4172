import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import * as z from "zod/mini";
import { studies } from "../../../src/server/features/studies/studies.table.ts";
import { type CreatedLink, type Visit, visitSchema } from "../../../src/shared/api/links.ts";
import { type Study, studySchema } from "../../../src/shared/api/studies.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let person: Person;
beforeAll(async () => {
  t = await createTestApp();
  person = await t.addPerson("Lista Exames", { plan: "clinica" });
  await t.store(person, sampleZip({ study: "1" }, { study: "2" }, { study: "3" }));
});
afterAll(() => t[Symbol.asyncDispose]());

async function list(query: string): Promise<{ listed: number; total: string | null }> {
  const answer = await t.call("GET", `/api/studies?${query}`, { as: person });
  return { listed: ((await answer.json()) as unknown[]).length, total: answer.headers.get("x-total-count") };
}

test("every page says how many studies there are in all", async () => {
  expect(await list("")).toEqual({ listed: 3, total: "3" });
  expect(await list("limit=2")).toEqual({ listed: 2, total: "3" });
  expect(await list("limit=2&offset=2")).toEqual({ listed: 1, total: "3" });
  expect(await list("limit=3")).toEqual({ listed: 3, total: "3" });
  expect(await list("limit=2&offset=9")).toEqual({ listed: 0, total: "3" });
  expect(await list("patientName=ninguem")).toEqual({ listed: 0, total: "0" });
});

test("a range of dates includes both its ends and leaves out earlier and later studies", async () => {
  for (const [query, listed] of [
    ["startDate=2026-03-14", 3],
    ["endDate=2026-03-14", 3],
    ["startDate=2026-03-14&endDate=2026-03-14", 3],
    ["startDate=2026-03-15", 0],
    ["endDate=2026-03-13", 0],
    ["startDate=2026-03-15&endDate=2026-04-01", 0],
    ["startDate=&endDate=2026-03-14&patientName=&modality=", 3],
    ["startDate=2026-03-15&endDate=", 0],
  ] as const) {
    expect(await list(query)).toEqual({ listed, total: String(listed) });
  }
});

test("studies without a date pass every range of dates", async () => {
  await t.deps.db.update(studies).set({ studyDate: null }).where(eq(studies.accountId, person.id));
  expect(await list("startDate=2026-03-15&endDate=2026-04-01")).toEqual({ listed: 3, total: "3" });
});

test("documents among the images are counted beside them, in the list, for one exam and for visitors", async () => {
  const document = { [TagHex.Modality]: { vr: "CS", Value: ["DOC"] } };
  await t.store(
    person,
    sampleZip({ study: "4" }, { study: "4", sop: "2" }, { study: "4", series: "2", elements: document }),
  );
  const read = async <Answer>(path: string) =>
    (await (await t.call("GET", path, { as: person })).json()) as Answer;
  const listed = await read<Study[]>("/api/studies");
  const counted = listed.find(({ studyInstanceUID }) => studyInstanceUID === "2.25.1.4");
  expect(counted).toMatchObject({ imagesReceived: 3, documentsReceived: 1 });
  expect(listed.filter(({ documentsReceived }) => documentsReceived !== undefined)).toHaveLength(1);
  const id = counted?.id ?? "";
  expect(await read<Study>(`/api/studies/${id}`)).toMatchObject({ imagesReceived: 3, documentsReceived: 1 });
  const link = await t.call("POST", "/api/links", { as: person, json: { studyIds: [id] } });
  const { pathname, hash } = new URL(((await link.json()) as CreatedLink).url);
  const json = { link: pathname.split("/").at(-1), secret: hash.slice(1) };
  const visit = (await (await t.call("POST", "/api/visits", { json })).json()) as Visit;
  expect(visit.studies).toMatchObject([{ imagesReceived: 3, documentsReceived: 1 }]);
});

test("the list and a link's page show exams in which the patient's sex is any word, such as constructor", async () => {
  const other = await t.addPerson("Sexo Qualquer", { plan: "clinica" });
  const words = ["constructor", "__proto__", "toString"];
  const elements = words.map((word) => ({ [TagHex.PatientSex]: { vr: "CS", Value: [word] } }));
  await t.store(other, sampleZip(...elements.map((own, n) => ({ study: `9${n}`, elements: own }))));
  const listed = z
    .array(studySchema)
    .parse(await (await t.call("GET", "/api/studies", { as: other })).json());
  expect(listed.map(({ patientGender }) => patientGender)).toEqual([null, null, null]);
  const link = await t.call("POST", "/api/links", {
    as: other,
    json: { studyIds: listed.map(({ id }) => id) },
  });
  const { pathname, hash } = new URL(((await link.json()) as CreatedLink).url);
  const json = { link: pathname.split("/").at(-1), secret: hash.slice(1) };
  const visit = visitSchema.parse(await (await t.call("POST", "/api/visits", { json })).json());
  expect(visit.studies).toHaveLength(3);
});
