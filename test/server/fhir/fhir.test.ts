import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { MAX_BINARY_BYTES } from "../../../src/server/features/fhir/binary.ts";
import type { FhirResource } from "../../../src/server/features/fhir/fhir-resource.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { fhirErrors } from "../../support/dicom/fhir-schema.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const PUBLIC_URL = "https://exames.example";
const FHIR_JSON = "application/fhir+json";

let t: TestApp;
let owner: Person;
let stranger: Person;
let program: Person;
/** Ids of the studies, by the number in their UIDs. */
const ids: Record<string, string> = {};

const seriesUID = (study: string, series = "1") => `2.25.2.${study}.${series}`;
const text = (vr: string, value: string | number) => ({ vr, Value: [value] });
const head: DicomElements = {
  [TagHex.PatientName]: text("PN", "Gonçalves^João^Paulo^Dr"),
  [TagHex.PatientID]: text("LO", "P-100"),
  [TagHex.PatientBirthDate]: text("DA", "19700102"),
  [TagHex.PatientSex]: text("CS", "M"),
  [TagHex.StudyDate]: text("DA", "20260131"),
  [TagHex.StudyTime]: text("TM", "101500"),
  [TagHex.AccessionNumber]: text("SH", "A1"),
  [TagHex.StudyDescription]: text("LO", "TC de crânio"),
  [TagHex.Modality]: text("CS", "CT"),
  [TagHex.ReferringPhysicianName]: text("PN", "Araújo^Márcia"),
};
/** With control characters, and spaces as a word processor writes them. */
const other: DicomElements = {
  [TagHex.PatientName]: text("PN", "Silva^Ana\u00a0Rosa"),
  [TagHex.PatientID]: text("LO", "P-1*"),
  [TagHex.StudyDate]: text("DA", "20250620"),
  [TagHex.StudyDescription]: text("LO", "RM\u00a0de\u2028crânio"),
  [TagHex.ReferringPhysicianName]: text("PN", "\u0001^\u0002"),
  [TagHex.BodyPartExamined]: text("CS", "\u0001HEAD"),
  [TagHex.Modality]: text("CS", "MR"),
};
const odd: DicomElements = {
  [TagHex.PatientName]: text("PN", "Yamada^Tarou=山田^太郎=やまだ^たろう"),
  [TagHex.PatientID]: text("LO", "R,1|2"),
  [TagHex.StudyDate]: text("DA", "19991231"),
  [TagHex.Modality]: text("CS", "US"),
};
/** As a damaged export leaves it: nothing that is optional. */
const bare: DicomElements = {
  [TagHex.PatientName]: { vr: "PN" },
  [TagHex.PatientID]: { vr: "LO" },
  [TagHex.PatientBirthDate]: { vr: "DA" },
  [TagHex.PatientSex]: { vr: "CS" },
  [TagHex.StudyDate]: { vr: "DA" },
  [TagHex.StudyTime]: { vr: "TM" },
  [TagHex.StudyDescription]: { vr: "LO" },
  [TagHex.SeriesNumber]: text("IS", -4),
  [TagHex.Modality]: { vr: "CS" },
};

