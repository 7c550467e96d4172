import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { studyPopulation } from "../../../scripts/bench/study-population.ts";
import { indexOfInstances, studyColumns } from "../../../src/server/features/ingest/study-index.ts";
import { grants, studies } from "../../../src/server/features/studies/studies.table.ts";
import { foldName } from "../../../src/shared/dicom/folded-name.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";

let t: TestApp;
let clinic: Person;

const KEPT = [
  {
    patientName: "Souza^João",
    studyDescription: "Crânio sem contraste",
    institutionName: "Santa Casa",
    modality: "CT",
  },
  {
    patientName: "Lima^Ana",
    studyDescription: "Joelho direito",
    institutionName: "Clínica São João",
    modality: "MR",
  },
  {
    patientName: "Lima^Ana",
    studyDescription: "Tórax TC",
    institutionName: null,
    modality: "OT",
    accessionNumber: "Ç-778",
  },
  {
    patientName: "Reis^Rui",
    studyDescription: "Octopus",
    institutionName: "100% Imagem",
    modality: "CR\\SR",
  },
];

function rowsFor(person: Person) {
  const bases = [...studyPopulation(person.id, KEPT.length)];
  return bases.map((base, place) => {
    const { modality = "", ...index } = KEPT[place] ?? {};
    const none = indexOfInstances({} as never, []);
    const values = indexOfInstances(
      { accessionNumber: null, patientID: null, ...index } as never,
      modality.split("\\"),
    );
    return { ...base, ...studyColumns({ ...none, ...values }, {}) };
  });
}

beforeAll(async () => {
  t = await createTestApp({ jobs: false });
  clinic = await t.addPerson("Clínica Cheia", { plan: "clinica" });
  await t.deps.db.insert(studies).values(rowsFor(clinic));
});
afterAll(() => t[Symbol.asyncDispose]());

async function search(words: string, person = clinic) {
  const answer = await t.call("GET", `/api/studies?${new URLSearchParams({ search: words })}`, {
    as: person,
  });
  expect(answer.status).toBe(200);
  const found = (await answer.json()) as { studyDescription: string }[];
  expect(answer.headers.get("x-total-count")).toBe(String(found.length));
  return found.map(({ studyDescription }) => studyDescription).sort();
}

test("one search looks into patient, description, institution, modality and accession number, without accents", async () => {
  expect(await search("cranio")).toEqual(["Crânio sem contraste"]);
  expect(await search("CRÂNIO")).toEqual(["Crânio sem contraste"]);
  expect(await search("são joão")).toEqual(["Joelho direito"]);
  expect(await search("joao")).toEqual(["Crânio sem contraste", "Joelho direito"]);
  expect(await search("c-778")).toEqual(["Tórax TC"]);
  expect(await search("sr")).toEqual(["Octopus"]);
  expect(await search("")).toHaveLength(KEPT.length);
});

test("a search finds a modality by what people call it, and short words only where a word begins", async () => {
  expect(await search("TC")).toEqual(["Crânio sem contraste", "Tórax TC"]);
  expect(await search("tomogr")).toEqual(["Crânio sem contraste"]);
  expect(await search("RM")).toEqual(["Joelho direito"]);
  expect(await search("raio-x")).toEqual(["Octopus"]);
  expect(await search("ct")).toEqual(["Crânio sem contraste"]);
});

test("each word of a search must be found, in any order and any field", async () => {
  expect(await search("ana joelho")).toEqual(["Joelho direito"]);
  expect(await search("mr lima clinica")).toEqual(["Joelho direito"]);
  expect(await search("ana cranio")).toEqual([]);
});

