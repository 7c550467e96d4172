import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseQido } from "../../../src/server/features/dicomweb/qido/parse-qido.ts";
import { searchStudies } from "../../../src/server/features/exchange/search.repo.ts";
import type { DicomJson } from "../../../src/shared/dicom/reading/instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

/* Accounts may have studies of one UID: what a search lists, its address brings. */

let t: TestApp;
let owner: Person;
let reader: Person;
let admin: Person;

const named = (name: string) => ({ [TagHex.PatientName]: { vr: "PN", Value: [name] } });

beforeAll(async () => {
  t = await createTestApp({ env: { PUBLIC_URL: "https://exames.example" } });
  owner = await t.addPerson("Dona", { plan: "clinica" });
  reader = await t.addPerson("Quem Recebeu", { plan: "clinica" });
  admin = await t.addPerson("Quem Cuida", { role: "admin" });
  const own = { study: "1", sop: "1", elements: named("De Quem Recebeu") };
  await t.store(reader, sampleZip(own));
  const granted = await t.store(
    owner,
    sampleZip(
      { study: "1", sop: "2", elements: named("Da Dona") },
      { study: "2", sop: "1", elements: named("Da Dona") },
    ),
  );
  for (const { id } of granted.studies) {
    const json = { userId: reader.id };
    expect((await t.call("POST", `/api/studies/${id}/assign`, { as: owner, json })).status).toBeLessThan(300);
  }
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

async function search(as: Person, path: string): Promise<DicomJson[]> {
  const answer = await t.call("GET", `/dicomweb${path}`, { as });
  expect(answer.status).toBe(200);
  return (await answer.json()) as DicomJson[];
}

const nameOf = (json: DicomJson | undefined) =>
  (json?.[TagHex.PatientName]?.Value?.[0] as { Alphabetic: string } | undefined)?.Alphabetic;
const addressOf = (json: DicomJson) => new URL(String(json[TagHex.RetrieveURL]?.Value?.[0])).pathname;

test.each(["/studies", "/series", "/instances?includefield=PatientName"])(
  "each row of %s is retrieved at its own address, whoever has its UID too",
  async (path) => {
    for (const as of [reader, admin]) {
      const rows = await search(as, path);
      expect(rows.map(nameOf).toSorted()).toEqual(["Da Dona", "Da Dona", "De Quem Recebeu"]);
      for (const row of rows) {
        const metadata = await t.call("GET", `${addressOf(row)}/metadata`, { as });
        expect(metadata.status).toBe(200);
        const [instance] = (await metadata.json()) as DicomJson[];
        expect(nameOf(instance)).toBe(nameOf(row));
        const image = await t.call("GET", `${addressOf(row)}/thumbnail`, { as });
        expect(image.status).toBe(200);
      }
    }
  },
);

test("a UID that names one study is enough for its address", async () => {
  const rows = await search(reader, "/studies");
  const byUid = rows.filter((row) => addressOf(row) === `/dicomweb/studies/${studyUID("1")}`);
  expect(byUid.map(nameOf)).toEqual(["De Quem Recebeu"]);
  const others = rows.filter((row) => addressOf(row) === `/dicomweb/studies/${studyUID("2")}`);
  expect(others).toHaveLength(1);
});

test("no address tells that somebody else keeps a study of the same UID", async () => {
  const before = (await search(reader, "/studies")).map(addressOf);
  const stranger = await t.addPerson("Outra Conta");
  await t.store(stranger, sampleZip({ study: "2", sop: "9" }));
  expect((await search(reader, "/studies")).map(addressOf)).toEqual(before);
  const [kept] = await t.sql`select id from studies where account_id = ${stranger.id}`;
  await t.call("DELETE", `/api/studies/${kept?.id}`, { as: stranger });
});

test("a grant that ends while a search is at work shows nothing any more", async () => {
  const query = parseQido(new URLSearchParams("PatientName=da*"));
  const search = { caller: { userId: reader.id, role: "user" as const }, isGrantedOnly: false };
  const wide = { ...search, ofStudy: query.matches, ofSeries: [], limit: 10, offset: 0 };
  const names = async (db: typeof t.deps.db) =>
    (await searchStudies(db, wide)).map(({ patientName }) => patientName);
  expect(await names(t.deps.db)).toEqual(["Da Dona", "Da Dona"]);
  const grants = await t.sql`select * from grants`;
  // Its first statement finds the ids of the page; another one reads their studies.
  const slow = new Proxy(t.deps.db, {
    get: (db, key) =>
      key === "execute"
        ? async (statement: Parameters<typeof db.execute>[0]) => {
            const found = await db.execute(statement);
            await t.sql`delete from grants`;
            return found;
          }
        : Reflect.get(db, key),
  });
  expect(await names(slow)).toEqual([]);
  for (const grant of grants) await t.sql`insert into grants ${t.sql(grant)}`;
});

test("within a study that its id names, addresses have the id, and bulk data and files come", async () => {
  const [row] = (await search(admin, "/studies")).filter((json) => nameOf(json) === "De Quem Recebeu");
  const address = row ? addressOf(row) : "";
  expect(address).not.toContain(studyUID("1"));
  for (const level of ["series", "instances"]) {
    const path = `${address.slice("/dicomweb".length)}/${level}?includefield=PixelData`;
    const [found] = await search(admin, path);
    expect(found && addressOf(found)).toStartWith(`${address}/series/`);
    const { BulkDataURI } = { ...found?.[TagHex.PixelData] } as { BulkDataURI?: string };
    if (level === "instances")
      expect((await t.call("GET", new URL(BulkDataURI ?? "").pathname, { as: admin })).status).toBe(200);
  }
  for (const accept of ["application/dicom", 'multipart/related; type="application/dicom"']) {
    const [found] = await search(admin, `${address.slice("/dicomweb".length)}/instances`);
    const file = await t.call("GET", found ? addressOf(found) : "", { as: admin, headers: { accept } });
    expect([file.status, Buffer.from(await file.bytes()).includes("De Quem Recebeu")]).toEqual([200, true]);
  }
  const stranger = await t.addPerson("Ninguém");
  expect((await t.call("GET", `${address}/metadata`, { as: stranger })).status).toBe(404);
});