beforeAll(async () => {
  t = await createTestApp({ env: { PUBLIC_URL } });
  owner = await t.addPerson("Quem Pergunta", { plan: "clinica" });
  stranger = await t.addPerson("Outra Pessoa");
  const kept = [
    await t.store(stranger, sampleZip({ study: "9", elements: head })),
    await t.store(
      owner,
      sampleZip(
        { study: "1", elements: { ...head, [TagHex.SeriesNumber]: text("IS", 1) } },
        { study: "1", series: "2", elements: { ...head, [TagHex.SeriesNumber]: text("IS", 2) } },
        { study: "2", elements: other },
        { study: "3", elements: bare },
        { study: "4", elements: odd },
      ),
    ),
  ];
  for (const { id, studyInstanceUID } of kept.flatMap(({ studies }) => studies))
    ids[studyInstanceUID.replace(studyUID(""), "")] = id;
  const form = await formBody(
    { studyInstanceUID: ids["1"] ?? "" },
    { name: "laudo", bytes: samplePdf("laudo da Dra. Márcia") },
  );
  const attached = await t.call("POST", "/api/studies/laudo/upload", { as: owner, ...form });
  expect(attached.status).toBe(201);
  program = await withToken(["dicomweb:read"]);
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

async function withToken(scopes: string[]): Promise<Person> {
  const made = await t.call("POST", "/api/tokens", { as: owner, json: { name: "RES", scopes } });
  return { ...owner, token: ((await made.json()) as { token: string }).token };
}

/** Reads a resource, which must be valid, as the program does. */
async function read(path: string, as: Person | undefined = program): Promise<FhirResource> {
  const answer = await t.call("GET", `/fhir${path}`, { as, headers: { accept: FHIR_JSON } });
  const resource = (await answer.json()) as FhirResource;
  expect([path, answer.status, resource.resourceType]).toEqual([path, 200, expect.any(String)]);
  expect(answer.headers.get("content-type")).toBe(`${FHIR_JSON}; charset=utf-8`);
  expect(await fhirErrors(resource)).toEqual([]);
  return resource;
}

interface Bundle extends FhirResource {
  total?: number;
  link: { relation: string; url: string }[];
  entry?: { fullUrl: string; resource: FhirResource; search: { mode: string } }[];
}
const bundle = async (path: string, as = program) => (await read(path, as)) as Bundle;
/** The studies of a page, by the numbers in their UIDs. */
const numbersOf = ({ entry = [] }: Bundle) =>
  entry.map(({ resource }) => Object.keys(ids).find((number) => ids[number] === resource.id));
const selfOf = ({ link }: Bundle) =>
  new URLSearchParams(link.find(({ relation }) => relation === "self")?.url.split("?")[1]);
const find = async (query: string) => numbersOf(await bundle(`/ImagingStudy?${query}`));

describe("a search by POST", () => {
  const post = (type: string, form: string, headers: Record<string, string> = {}) =>
    t.call("POST", `/fhir/${type}`, {
      as: program,
      body: form,
      headers: { accept: FHIR_JSON, "content-type": "application/x-www-form-urlencoded", ...headers },
    });

  test("is the same as by GET, with what its form and its address say", async () => {
    for (const [type, query] of [
      ["ImagingStudy", "patient=P-100&_include=ImagingStudy:endpoint"],
      ["ImagingStudy", "identifier=urn:dicom:uid%7Curn:oid:2.25.1&_count=1"],
      ["DiagnosticReport", "_include=DiagnosticReport:imagingStudy"],
    ] as const) {
      const wanted = await bundle(`/${type}?${query}`);
      const [first = "", ...rest] = query.split("&");
      const utf8 = { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" };
      expect([query, await (await post(`${type}/_search`, query, utf8)).json()]).toEqual([query, wanted]);
      const mixed = await post(`${type}/_search?${first}`, rest.join("&"));
      expect([query, await mixed.json()]).toEqual([query, wanted]);
    }
    expect((await (await post("ImagingStudy/_search", "_count=0")).json()).total).toBe(4);
  });

  test.each([
    ["another body than a form", "{}", { "content-type": "application/json" }, 415],
    ["a body without end", `patient=${"x".repeat(17_000)}`, {}, 413],
    ["an unknown modifier", "modality:not=CT", {}, 400],
    ["text that can't be kept", "patient=%00", {}, 400],
    ["XML", "_format=application/fhir%2Bxml", {}, 406],
  ])("is refused with %s", async (_, form, headers, status) => {
    const answer = await post("ImagingStudy/_search", form, headers as Record<string, string>);
    expect([answer.status, ((await answer.json()) as FhirResource).resourceType]).toEqual([
      status,
      "OperationOutcome",
    ]);
  });
});

describe("A client", () => {
  test.each([
    ["application/fhir+json; fhirVersion=4.0", 200],
    ['application/fhir+json;fhirVersion="4.0"; charset=utf-8', 200],
    ["application/fhir+json; fhirVersion=4.0.1", 200],
    ["application/fhir+json; fhirVersion=3.0", 406],
    ["application/fhir+json;FHIRVERSION=5.0;q=0.9", 406],
    ["application/fhir+json; fhirVersion=5.0, application/fhir+json; fhirVersion=4.0; q=0.5", 200],
  ])("that accepts %p is answered %p", async (accept, status) => {
    for (const path of ["metadata", "ImagingStudy?_count=1", `ImagingStudy/${ids["1"]}`]) {
      const answer = await t.call("GET", `/fhir/${path}`, { as: program, headers: { accept } });
      expect([path, answer.status]).toEqual([path, status]);
    }
  });
});

describe("ImagingStudy", () => {
  test("names a patient in each way in which the name is written", async () => {
    const study = (await read(`/ImagingStudy/${ids["4"]}`)) as { contained?: unknown; subject?: unknown };
    const written = (valueCode: string) => [
      { url: "http://hl7.org/fhir/StructureDefinition/iso21090-EN-representation", valueCode },
    ];
    const names = [
      { extension: written("ABC"), text: "Tarou Yamada", family: "Yamada", given: ["Tarou"] },
      { extension: written("IDE"), text: "山田 太郎", family: "山田", given: ["太郎"] },
      { extension: written("SYL"), text: "やまだ たろう", family: "やまだ", given: ["たろう"] },
    ];
    expect(study.contained).toEqual([expect.objectContaining({ name: names })]);
    expect(study.subject).toMatchObject({ display: "Tarou Yamada" });
  });

  test("says what the instances say, where the images are, and follows BR-Core", async () => {
    const study = await read(`/ImagingStudy/${ids["1"]}`);
    expect(study).toEqual({
      resourceType: "ImagingStudy",
      id: ids["1"],
      meta: {
        profile: ["https://br-core.saude.gov.br/fhir/StructureDefinition/br-core-imagingstudy"],
        lastUpdated: expect.stringMatching(/^20\d\d-.*Z$/),
      },
      contained: [
        {
          resourceType: "Patient",
          id: "patient",
          identifier: [{ value: "P-100" }],
          name: [
            {
              text: "Dr João Paulo Gonçalves",
              family: "Gonçalves",
              given: ["João", "Paulo"],
              prefix: ["Dr"],
            },
          ],
          gender: "male",
          birthDate: "1970-01-02",
        },
      ],
      subject: {
        reference: "#patient",
        type: "Patient",
        identifier: { value: "P-100" },
        display: "Dr João Paulo Gonçalves",
      },
      identifier: [
        { use: "official", system: "urn:dicom:uid", value: `urn:oid:${studyUID("1")}` },
        {
          type: { coding: [{ system: "http://terminology.hl7.org/CodeSystem/v2-0203", code: "ACSN" }] },
          value: "A1",
        },
      ],
      status: "available",
      modality: [{ system: "http://dicom.nema.org/resources/ontology/DCM", code: "CT" }],
      started: "2026-01-31",
      referrer: { display: "Márcia Araújo" },
      endpoint: [{ reference: "Endpoint/dicomweb" }],
      numberOfSeries: 2,
      numberOfInstances: 2,
      description: "TC de crânio",
      series: [
        expect.objectContaining({ uid: "2.25.2.1.1", number: 1, numberOfInstances: 1 }),
        expect.objectContaining({ uid: "2.25.2.1.2", number: 2, numberOfInstances: 1 }),
      ],
    });
    const endpoint = await read("/Endpoint/dicomweb");
    expect(endpoint.address).toBe(`${PUBLIC_URL}/dicomweb`);
  });

  test("is valid where the instances say next to nothing", async () => {
    const study = await read(`/ImagingStudy/${ids["3"]}`);
    expect(study).toMatchObject({ series: [{ modality: { code: "OT" } }] });
  });

  test("has texts without what FHIR allows in none", async () => {
    const study = await read(`/ImagingStudy/${ids["2"]}`);
    expect(study).toMatchObject({
      contained: [{ name: [{ text: "Ana Rosa Silva", given: ["Ana Rosa"] }] }],
      description: "RM de crânio",
      series: [{ bodySite: { display: "HEAD" } }],
    });
    expect(study.referrer).toBeUndefined();
  });

  test.each([
    ["patient=P-100", ["1"]],
    ["patient=Patient/P-100", ["1"]],
    ["subject=P-100", ["1"]],
    ["patient.identifier=P-100", ["1"]],
    ["patient:identifier=|P-100", ["1"]],
    ["patient.name=goncalves", ["1"]],
    ["patient.name=Joao Gonç&patient.name=PAULO", ["1"]],
    ["subject:Patient.name=山田", ["4"]],
    ["patient.name=alves", []],
    ["patient.birthdate=1970-01-02", ["1"]],
    ["patient.birthdate=ne1970&patient.birthdate=1961,1950", ["2", "4"]],
    ["patient=p-100", []],
    [`patient=${PUBLIC_URL}/fhir/Patient/P-100`, ["1"]],
    // As the client calls this server.
    ["patient=http://localhost/fhir/Patient/P-100", ["1"]],
    // Of another server or another system: somebody else.
    ["patient=https://other.example/fhir/Patient/P-100", []],
    ["patient.identifier=http://rnds-fhir.saude.gov.br/FHIR/r4/NamingSystem/cpf|P-100", []],
    ["patient:identifier=urn:oid:1.2.3|P-100,|P-1*", ["2"]],
    // No wildcards: FHIR has none.
    ["patient=P-1*", ["2"]],
    ["patient=P-100,P-1*", ["1", "2"]],
    [`identifier=urn:dicom:uid|urn:oid:${studyUID("1")}`, ["1"]],
    [`identifier=${studyUID("2")}`, ["2"]],
    [`identifier=urn:oid:${studyUID("1")},urn:oid:${studyUID("2")},urn:oid:${studyUID("9")}`, ["1", "2"]],
    ["identifier=A1", ["1"]],
    ["identifier=|A1", ["1"]],
    ["identifier=http://other.example|A1", []],
    [`identifier=http://other.example|${studyUID("1")},${studyUID("2")}`, ["2"]],
    ["identifier=urn:dicom:uid|&modality=MR", ["2"]],
    ["started=2026-01-31", ["1"]],
    ["started=2026-01", ["1"]],
    ["started=le2025-12", ["2", "4"]],
    ["started=gt2025-06-20", ["1"]],
    ["started=gt2025-06", ["1"]],
    ["started=lt2025-06-20", ["4"]],
    ["started=eb2026&started=sa1999", ["2"]],
    ["started=gt9999&started=lt0001", []],
    ["started=ne2026", ["2", "4"]],
    ["started=ne2025-06-20&started=ne1999-12", ["1"]],
    ["started=2026-01-31,1999", ["1", "4"]],
    ["started=lt2000,gt2026-01,2025-06&modality=MR,US", ["2", "4"]],
    ["started=ne2026,2026", ["1", "2", "4"]],
    // A tenth of the time since then is about three years.
    ["started=ap1998", ["4"]],
    ["started=ap1990", []],
    // A study is of a whole day, which reaches over and under each time in it.
    ["started=gt2026-01-31T10:15:00-03:00", ["1"]],
    ["started=gt2026-01-31T00:00", ["1"]],
    ["started=lt2026-01-31T10:15Z&started=ge2026", ["1"]],
    ["started=lt2026-01-31T00:00:00", ["2", "4"]],
    ["started=sa2026-01-31T10:15:00", []],
    ["started=ge2026-01-31T10:15:00 03:00", ["1"]],
    ["patient=R\\,1\\|2,P-100", ["1", "4"]],
    ["patient=R,1|2", []],
    ["subject:Patient=P-100", ["1"]],
    ["subject:Patient.identifier=P-100", ["1"]],
    ["status=available", ["1", "2", "4", "3"]],
    ["status=http://hl7.org/fhir/imagingstudy-status|available&modality=MR", ["2"]],
    ["status=http://other.example|available", []],
    ["status=registered,cancelled", []],
    ["started=ge2025-06-20&started=le2026", ["1", "2"]],
    ["modality=MR", ["2"]],
    ["modality=http://dicom.nema.org/resources/ontology/DCM|MR,CT", ["1", "2"]],
    ["modality=http://dicom.nema.org/resources/ontology/DCM|", ["1", "2", "4"]],
    ["modality=http://other.example|CT,|MR", []],
    [`series=${seriesUID("1", "2")}`, ["1"]],
    [`series=urn:dicom:uid|urn:oid:${seriesUID("2")},${seriesUID("4")}`, ["2", "4"]],
    [`series=${seriesUID("1")}&series=${seriesUID("1", "2")}&modality=CT`, ["1"]],
    [`series=${seriesUID("1")}&series=${seriesUID("2")}`, []],
    [`series=${seriesUID("9")}`, []],
    [`series=http://other.example|${seriesUID("1")}`, []],
    ["series=urn:dicom:uid|&modality=MR", ["2"]],
    ["anything=1&_elements=id&_count=500", ["1", "2", "4", "3"]],
  ])("for %p finds %p", async (query, expected) => {
    expect(await find(query)).toEqual(expected);
  });

  describe("that last changed", () => {
    beforeAll(async () => {
      const [changed, others] = ["2026-03-01T10:15:30.500Z", "2024-02-29T00:00:00Z"];
      await t.sql`update stored_objects set created_at = case when study_id = ${ids["1"] ?? ""}
        then ${changed}::timestamptz else ${others}::timestamptz end where kind = 'volume'`;
    });

    test.each([
      ["ge2026-03-01T10:15:30.500Z", ["1"]],
      ["gt2026-03-01T10:15:30.499Z", ["1"]],
      ["gt2026-03-01T10:15:30.500Z", []],
      ["gt2026-03-01T10:15:30Z", []],
      ["2026-03-01T10:15:30Z", ["1"]],
      ["eq2026-03-01T07:15-03:00", ["1"]],
      ["eq2026-03-01T10:15-03:00", []],
      ["2026-03-01T10:15", ["1"]],
      ["2026-03-01", ["1"]],
      ["2026-03", ["1"]],
      ["sa2026-03", []],
      ["sa2025", ["1"]],
      ["2024-02", ["2", "4", "3"]],
      ["eb2024-02-29", []],
      ["lt2024-03", ["2", "4", "3"]],
      ["le2024", ["2", "4", "3"]],
      ["le9999", ["1", "2", "4", "3"]],
      ["gt9999", []],
      ["lt0001-01-01T00:00+14:00", []],
      ["ge2024&_lastUpdated=lt2026&_lastUpdated=le2025", ["2", "4", "3"]],
      ["ge2024&patient=P-100", ["1"]],
      ["ne2024", ["1"]],
      ["ne2026-03-01T10:15:30", ["2", "4", "3"]],
      ["2026-03-01T10:15:30.500Z,2024-02", ["1", "2", "4", "3"]],
      ["lt2024,gt2025&_lastUpdated=ne2025", ["1"]],
      ["ap2024-02-29", ["2", "4", "3"]],
      ["ap1990", []],
    ])("at %p finds %p", async (time, expected) => {
      const query = `_lastUpdated=${time.replaceAll("+", "%2B")}`;
      const page = await bundle(`/ImagingStudy?${query}`);
      expect([numbersOf(page), page.total]).toEqual([expected, expected.length]);
    });

    test.each([
      "2026-02-30",
      "2026-03-01T24:00Z",
      "2026-03-01T10",
      "2026,",
      "xx2026",
      "now",
      "ge2026T10:00Z",
    ])("at %p is refused", async (time) => {
      const answer = await t.call("GET", `/fhir/ImagingStudy?_lastUpdated=${time}`, { as: program });
      expect(answer.status).toBe(400);
    });

    test("says when, and so does its page's address; a report has the time at which it was attached", async () => {
      const page = await bundle("/ImagingStudy?_lastUpdated=ge2026");
      expect(page.entry?.[0]?.resource.meta).toMatchObject({ lastUpdated: "2026-03-01T10:15:30.500Z" });
      const one = await t.call("GET", `/fhir/ImagingStudy/${ids["1"]}`, { as: program });
      expect(one.headers.get("last-modified")).toBe("Sun, 01 Mar 2026 10:15:30 GMT");
      expect(selfOf(page).get("_lastUpdated")).toBe("ge2026");
      const [report] = (await bundle("/DiagnosticReport")).entry ?? [];
      const lastUpdated = String(report?.resource.issued);
      expect(report?.resource.meta).toMatchObject({ lastUpdated });
      const counted = async (time: string) => (await bundle(`/DiagnosticReport?_lastUpdated=${time}`)).total;
      expect([await counted(lastUpdated), await counted(`gt${lastUpdated}`)]).toEqual([1, 0]);
      expect((await bundle(`/DiagnosticReport?issued=${lastUpdated}&issued=ne1999`)).total).toBe(1);
      expect((await bundle(`/DiagnosticReport?issued=gt${lastUpdated}`)).total).toBe(0);
    });
  });

  test("is found by what its instances say, where the form said something else", async () => {
    const corrector = await t.addPerson("Quem Corrige");
    const said = { patientName: "Outra Pessoa", examinedAt: "2001-01-01T10:00" };
    await t.store(corrector, sampleZip({ study: "7", elements: head }), said);
    const total = async (query: string) => (await bundle(`/ImagingStudy?${query}`, corrector)).total;
    expect(await total("patient.name=joao&patient.birthdate=ne1971&started=1999,2026-01")).toBe(1);
    expect(await total("patient.name=outra")).toBe(0);
    expect(await total("started=2001,ne2026")).toBe(0);
  });

  test("by ids finds the caller's own only", async () => {
    expect(await find(`_id=${ids["1"]},${ids["9"]},none`)).toEqual(["1"]);
    expect(await find("_id=none")).toEqual([]);
  });

  test("comes in pages, each of which leads to the next", async () => {
    const seen: unknown[] = [];
    let path: string | undefined = "/ImagingStudy?started=ge2000&_count=1&nobody=knows&_sort=-started";
    while (path !== undefined && seen.length < 5) {
      const page: Bundle = await bundle(path);
      expect(Object.fromEntries(selfOf(page))).toEqual({
        ...{ started: "ge2000", _sort: "-started", _count: "1" },
        _offset: String(seen.length),
      });
      expect(page.total).toBe(2);
      seen.push(...numbersOf(page));
      const next = page.link.find(({ relation }) => relation === "next")?.url;
      path = next?.slice(`${PUBLIC_URL}/fhir`.length);
    }
    expect(seen).toEqual(["1", "2"]);
  });

  test("leads back from each page but the first", async () => {
    const linksOf = async (query: string) => {
      const { link } = await bundle(`/ImagingStudy?${query}`);
      return Object.fromEntries(
        link.map(({ relation, url }) => [relation, Number(new URL(url).searchParams.get("_offset"))]),
      );
    };
    expect(await linksOf("_count=1&_offset=2")).toEqual({ self: 2, first: 0, previous: 1, next: 3 });
    expect(await linksOf("_count=2&_offset=1")).toEqual({ self: 1, first: 0, previous: 0, next: 3 });
    expect(await linksOf("_count=3&_offset=9")).toEqual({ self: 9, first: 0, previous: 6 });
    expect(await linksOf("_count=4")).toEqual({ self: 0 });
    expect(await linksOf("_count=0&_offset=2")).toEqual({ self: 0 });
    const [, , back] = (await bundle("/ImagingStudy?modality=CT,MR&_count=1&_offset=1")).link;
    expect(back?.url).toStartWith(`${PUBLIC_URL}/fhir/ImagingStudy?modality=CT%2CMR&_count=1`);
  });

  test("comes in pages of at most 100 studies, and of fewer where these have more than 2,000 series", async () => {
    const both = "/ImagingStudy?patient=P-100,P-1*";
    expect(selfOf(await bundle(`${both}&_count=500`)).get("_count")).toBe("100");
    const two = [ids["1"] ?? "", ids["2"] ?? ""];
    await t.sql`update studies set series_count = 1500 where id in ${t.sql(two)}`;
    const [first, second] = [await bundle(both), await bundle(`${both}&_offset=1`)];
    await t.sql`update studies set series_count = (select count(*) from series where study_id = studies.id)
      where id in ${t.sql(two)}`;
    expect([first, second].map(numbersOf)).toEqual([["1"], ["2"]]);
    expect(first.link.at(-1)).toMatchObject({ relation: "next", url: expect.stringContaining("_offset=1") });
    expect(first.total).toBe(2);
  });

  test.each([
    ["_elements=numberOfSeries,ImagingStudy.started", ["numberOfSeries", "started"]],
    ["_elements=id", []],
    ["_summary=text", []],
    [
      "_summary=true",
      ["description", "endpoint", "identifier", "modality", "numberOfInstances", "numberOfSeries"].concat(
        "referrer",
        "series",
        "started",
      ),
    ],
  ])("for %p has what FHIR requires, and %p", async (query, wanted) => {
    const page = await bundle(
      `/ImagingStudy?${query}&patient=P-100&_revinclude=DiagnosticReport:imagingStudy`,
    );
    const [study, report] = (page.entry ?? []).map(({ resource }) => resource);
    const required = ["contained", "id", "meta", "resourceType", "status", "subject"];
    expect(Object.keys(study ?? {}).sort()).toEqual([...wanted, ...required].sort());
    expect(study?.meta).toMatchObject({ profile: [expect.any(String)], tag: [{ code: "SUBSETTED" }] });
    expect(report).toHaveProperty("presentedForm");
    expect(selfOf(page).toString()).toStartWith(new URLSearchParams(query).toString());
    expect(await read(`/ImagingStudy/${ids["1"]}?${query}`)).toEqual(study as FhirResource);
  });

  test.each(["_summary=data", "_summary=false", "_elements="])("for %p has all", async (query) => {
    const study = await read(`/ImagingStudy/${ids["1"]}`);
    expect(await read(`/ImagingStudy/${ids["1"]}?${query}`)).toEqual(study);
    expect((await bundle(`/ImagingStudy?patient=P-100&${query}`)).entry?.[0]?.resource).toEqual(study);
  });

  test.each(["_count=0", "_summary=count&_count=5"])("is only counted by %s", async (query) => {
    const counted = await bundle(`/ImagingStudy?patient=P-100,P-1*&${query}`);
    expect(counted).toMatchObject({ total: 2, link: [{ relation: "self" }] });
    expect([counted.entry, selfOf(counted).get("_summary")]).toEqual([undefined, "count"]);
  });

  test("is not counted if nobody wants the number", async () => {
    const page = await bundle("/ImagingStudy?_total=none&patient=P-100");
    expect([page.total, numbersOf(page)]).toEqual([undefined, ["1"]]);
  });

  test("is seen by those whom the study was shared with, and by no one else", async () => {
    expect(await find("")).not.toContain("9");
    const answer = await t.call("GET", `/fhir/ImagingStudy/${ids["9"]}`, { as: program });
    expect(answer.status).toBe(404);
    const json = { userId: owner.id };
    await t.call("POST", `/api/studies/${ids["9"]}/assign`, { as: stranger, json });
    expect((await find("patient=P-100")).sort()).toEqual(["1", "9"]);
    await t.call("DELETE", `/api/studies/${ids["9"]}/grants/${owner.id}`, { as: stranger });
    expect(await find("patient=P-100")).toEqual(["1"]);
  });

  test("is hidden from its owner if they are a doctor without a subscription, as in the list", async () => {
    const doctor = await t.addPerson("Doutora", { role: "doctor" });
    const { studies } = await t.store(doctor, sampleZip({ study: "8", elements: head }));
    const statuses = async () => {
      const paths = [`ImagingStudy/${studies[0]?.id}`, `Binary/${studies[0]?.id}`];
      const answers = await Promise.all(paths.map((path) => t.call("GET", `/fhir/${path}`, { as: doctor })));
      const { total } = (await (
        await t.call("GET", "/fhir/ImagingStudy?_summary=count", { as: doctor })
      ).json()) as FhirResource;
      return [...answers.map(({ status }) => status), total];
    };
    // It has no report.
    expect(await statuses()).toEqual([200, 404, 1]);
    await t.sql`delete from subscriptions where user_id = ${doctor.id}`;
    expect(await statuses()).toEqual([404, 404, 0]);
  });
});

describe("a page", () => {
  /** Its resources, those that come along after a plus sign. */
  const resourcesOf = async (path: string) => {
    const { entry = [], total } = await bundle(path);
    expect(total).toBe(entry.filter(({ search }) => search.mode === "match").length);
    for (const { fullUrl, resource } of entry)
      expect(fullUrl).toBe(`${PUBLIC_URL}/fhir/${resource.resourceType}/${resource.id}`);
    return entry
      .map(({ resource, search }) => `${search.mode === "include" ? "+" : ""}${resource.resourceType}`)
      .join(" ");
  };

  test.each([
    ["ImagingStudy?_include=ImagingStudy:endpoint", "ImagingStudy +Endpoint"],
    ["ImagingStudy?_include=ImagingStudy:endpoint:Endpoint", "ImagingStudy +Endpoint"],
    ["ImagingStudy?_include=*", "ImagingStudy +Endpoint"],
    ["ImagingStudy?_include=ImagingStudy:patient", "ImagingStudy"],
    ["ImagingStudy?_revinclude=DiagnosticReport:imagingStudy", "ImagingStudy +DiagnosticReport"],
    ["DiagnosticReport?_include=DiagnosticReport:imaging-study", "DiagnosticReport +ImagingStudy"],
    [
      "DiagnosticReport?_include=DiagnosticReport:imagingStudy&_include:iterate=ImagingStudy:endpoint",
      "DiagnosticReport +ImagingStudy +Endpoint",
    ],
    ["DiagnosticReport?_include:iterate=ImagingStudy:endpoint", "DiagnosticReport"],
  ])("of %s brings %s, and says so in its address", async (path, expected) => {
    expect(await resourcesOf(`/${path}&patient=P-100`)).toBe(expected);
    const [, parameter = "", value = ""] = /\?([^=]+)=(.*?)(?:&|$)/.exec(path) ?? [];
    expect(selfOf(await bundle(`/${path}&patient=P-100`)).get(parameter)).toBe(value);
  });

  test("without a match brings nothing", async () => {
    expect(await resourcesOf("/ImagingStudy?patient=none&_include=ImagingStudy:endpoint")).toBe("");
  });
});

describe("DiagnosticReport", () => {
  test("names the study and brings the laudo as a PDF, which the audit records", async () => {
    const found = await bundle("/DiagnosticReport?patient=P-100");
    const [report] = found.entry?.map(({ resource }) => resource) ?? [];
    expect(found.entry).toHaveLength(1);
    const url = `${PUBLIC_URL}/fhir/Binary/${ids["1"]}`;
    expect(report).toMatchObject({
      meta: { profile: ["https://br-core.saude.gov.br/fhir/StructureDefinition/br-core-diagnosticreport"] },
      status: "final",
      code: { text: "TC de crânio" },
      effectiveDateTime: "2026-01-31",
      imagingStudy: [{ reference: `ImagingStudy/${ids["1"]}` }],
      presentedForm: [
        { contentType: "application/pdf", url, size: samplePdf("laudo da Dra. Márcia").length },
      ],
    });
    expect(await read(`/DiagnosticReport/${ids["1"]}`)).toEqual(report as FhirResource);
    const pdf = await t.call("GET", url.slice(PUBLIC_URL.length), { as: program });
    expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(await pdf.bytes()).toEqual(samplePdf("laudo da Dra. Márcia"));
    const audit = await (await t.call("GET", `/api/studies/${ids["1"]}/audit`, { as: owner })).json();
    expect(JSON.stringify(audit)).toContain("report.opened");
  });

  test("brings the laudo inside a Binary to who likes a type of FHIR best", async () => {
    const path = `/fhir/Binary/${ids["1"]}`;
    const ask = (accept: string, method = "GET", query = "") =>
      t.call(method, `${path}${query}`, { as: program, headers: { accept } });
    const answer = await ask("application/fhir+json");
    expect(answer.headers.get("content-type")).toStartWith("application/fhir+json");
    const length = answer.headers.get("content-length");
    const text = await answer.text();
    expect(length).toBe(String(text.length));
    expect((await ask("application/fhir+json", "HEAD")).headers.get("content-length")).toBe(length);
    const binary = JSON.parse(text) as FhirResource;
    expect(binary).toEqual({
      resourceType: "Binary",
      id: ids["1"] ?? "",
      contentType: "application/pdf",
      data: Buffer.from(samplePdf("laudo da Dra. Márcia")).toString("base64"),
    });
    expect(await fhirErrors(binary)).toEqual([]);
    const typeFor = async (accept: string, query?: string) =>
      (await ask(accept, "GET", query)).headers.get("content-type")?.split(";")[0];
    expect(await typeFor("application/fhir+json;q=0.5, application/pdf")).toBe("application/pdf");
    expect(await typeFor("application/pdf;q=0.5, application/fhir+json")).toBe("application/fhir+json");
    expect(await typeFor("*/*")).toBe("application/pdf");
    expect(await typeFor("*/*", "?_format=json")).toBe("application/fhir+json");
    expect((await ask("application/fhir+xml")).status).toBe(406);
  });

  test("brings a long laudo as it is alone", async () => {
    const pdfOf = (length: number) => {
      const [bytes, page] = [new Uint8Array(length).fill(0x20), samplePdf("longo")];
      bytes.set(page);
      bytes.set(page, length - page.length);
      return bytes;
    };
    const [long, longest] = [pdfOf(MAX_BINARY_BYTES + 1), pdfOf(MAX_BINARY_BYTES)];
    const path = `/fhir/Binary/${ids["3"]}`;
    const attach = async (bytes: Uint8Array) => {
      const form = await formBody({ studyInstanceUID: ids["3"] ?? "" }, { name: "laudo", bytes });
      expect((await t.call("POST", "/api/studies/laudo/upload", { as: owner, ...form })).status).toBe(201);
    };
    const ask = (accept: string) => t.call("GET", path, { as: program, headers: { accept } });
    await attach(long);
    const refused = await ask("application/fhir+json");
    expect([refused.status, refused.headers.get("content-type")]).toEqual([406, FHIR_JSON]);
    expect(await refused.json()).toMatchObject({ resourceType: "OperationOutcome" });
    expect((await (await ask("application/pdf")).bytes()).length).toBe(long.length);
    expect((await t.call("DELETE", `/api/studies/laudo/${ids["3"]}`, { as: owner })).status).toBe(200);
    await attach(longest);
    const { data } = (await (await ask("application/fhir+json")).json()) as { data: string };
    expect(Buffer.from(data, "base64").equals(longest)).toBe(true);
    await t.call("DELETE", `/api/studies/laudo/${ids["3"]}`, { as: owner });
  });

  test("leaves out the patient where only its date is wanted", async () => {
    const [report] = (await bundle("/DiagnosticReport?_elements=effective")).entry ?? [];
    const elements = ["code", "effectiveDateTime", "id", "meta", "resourceType", "status"];
    expect(Object.keys(report?.resource ?? {}).sort()).toEqual(elements);
    expect(await read(`/DiagnosticReport/${ids["1"]}?_summary=true`)).not.toHaveProperty("presentedForm");
  });

  test("is found by its study", async () => {
    const found = async (query: string) => numbersOf(await bundle(`/DiagnosticReport?${query}`));
    for (const query of [
      `imagingStudy=ImagingStudy/${ids["1"]}`,
      `imaging-study=${PUBLIC_URL}/fhir/ImagingStudy/${ids["1"]}`,
      `imagingStudy.identifier=urn:oid:${studyUID("1")}`,
      "status=final",
    ])
      expect([query, await found(query)]).toEqual([query, ["1"]]);
    expect(await found(`imagingStudy=${ids["2"]}`)).toEqual([]);
    expect(await found("status=preliminary")).toEqual([]);
  });

  test("is there for no study without a laudo, and for no stranger", async () => {
    expect(numbersOf(await bundle("/DiagnosticReport"))).toEqual(["1"]);
    for (const path of [`/DiagnosticReport/${ids["2"]}`, `/Binary/${ids["2"]}`]) {
      expect([path, (await t.call("GET", `/fhir${path}`, { as: program })).status]).toEqual([path, 404]);
    }
    for (const path of [`/DiagnosticReport/${ids["1"]}`, `/Binary/${ids["1"]}`]) {
      expect([path, (await t.call("GET", `/fhir${path}`, { as: stranger })).status]).toEqual([path, 404]);
    }
  });
});

describe("a failure", () => {
  test.each([
    ["/ImagingStudy?started=ontem", 400, "invalid"],
    ["/ImagingStudy?started=2026-02-30", 400, "invalid"],
    ["/ImagingStudy?started=2026-01-31,amanha", 400, "invalid"],
    ["/ImagingStudy?started=2026-01-31T25:00", 400, "invalid"],
    [`/ImagingStudy?_lastUpdated=${"ne2026,".repeat(60)}2026`, 400, "invalid"],
    ["/ImagingStudy?_count=-1", 400, "invalid"],
    ["/ImagingStudy?patient=a%00b", 400, "invalid"],
    // FHIR R4 lets a server ignore parameters, but no modifier of one that it knows.
    ["/ImagingStudy?modality:not=CT", 400, "invalid"],
    ["/DiagnosticReport?date:missing=true", 400, "invalid"],
    [`/ImagingStudy?${"started=ne2026&".repeat(51)}`, 400, "invalid"],
    [`/ImagingStudy?${"series=2.25.1&".repeat(9)}`, 400, "invalid"],
    ["/ImagingStudy?series:missing=true", 400, "invalid"],
    ["/ImagingStudy?patient.name:exact=Ana", 400, "invalid"],
    ["/ImagingStudy?patient.name=^", 400, "invalid"],
    ["/ImagingStudy?patient.name=Ana,Rosa", 400, "invalid"],
    [`/ImagingStudy?${"patient.name=Ana&".repeat(9)}`, 400, "invalid"],
    [`/ImagingStudy?identifier=A1,urn:oid:${"1.2.3"}`, 400, "invalid"],
    [`/ImagingStudy?${"_id=a&".repeat(101)}`, 400, "invalid"],
    [`/ImagingStudy?_id=${"a,".repeat(100)}a`, 400, "invalid"],
    [`/ImagingStudy?patient=${"a".repeat(129)}`, 400, "invalid"],
    ["/ImagingStudy?_offset=1000001", 400, "invalid"],
    ["/ImagingStudy/1.2.3", 404, "not-found"],
    ["/Patient/1", 404, "not-found"],
    ["/ImagingStudy?_format=xml", 406, "not-supported"],
  ])("of %p is an OperationOutcome", async (path, status, code) => {
    const answer = await t.call("GET", `/fhir${path}`, { as: program });
    const outcome = (await answer.json()) as FhirResource;
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, FHIR_JSON]);
    expect(outcome).toMatchObject({ resourceType: "OperationOutcome", issue: [{ code }] });
    const [, parameter] = /\?([^=]+)=/.exec(path) ?? [];
    if (status === 400) expect(JSON.stringify(outcome)).toContain(`"diagnostics":"${parameter}: `);
    expect(await fhirErrors(outcome)).toEqual([]);
  });

  test("comes from the guards in the same form, and from unknown parameters only if the client is strict", async () => {
    const visitor = await t.call("GET", "/fhir/ImagingStudy");
    expect([visitor.status, await visitor.json()]).toMatchObject([401, { issue: [{ code: "login" }] }]);
    const writer = await withToken(["dicomweb:write"]);
    const refused = await t.call("GET", "/fhir/ImagingStudy", { as: writer });
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { issue: [{ code: "forbidden", details: { coding: [{ code: "token.forbidden" }] } }] },
    ]);
    const written = await t.call("PUT", "/fhir/ImagingStudy", { as: program });
    expect([written.status, await written.json()]).toMatchObject([
      405,
      { issue: [{ code: "not-supported" }] },
    ]);
    const handling = async (prefer: string) =>
      (await t.call("GET", "/fhir/ImagingStudy?basedon=1", { as: program, headers: { prefer } })).status;
    for (const prefer of ['return=minimal, handling="strict"', "respond-async; Handling = strict"])
      expect([prefer, await handling(prefer)]).toEqual([prefer, 400]);
    for (const prefer of ["handling=lenient", "handling=strictly", "mishandling=strict"])
      expect([prefer, await handling(prefer)]).toEqual([prefer, 200]);
    const headers = { prefer: "handling=strict" };
    // The second is a name that every JavaScript object knows, and what the third gives is one that its prototype knows.
    for (const unknown of ["basedon=1", "constructor=1", "__proto__=toString"]) {
      const strict = await t.call("GET", `/fhir/ImagingStudy?${unknown}`, { as: program, headers });
      expect(strict.status).toBe(400);
      const lenient = await t.call("GET", `/fhir/ImagingStudy?${unknown}`, { as: program });
      expect(((await lenient.json()) as { entry?: unknown[] }).entry?.length).toBeGreaterThan(0);
    }
  });
});