test("a patient is found by the ideographic and phonetic forms of their name, with and without a space", async () => {
  const person = await t.addPerson("Clínica Sakura", { plan: "clinica" });
  const groups = ["=yamada tarou=山田 太郎=やまた たろう=", "=sato hanako=佐藤 花子=さとう はなこ="];
  const described = rowsFor(person).slice(0, groups.length);
  await t.deps.db
    .insert(studies)
    .values(described.map((row, place) => ({ ...row, patientNameGroups: groups[place] })));
  for (const words of ["山田", "山", "太郎 山田", "山田太郎", "やまだ", "cranio 山田"])
    expect([words, await search(words, person)]).toEqual([words, ["Crânio sem contraste"]]);
  expect(await search("山花", person)).toEqual([]);
  expect(await search("郎や", person)).toEqual([]);
  for (const patientName of ["山田^太郎", "山田 太郎", "田太"]) {
    const answer = await t.call("GET", `/api/studies?${new URLSearchParams({ patientName })}`, {
      as: person,
    });
    expect([patientName, answer.headers.get("x-total-count")]).toEqual([patientName, "1"]);
  }
});

test("an apostrophe is found however it was typed", async () => {
  const person = await t.addPerson("Clínica d'Ávila", { plan: "clinica" });
  const names = ["Sant'Ana^Rita", "Sant’Ana^Rosa"];
  await t.deps.db.insert(studies).values(
    rowsFor(person)
      .slice(0, names.length)
      .map((row, place) => ({ ...row, patientNameFolded: foldName(names[place] ?? "") })),
  );
  for (const words of ["sant'ana", "Sant’Ana"]) expect(await search(words, person)).toHaveLength(2);
  const asName = await t.call("GET", "/api/studies?patientName=Sant%E2%80%99Ana", { as: person });
  expect(asName.headers.get("x-total-count")).toBe("2");
});

test("wildcards of the database, backslashes and a hundred words are ordinary text", async () => {
  expect(await search("100%")).toEqual(["Octopus"]);
  expect(await search("%%%")).toEqual([]);
  expect(await search("_")).toEqual([]);
  expect(await search("\\")).toEqual([]);
  expect(await search("a b c d e f g h i j k l m n o p q r s t u v w x y z ".repeat(3))).toEqual([]);
});

test("a search is counted anew after the institution of an exam changed", async () => {
  const person = await t.addPerson("Outra Casa", { plan: "clinica" });
  await t.deps.db.insert(studies).values(rowsFor(person));
  expect(await search("hospital", person)).toEqual([]);
  await t.deps.db
    .update(studies)
    .set({ institutionName: "HOSPITAL DA LUZ" })
    .where(eq(studies.accountId, person.id));
  expect(await search("hospital luz", person)).toHaveLength(KEPT.length);
  expect(await search("hospital", person)).toHaveLength(KEPT.length);
});

test("the list says whether the caller sees exams of more than one patient, shared ones included", async () => {
  const several = async (person: Person) => {
    const answer = await t.call("GET", "/api/studies?limit=1", { as: person });
    return answer.headers.get("x-several-patients");
  };
  expect(await several(clinic)).toBe("true");
  const alone = await t.addPerson("Uma Pessoa", { plan: "clinica" });
  expect(await several(alone)).toBe("false");
  const [own] = rowsFor(alone);
  if (!own) throw new Error("no row");
  await t.deps.db.insert(studies).values(own);
  expect(await several(alone)).toBe("false");
  const [, shared] = await t.deps.db.select().from(studies).where(eq(studies.patientName, "Lima^Ana"));
  if (!shared) throw new Error("no shared study");
  await t.deps.db
    .insert(grants)
    .values({ studyId: shared.id, userId: alone.id, createdAt: t.deps.clock.now() });
  expect(await several(alone)).toBe("true");
});

test("a patient's name finds itself as DICOM writes it", async () => {
  for (const patientName of ["Lima^Ana", "lima ana", "Souza^João=^"]) {
    const answer = await t.call("GET", `/api/studies?${new URLSearchParams({ patientName })}`, {
      as: clinic,
    });
    expect([patientName, ((await answer.json()) as object[]).length]).toEqual([
      patientName,
      patientName.startsWith("Souza") ? 1 : 2,
    ]);
  }
});
