import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { studies } from "../../../src/server/features/studies/studies.table.ts";
import type { DicomJson } from "../../../src/shared/dicom/reading/instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { stow } from "../../support/app/stow.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
let reader: Person;

const named = (...Value: string[]): DicomElements => ({ [TagHex.PatientName]: { vr: "PN", Value } });
const YAMADA = { Alphabetic: "Yamada^Tarou", Ideographic: "山田^太郎", Phonetic: "やまだ^たろう" };

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Quem Procura", { plan: "clinica" });
  reader = await t.addPerson("Quem Recebeu");
  await t.store(
    owner,
    sampleZip(
      { study: "1", elements: named("Yamada^Tarou=山田^太郎=やまだ^たろう") },
      { study: "3", elements: named("Silva^Ana") },
      { study: "4", elements: named("=山田^花子") },
      { study: "5", elements: { [TagHex.PatientName]: { vr: "PN" } } },
      { study: "6", elements: named("Goto^Jun==ごとう^じゅん", "Silva^Jun") },
      { study: "7", elements: named(`Longo=${"長".repeat(2_000)}`) },
      { study: "10", elements: named("Silva^Ana", "Souza^Ana") },
      // Images that disagree: the study has the name of its first one.
      { study: "8", elements: named("Hong^Gildong=洪^吉洞=홍^길동") },
      { study: "8", sop: "2", elements: named("Kim^Ana=金^Ana") },
    ),
  );
  const file = sampleInstance({ study: "2", elements: named("Yamada^Tarou=山田^太郎=やまだ^たろう") });
  expect((await stow(t, owner, [file])).status).toBe(200);
  // The form changes the list; DICOMweb goes on saying what the instances say.
  await t.store(owner, sampleZip({ study: "9", elements: named("Yamada^Tarou=山田^太郎=やまだ^たろう") }), {
    patientName: "Corrigida",
  });
  const path = `/api/studies/${await idOf("1")}/assign`;
  const granted = await t.call("POST", path, { as: owner, json: { userId: reader.id } });
  expect(granted.status).toBeLessThan(300);
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

async function idOf(study: string): Promise<string> {
  const answer = await t.call("GET", "/api/studies", { as: owner });
  const studies = (await answer.json()) as { id: string; studyInstanceUID: string }[];
  return studies.find(({ studyInstanceUID }) => studyInstanceUID === studyUID(study))?.id ?? "";
}

async function nameIn(path: string, as = owner): Promise<DicomJson[string] | undefined> {
  const answer = await t.call("GET", `/dicomweb${path}`, { as });
  const [json] = (await answer.json()) as DicomJson[];
  return json?.[TagHex.PatientName];
}

test.each([
  ["in a ZIP", "1", [YAMADA]],
  ["by STOW-RS", "2", [YAMADA]],
  ["with one group", "3", [{ Alphabetic: "Silva^Ana" }]],
  ["without an alphabetic group", "4", [{ Ideographic: "山田^花子" }]],
  ["without a name", "5", undefined],
  [
    "with several values",
    "6",
    [{ Alphabetic: "Goto^Jun", Phonetic: "ごとう^じゅん" }, { Alphabetic: "Silva^Jun" }],
  ],
  ["with several values of one group", "10", [{ Alphabetic: "Silva^Ana" }, { Alphabetic: "Souza^Ana" }]],
  ["with a name longer than the database keeps", "7", [{ Alphabetic: "Longo" }]],
  [
    "of images that disagree",
    "8",
    [{ Alphabetic: "Hong^Gildong", Ideographic: "洪^吉洞", Phonetic: "홍^길동" }],
  ],
  ["whose name the upload form replaced", "9", [YAMADA]],
])("a search answers every group of the name of a study sent %s", async (_, study, Value) => {
  const expected = Value ? { vr: "PN", Value } : { vr: "PN" };
  expect(await nameIn(`/studies?StudyInstanceUID=${studyUID(study)}`)).toEqual(expected);
  const series = `/series?StudyInstanceUID=${studyUID(study)}&includefield=PatientName`;
  expect(await nameIn(series)).toEqual(expected);
});