describe("the CapabilityStatement", () => {
  interface Served {
    type: string;
    versioning: string;
    interaction: { code: string }[];
    searchInclude?: string[];
    searchRevInclude?: string[];
    searchParam?: { name: string; definition?: string; type: string }[];
  }
  const resources = async () => {
    const statement = await read("/metadata", undefined);
    expect(statement).toMatchObject({ fhirVersion: "4.0.1", kind: "instance" });
    return (statement as unknown as { rest: { resource: Served[] }[] }).rest[0]?.resource ?? [];
  };
  const strictly = async (path: string) => {
    const headers = { prefer: "handling=strict" };
    return (await t.call("GET", `/fhir${path}`, { as: program, headers })).status;
  };

  test("names what is served, and nothing else, to anyone", async () => {
    const served = (await resources()).flatMap(({ type, interaction }) =>
      interaction.map(({ code }) => (code === "read" ? `${type}/{id}` : type)),
    );
    const routes = t.app.routes.filter(({ method, path }) => method === "GET" && path.startsWith("/fhir/"));
    const paths = routes.map(({ path }) => path.slice("/fhir/".length).replace(/:\w+$/, "{id}"));
    expect(["metadata", ...served].sort()).toEqual([...new Set(paths)].sort());
  });

  test("promises no versions, and there are none", async () => {
    for (const { type, versioning } of await resources())
      expect([type, versioning]).toEqual([type, "no-version"]);
    for (const path of [`ImagingStudy/${ids["1"]}/_history`, `Binary/${ids["1"]}/_history/1`]) {
      const answer = await t.call("GET", `/fhir/${path}`, { as: program });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const study = await read(`/ImagingStudy/${ids["1"]}`);
    expect(study.meta).not.toHaveProperty("versionId");
  });

  test("names the parameters and inclusions that a strict client may send", async () => {
    const values: Record<string, string> = { date: "2026", reference: "P-100", token: "final" };
    for (const { type, searchParam = [], searchInclude = [], searchRevInclude = [] } of await resources()) {
      const asked = [
        ...searchParam.map(({ name, type: kind }) => `${name}=${values[kind]}`),
        ...searchInclude.map((name) => `_include=${name}`),
        ...searchRevInclude.map((name) => `_revinclude=${name}`),
      ];
      for (const query of asked) expect([query, await strictly(`/${type}?${query}`)]).toEqual([query, 200]);
      if (!searchParam.length) continue;
      const known = new Set(searchParam.map(({ name }) => name));
      for (const name of ALL_OF_R4.filter((one) => !known.has(one)))
        expect([name, await strictly(`/${type}?${name}=1`)]).toEqual([name, 400]);
      for (const query of ["_elements=status", "_summary=true"])
        expect([query, await strictly(`/${type}?${query}`)]).toEqual([query, 200]);
      for (const query of [
        "_summary=some",
        "_include=ImagingStudy:basedon",
        "_revinclude=ImagingStudy:endpoint",
      ])
        expect([query, await strictly(`/${type}?${query}`)]).toEqual([query, 400]);
    }
  });
});

/** The search parameters of both types in FHIR R4, and some of all types. */
const ALL_OF_R4 = [
  ...["_id", "_lastUpdated", "_tag", "_profile", "_security", "_text", "_content", "_list", "_has", "_type"],
  ...["basedon", "bodysite", "dicom-class", "encounter", "endpoint", "identifier", "instance", "interpreter"],
  ...["modality", "patient", "performer", "reason", "referrer", "series", "started", "status", "subject"],
  ...[
    "based-on",
    "category",
    "code",
    "conclusion",
    "date",
    "issued",
    "media",
    "result",
    "results-interpreter",
  ],
  ...["specimen", "_contained", "_containedType", "_sort", "_include"],
];

test("the judge of these resources finds what is wrong with one", async () => {
  const wrong = { resourceType: "ImagingStudy", status: "somewhere", numberOfSeries: -1 };
  expect((await fhirErrors(wrong)).join()).toMatch(/subject|status|numberOfSeries/);
});
