import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import type { FhirResource } from "../../../src/server/features/fhir/fhir-resource.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { fhirErrors } from "../../support/fhir-schema.ts";
import { formBody, samplePdf } from "../../support/sample-pdf.ts";
import { sampleZip, studyUID } from "../../support/sample-zip.ts";
import { createTestApp, type Person, type TestApp } from "../../support/test-app.ts";

const PUBLIC_URL = "https://exames.example";
const FHIR_JSON = "application/fhir+json";

let t: TestApp;
let owner: Person;
let stranger: Person;
let program: Person;
/** Ids of the studies, by the number in their UIDs. */
const ids: Record<string, string> = {};

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
const other: DicomElements = {
  [TagHex.PatientName]: text("PN", "Silva^Ana"),
  [TagHex.PatientID]: text("LO", "P-1*"),
  [TagHex.StudyDate]: text("DA", "20250620"),
  [TagHex.Modality]: text("CS", "MR"),
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
}, 120_000);
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
  link: { relation: string; url: string }[];
  entry?: { fullUrl: string; resource: FhirResource }[];
}
const bundle = async (path: string, as = program) => (await read(path, as)) as Bundle;
/** The studies of a page, by the numbers in their UIDs. */
const numbersOf = ({ entry = [] }: Bundle) =>
  entry.map(({ resource }) => Object.keys(ids).find((number) => ids[number] === resource.id));
const find = async (query: string) => numbersOf(await bundle(`/ImagingStudy?${query}`));

describe("ImagingStudy", () => {
  test("says what the instances say, where the images are, and follows BR-Core", async () => {
    const study = await read(`/ImagingStudy/${ids["1"]}`);
    expect(study).toEqual({
      resourceType: "ImagingStudy",
      id: ids["1"],
      meta: { profile: ["https://br-core.saude.gov.br/fhir/StructureDefinition/br-core-imagingstudy"] },
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

  test.each([
    ["patient=P-100", ["1"]],
    ["patient=Patient/P-100", ["1"]],
    ["subject=P-100", ["1"]],
    ["patient.identifier=P-100", ["1"]],
    ["patient:identifier=|P-100", ["1"]],
    ["patient=p-100", []],
    // No wildcards: FHIR has none.
    ["patient=P-1*", ["2"]],
    ["patient=P-100,P-1*", ["1", "2"]],
    [`identifier=urn:dicom:uid|urn:oid:${studyUID("1")}`, ["1"]],
    [`identifier=${studyUID("2")}`, ["2"]],
    [`identifier=urn:oid:${studyUID("1")},urn:oid:${studyUID("2")},urn:oid:${studyUID("9")}`, ["1", "2"]],
    ["identifier=A1", ["1"]],
    ["started=2026-01-31", ["1"]],
    ["started=2026-01", ["1"]],
    ["started=le2025-12", ["2"]],
    ["started=ge2025-06-20&started=le2026", ["1", "2"]],
    ["modality=MR", ["2"]],
    ["modality=http://dicom.nema.org/resources/ontology/DCM|MR,CT", ["1", "2"]],
    ["anything=1&_elements=id&_count=500", ["1", "2", "3"]],
  ])("for %p finds %p", async (query, expected) => {
    expect(await find(query)).toEqual(expected);
  });

  test("by ids finds the caller's own only", async () => {
    expect(await find(`_id=${ids["1"]},${ids["9"]},none`)).toEqual(["1"]);
    expect(await find("_id=none")).toEqual([]);
  });

  test("comes in pages, each of which leads to the next", async () => {
    const seen: unknown[] = [];
    let path: string | undefined = "/ImagingStudy?started=ge2000&_count=1";
    while (path !== undefined && seen.length < 5) {
      const page: Bundle = await bundle(path);
      expect(page.link[0]).toMatchObject({ relation: "self" });
      seen.push(...numbersOf(page));
      const next = page.link.find(({ relation }) => relation === "next")?.url;
      path = next?.slice(`${PUBLIC_URL}/fhir`.length);
    }
    expect(seen).toEqual(["1", "2"]);
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
    ["/ImagingStudy?_count=0", 400, "invalid"],
    [`/ImagingStudy?identifier=A1,urn:oid:${"1.2.3"}`, 400, "invalid"],
    ["/ImagingStudy/1.2.3", 404, "not-found"],
    ["/Patient/1", 404, "not-found"],
    ["/ImagingStudy?_format=xml", 406, "not-supported"],
  ])("of %p is an OperationOutcome", async (path, status, code) => {
    const answer = await t.call("GET", `/fhir${path}`, { as: program });
    const outcome = (await answer.json()) as FhirResource;
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, FHIR_JSON]);
    expect(outcome).toMatchObject({ resourceType: "OperationOutcome", issue: [{ code }] });
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
    const headers = { prefer: "handling=strict" };
    // The second is a name that every JavaScript object knows.
    for (const unknown of ["basedon=1", "constructor=1"]) {
      const strict = await t.call("GET", `/fhir/ImagingStudy?${unknown}`, { as: program, headers });
      expect(strict.status).toBe(400);
      const lenient = await t.call("GET", `/fhir/ImagingStudy?${unknown}`, { as: program });
      expect(((await lenient.json()) as { entry?: unknown[] }).entry?.length).toBeGreaterThan(0);
    }
  });
});

test("the CapabilityStatement says what is here, to anyone", async () => {
  const statement = await read("/metadata", undefined);
  expect(statement).toMatchObject({
    fhirVersion: "4.0.1",
    rest: [{ resource: [{ type: "ImagingStudy" }, { type: "DiagnosticReport" }, {}, {}] }],
  });
});

test("the judge of these resources finds what is wrong with one", async () => {
  const wrong = { resourceType: "ImagingStudy", status: "somewhere", numberOfSeries: -1 };
  expect((await fhirErrors(wrong)).join()).toMatch(/subject|status|numberOfSeries/);
});