test("a name that an earlier release kept without a value is answered from its column", async () => {
  const uid = studyUID("3");
  const attributes = { [TagHex.PatientName]: { vr: "PN" } };
  await t.deps.db.update(studies).set({ attributes }).where(eq(studies.studyInstanceUID, uid));
  expect((await nameIn(`/studies?StudyInstanceUID=${uid}`))?.Value).toEqual([{ Alphabetic: "Silva^Ana" }]);
});

test("a person whom a study is shared with reads every group of its name, in searches and in metadata", async () => {
  expect((await nameIn("/studies", reader))?.Value).toEqual([YAMADA]);
  expect((await nameIn(`/studies/${studyUID("1")}/metadata`, reader))?.Value).toEqual([YAMADA]);
});

test("the list and its form go on with one group", async () => {
  const studies = (await (await t.call("GET", "/api/studies", { as: owner })).json()) as {
    studyInstanceUID: string;
    patientName: string | null;
  }[];
  const names = Object.fromEntries(studies.map((study) => [study.studyInstanceUID, study.patientName]));
  expect(names[studyUID("1")]).toBe("Yamada^Tarou");
  expect(names[studyUID("4")]).toBe("山田^花子");
  expect(names[studyUID("9")]).toBe("Corrigida");
});

async function foundBy(parameters: string, level = "studies", as = owner): Promise<string[]> {
  const answer = await t.call("GET", `/dicomweb/${level}?${parameters}`, { as });
  if (answer.status === 204) return [];
  expect(answer.status).toBe(200);
  const found = (await answer.json()) as DicomJson[];
  const ofStudy = studyUID("");
  return found
    .map((json) => String(json[TagHex.StudyInstanceUID]?.Value?.[0]).slice(ofStudy.length))
    .sort((one, other) => Number(one) - Number(other));
}

test.each([
  ["an ideographic group", "山田*", ["1", "2", "4", "9"]],
  ["a whole ideographic group", "洪^吉洞", ["8"]],
  ["a phonetic group", "やまだ^*", ["1", "2", "9"]],
  ["a phonetic group without an ideographic one", "ごとう*", ["6"]],
  ["every group at once", "Yamada^Tarou=山田^太郎=やまだ^たろう", ["1", "2", "9"]],
  ["a part of a group", "*太*", ["1", "2", "9"]],
  ["the alphabetic group of a name with others, once", "yamada*", ["1", "2", "9"]],
  ["a further value", "silva^jun", ["6"]],
  ["any name", "*n*", ["3", "6", "7", "8", "10"]],
  ["a group of nobody", "木村*", []],
])("a search finds studies by %s", async (_, name, expected) => {
  const parameters = `PatientName=${encodeURIComponent(name)}`;
  expect(await foundBy(parameters)).toEqual(expected);
  const ofSeries = new Set(await foundBy(parameters, "series"));
  expect([...ofSeries]).toEqual(expected);
});

test("a fuzzy search finds words of any group", async () => {
  const fuzzy = (words: string) => foundBy(`fuzzymatching=true&PatientName=${encodeURIComponent(words)}`);
  expect(await fuzzy("太 yamada")).toEqual(["1", "2", "9"]);
  expect(await fuzzy("jun ごとう")).toEqual(["6"]);
  expect(await fuzzy("洪 yamada")).toEqual([]);
});

test("a search by a group finds what is shared, and nothing else of its owner", async () => {
  expect(await foundBy(`PatientName=${encodeURIComponent("山田*")}`, "studies", reader)).toEqual(["1"]);
});

test("pages of a search by a group have each study once", async () => {
  const pages: string[] = [];
  for (const offset of [0, 1, 2, 3, 4])
    pages.push(...(await foundBy(`PatientName=${encodeURIComponent("山田*")}&limit=1&offset=${offset}`)));
  expect(pages.toSorted()).toEqual(["1", "2", "4", "9"]);
});

test("names that an earlier release kept among the attributes are folded by the migration as uploads fold them", async () => {
  const said = () => t.sql`select id, patient_name_groups from studies order by id`;
  const before = await said();
  expect(before.filter(({ patient_name_groups: groups }) => groups !== null).length).toBeGreaterThan(5);
  await t.sql`update studies set patient_name_groups = null`;
  const migration = readFileSync(join(import.meta.dir, "../../../migrations/0037_name_groups.sql"), "utf8");
  const backfill = migration.split("--> statement-breakpoint").at(-1) ?? "";
  await t.sql.unsafe(backfill);
  expect(await said()).toEqual(before);
});
