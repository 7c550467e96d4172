import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import type { DicomJson } from "../../../src/shared/dicom/reading/instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
let program: Person;

const text = (vr: string, value: string | number) => ({ vr, Value: [value] });
const head: DicomElements = {
  [TagHex.PatientName]: text("PN", "Gonçalves^João"),
  [TagHex.PatientID]: text("LO", "P-100"),
  [TagHex.StudyDate]: text("DA", "20260131"),
  [TagHex.StudyTime]: text("TM", "101500"),
  [TagHex.AccessionNumber]: text("SH", "A1"),
  [TagHex.Modality]: text("CS", "CT"),
  "00080090": text("PN", "Araújo^Márcia"),
  "00200010": text("SH", "E-7"),
  "00400244": text("DA", "20260130"),
  "001021C0": text("US", 4),
  "0008002A": text("DT", "20260131101500-0300"),
  "00220007": text("FL", -0.1),
};
const firstSeries = { [TagHex.SeriesNumber]: text("IS", 1) };
const spine: DicomElements = {
  [TagHex.PatientName]: text("PN", "Silva^Ana"),
  [TagHex.PatientID]: text("LO", "p-100"),
  [TagHex.StudyDate]: text("DA", "20250620"),
  [TagHex.StudyTime]: text("TM", "235959.940000"),
  [TagHex.Modality]: text("CS", "MR"),
};

beforeAll(async () => {
  t = await createTestApp({ env: { PUBLIC_URL: "https://exames.example" } });
  owner = await t.addPerson("Quem Procura");
  const stranger = await t.addPerson("Outra Pessoa");
  await t.store(stranger, sampleZip({ study: "9", elements: head }));
  await t.store(
    owner,
    sampleZip(
      { study: "1", sop: "1", elements: { ...head, ...firstSeries } },
      { study: "1", sop: "2", instanceNumber: 2, elements: { ...head, ...firstSeries } },
      { study: "1", series: "2", sop: "1", elements: { ...head, [TagHex.SeriesNumber]: text("IS", 2) } },
      { study: "2", elements: spine },
    ),
  );
  // The form changes the list; DICOMweb goes on saying what the instances say.
  await t.store(owner, sampleZip({ study: "3", elements: spine }), {
    patientName: "Corrigida",
    accessionNumber: "LISTA-3",
  });
  const granted = await t.store(stranger, sampleZip({ study: "4", elements: spine }));
  await t.call("POST", `/api/studies/${granted.studies[0]?.id}/assign`, {
    as: stranger,
    json: { userId: owner.id },
  });
  const made = await t.call("POST", "/api/tokens", {
    as: owner,
    json: { name: "PACS", scopes: ["dicomweb:read"] },
  });
  program = { ...owner, token: ((await made.json()) as { token: string }).token };
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

async function search(path: string): Promise<{ status: number; found: DicomJson[]; headers: Headers }> {
  const answer = await t.call("GET", `/dicomweb${path}`, { as: program });
  const { status, headers } = answer;
  return { status, headers, found: status === 200 ? ((await answer.json()) as DicomJson[]) : [] };
}

const numbersIn = (found: DicomJson[], tag: string) =>
  found.map((json) => String(json[tag]?.Value?.[0]).replace(/^2\.25\.\d\./, ""));
const studies = async (query: string) =>
  numbersIn((await search(`/studies?${query}`)).found, TagHex.StudyInstanceUID).sort();

describe("a search for studies", () => {
  test.each([
    ["", ["1", "2", "3", "4"]],
    ["PatientID=P-100", ["1"]],
    ["00100020=p-100", ["2", "3", "4"]],
    ["PatientID=P-1*", ["1"]],
    ["PatientID=?-100", ["1", "2", "3", "4"]],
    ["PatientName=goncalves*", ["1"]],
    ["PatientName=Gonçalves^João", ["1"]],
    ["PatientName=*ana", ["2", "3", "4"]],
    ["PatientName=Silva", []],
    ["PatientName=joao goncal&fuzzymatching=true", ["1"]],
    ["PatientName=ana%25&fuzzymatching=true", []],
    ["PatientName=Corrigida", []],
    ["AccessionNumber=LISTA-3", []],
    ["AccessionNumber=A1", ["1"]],
    ["StudyDate=20260131", ["1"]],
    ["StudyDate=20250101-20251231", ["2", "3", "4"]],
    ["StudyDate=-20250620", ["2", "3", "4"]],
    ["StudyDate=20260101-", ["1"]],
    ["StudyTime=10-11", ["1"]],
    ["StudyTime=2359-", ["2", "3", "4"]],
    ["ModalitiesInStudy=MR", ["2", "3", "4"]],
    ["ModalitiesInStudy=US,CT", ["1"]],
    ["ModalitiesInStudy=C_", []],
    ["ModalitiesInStudy=C*", ["1"]],
    ["ModalitiesInStudy=?R,US", ["2", "3", "4"]],
    ["ModalitiesInStudy=U*,CT", ["1"]],
    ["StudyTime=101500.000000", ["1"]],
    ["StudyTime=101500.0-", ["1", "2", "3", "4"]],
    ["StudyTime=101500.5-1016", []],
    ["StudyTime=100000-105959.999999", ["1"]],
    ["StudyTime=000000-", ["1", "2", "3", "4"]],
    ["StudyTime=235959", ["2", "3", "4"]],
    ["StudyTime=235959.940000", ["2", "3", "4"]],
    ["StudyTime=235959.94-", ["2", "3", "4"]],
    ["StudyTime=-235959.93", ["1"]],
    ["StudyTime=235959.95-", []],
    ["StudyDate=20250620-20260131&StudyTime=12-10", ["1", "2", "3", "4"]],
    ["StudyDate=20250620-20260131&StudyTime=12-1014", ["2", "3", "4"]],
    ["StudyDate=20250620-&StudyTime=235959.95-", ["1"]],
    ["StudyDate=-20260131&StudyTime=-09", ["2", "3", "4"]],
    ["StudyDate=20250620-20260131&StudyTime=10", ["1"]],
    ["StudyDate=20260131&StudyTime=10-11", ["1"]],
    ["StudyDate=20250620-20260131&StudyTime=12-", ["2", "3", "4"]],
    ["TimezoneOffsetFromUTC=-0300&PatientID=P-100", ["1"]],
    ["ReferringPhysicianName=araujo*", ["1"]],
    ["ReferringPhysicianName=marcia&fuzzymatching=true", ["1"]],
    ["StudyID=E-7", ["1"]],
    ["StudyID=e-7", []],
    ["NumberOfStudyRelatedInstances=3", ["1"]],
    [`StudyInstanceUID=${studyUID("1")},${studyUID("4")}`, ["1", "4"]],
    [`StudyInstanceUID=${studyUID("1")}%5C${studyUID("9")}`, ["1"]],
    [`StudyInstanceUID=${studyUID("1")}&0020000D=${studyUID("4")}`, ["1", "4"]],
    ["ModalitiesInStudy=US&00080061=CT&ModalitiesInStudy=", ["1"]],
    ["PatientID=P-100&00100020=P-100&PatientID=*", ["1"]],
    [`StudyInstanceUID=${studyUID("2")}${",1.2.840.113619".repeat(900)}`, ["2"]],
    ["InstanceAvailability=ONLINE&PatientID=P-100", ["1"]],
    ["InstanceAvailability=NEARLINE", []],
    ["PatientName=*&AnythingElse=1&AccessionNumber=", ["1", "2", "3", "4"]],
  ])("for %p finds %p", async (query, expected) => {
    expect(await studies(query)).toEqual(expected);
  });

  test("answers the attributes of PS3.18 and where the study is", async () => {
    const { found } = await search("/studies?PatientID=P-100");
    expect(found).toMatchObject([
      {
        "00080056": { vr: "CS", Value: ["ONLINE"] },
        "00080090": { vr: "PN", Value: [{ Alphabetic: "Araújo^Márcia" }] },
        [TagHex.ModalitiesInStudy]: { vr: "CS", Value: ["CT"] },
        [TagHex.RetrieveURL]: {
          vr: "UR",
          Value: [`https://exames.example/dicomweb/studies/${studyUID("1")}`],
        },
        "00200010": { vr: "SH", Value: ["E-7"] },
        [TagHex.NumberOfStudyRelatedSeries]: { vr: "IS", Value: [2] },
        [TagHex.NumberOfStudyRelatedInstances]: { vr: "IS", Value: [3] },
      },
    ]);
  });

  test("says of an attribute without a value nothing but its VR", async () => {
    const person = await t.addPerson("Sem Modalidade");
    const none = { [TagHex.Modality]: { vr: "CS" }, [TagHex.PatientSex]: { vr: "CS" } };
    await t.store(person, sampleZip({ study: "11", elements: none }));
    const [found] = (await (await t.call("GET", "/dicomweb/studies", { as: person })).json()) as DicomJson[];
    expect([found?.[TagHex.ModalitiesInStudy], found?.[TagHex.PatientSex]]).toEqual([
      { vr: "CS" },
      { vr: "CS" },
    ]);
  });

  test("says what the instances say, where the form changed the list", async () => {
    const { found } = await search(`/studies?StudyInstanceUID=${studyUID("3")}`);
    expect(found[0]?.[TagHex.PatientName]?.Value).toEqual([{ Alphabetic: "Silva^Ana" }]);
  });

  test("says the time of a study with its fraction of a second", async () => {
    for (const study of ["2", "3"]) {
      const { found } = await search(`/studies?StudyInstanceUID=${studyUID(study)}`);
      expect(found[0]?.[TagHex.StudyTime]?.Value).toEqual(["235959.940000"]);
    }
  });

  test("comes in pages, newest first, and says that there is more", async () => {
    const first = await search("/studies?limit=1");
    expect(numbersIn(first.found, TagHex.StudyInstanceUID)).toEqual(["1"]);
    expect(first.headers.get("warning")).toStartWith("299 ");
    const all = (await search("/studies")).found;
    const paged = (await search("/studies?limit=3&offset=1")).found;
    expect(paged).toEqual(all.slice(1));
    expect((await search("/studies?limit=3&offset=1")).headers.get("warning")).toBeNull();
  });

  const ignoredIn = async (path: string) => {
    const { headers } = await search(path);
    return /299 dicomweb "These filters were ignored: ([^"]*)"$/.exec(headers.get("warning") ?? "")?.[1];
  };

  test("names the filters that it ignores", async () => {
    expect(await ignoredIn("/studies?PatientNam=Silva*&PatientID=p-100&Modality=MR")).toBe(
      "PatientNam, Modality",
    );
    expect(await ignoredIn("/series?RequestAttributesSequence=1&Rows=1")).toBe(
      "RequestAttributesSequence, Rows",
    );
    expect(await ignoredIn(`/studies/${studyUID("1")}/instances?PatientID=P-100&Modality=CT`)).toBe(
      "PatientID",
    );
    // An address is answered, and no key to match.
    for (const [place, name] of [
      ["/studies", "RetrieveURL"],
      ["/series", "00081190"],
    ] as const) {
      const path = `${place}?${name}=https://exames.example/dicomweb/studies/${studyUID("1")}/series/2.25.2.1.1`;
      expect([(await search(path)).status, await ignoredIn(path)]).toEqual([200, name]);
    }
    // Without a result, and with the warning that there is more.
    expect(await ignoredIn("/studies?PatientID=nobody&Typo=1")).toBe("Typo");
    expect((await search("/studies?limit=1&Typo=1")).headers.get("warning")).toMatch(/^299 .*, 299 .*Typo"$/);
  });

  test("repeats of ignored filters only what a header may have, and not without end", async () => {
    const hostile = encodeURIComponent('a"\r\nSet-Cookie: ação');
    expect(await ignoredIn(`/studies?${hostile}=1`)).toBe("a???Set-Cookie??a??o");
    const many = Array.from({ length: 300 }, (_, n) => `${"x".repeat(80)}${n}=1`.slice(-40));
    const named = await ignoredIn(`/studies?${many.join("&")}`);
    expect(named).toEndWith(" and 292 more");
    expect(named?.length).toBeLessThan(600);
  });

  test.each([
    "/studies?limit=9&offset=0&fuzzymatching=true&includefield=00081030,00080060&PatientName=Silva*&ModalitiesInStudy=MR",
    "/studies?00100020=p-100&StudyDate=20250101-20251231&AccessionNumber=&Typo=&Other=*&_=17",
    "/studies?accept=application/dicom%2Bjson&charset=utf-8&includefield=all",
    "/studies?emptyvaluematching=false&multiplevaluematching=false&00080201=%2B0000",
    "/series?PatientID=p-100&Modality=MR&SeriesNumber=1",
    "/instances?PatientID=p-100&Modality=MR&SOPClassUID=1.2&RequestAttributesSequence.ScheduledProcedureStepID=1",
  ])("says nothing of filters that it knows (%s)", async (path) => {
    expect((await search(path)).headers.has("warning")).toBe(false);
  });

  test("without a result has no body", async () => {
    expect((await search("/studies?PatientID=nobody")).status).toBe(204);
  });

  test.each(["/studies", "/series", "/instances"])(
    "of %s takes the parameter `accept` in place of the header",
    async (path) => {
      expect((await search(`${path}?accept=application/dicom%2Bxml`)).status).toBe(406);
      expect((await search(`${path}?accept=application/json`)).status).toBe(200);
    },
  );

  test.each([
    "limit=-1",
    "StudyDate=2026",
    "StudyDate=20260231",
    "StudyTime=1",
    "SeriesNumber=x",
    "00080201=3",
  ])("that can't be read (%s) is refused, not guessed", async (query) => {
    expect((await search(`/studies?${query}`)).status).toBe(400);
  });

  test.each([
    ["PatientID=P-100&PatientID=P-200", "PatientID"],
    ["StudyDate=20260131&00080020=20260130", "00080020"],
    ["TimezoneOffsetFromUTC=-0300&00080201=%2B0100", "TimezoneOffsetFromUTC"],
  ])(
    "that gives one attribute two values (%s) is told so, instead of searched for one of them",
    async (query, path) => {
      const answer = await t.call("GET", `/dicomweb/studies?${query}`, { as: program });
      expect(answer.status).toBe(400);
      expect(await problemOf(answer)).toMatchObject({
        violations: [{ path, code: "validation.repeated", message: "Give only one value" }],
      });
    },
  );
});

describe("a search for series", () => {
  test.each([
    ["", 5],
    ["Modality=CT", 2],
    ["Modality=CT,MR", 5],
    ["PatientID=P-100&SeriesNumber=2", 1],
    ["SeriesInstanceUID=2.25.2.2.1", 1],
    ["PerformedProcedureStepStartDate=20260101-20260131", 2],
    [
      "PerformedProcedureStepStartDate=20260129-20260131&PerformedProcedureStepStartTime=10-11&SeriesNumber=2",
      1,
    ],
    ["PerformedProcedureStepStartDate=20260130-&PerformedProcedureStepStartTime=10-", 0],
    ["RequestAttributesSequence.ScheduledProcedureStepID=x", 0],
  ])("across studies for %p finds %i", async (query, count) => {
    expect((await search(`/series?${query}`)).found).toHaveLength(count);
  });

  test("across studies says what study each is of", async () => {
    const { found } = await search("/series?SeriesInstanceUID=2.25.2.1.2");
    expect(found).toMatchObject([
      {
        [TagHex.PatientID]: { Value: ["P-100"] },
        [TagHex.StudyInstanceUID]: { Value: [studyUID("1")] },
        "00400244": { vr: "DA", Value: ["20260130"] },
      },
    ]);
  });

  test("of one study takes filters of the series", async () => {
    const found = (await search(`/studies/${studyUID("1")}/series?SeriesNumber=2`)).found;
    expect(numbersIn(found, TagHex.SeriesInstanceUID)).toEqual(["1.2"]);
    expect((await search(`/studies/${studyUID("1")}/series?Modality=US`)).status).toBe(204);
    expect((await search(`/studies/${studyUID("9")}/series`)).status).toBe(404);
  });
});

describe("a search for instances", () => {
  const sops = async (path: string) => numbersIn((await search(path)).found, TagHex.SOPInstanceUID);

  test.each([
    ["/instances?PatientID=P-100", ["1.1.1", "1.1.2", "1.2.1"]],
    ["/instances?PatientID=P-100&InstanceNumber=2", ["1.1.2"]],
    ["/instances?SOPInstanceUID=2.25.3.2.1.1,2.25.3.9.1.1", ["2.1.1"]],
    ["/instances?PatientID=P-100&offset=1&limit=1", ["1.1.2"]],
    ["/instances?BitsAllocated=1", []],
    ["/instances?PregnancyStatus=4", ["1.1.1", "1.1.2", "1.2.1"]],
    ["/instances?PregnancyStatus=3", []],
    ["/instances?SphericalLensPower=-0.10", ["1.1.1", "1.1.2", "1.2.1"]],
    ["/instances?SphericalLensPower=-0.10000000149011612", ["1.1.1", "1.1.2", "1.2.1"]],
    ["/instances?SphericalLensPower=-0.1000001", []],
    ["/instances?AcquisitionDateTime=20260131131500%2B0000", ["1.1.1", "1.1.2", "1.2.1"]],
    ["/instances?AcquisitionDateTime=20260131101500%2B0000-20260131121500%2B0000", []],
    ["/instances?AcquisitionDateTime=20260131", ["1.1.1", "1.1.2", "1.2.1"]],
    ["/instances?Modality=C*", ["1.1.1", "1.1.2", "1.2.1"]],
    [`/studies/${studyUID("1")}/instances?SeriesNumber=2`, ["1.2.1"]],
    [`/studies/${studyUID("1")}/instances?PatientName=goncalves*&offset=2`, ["1.2.1"]],
    [`/studies/${studyUID("1")}/series/2.25.2.1.1/instances?InstanceNumber=2`, ["1.1.2"]],
    [`/studies/${studyUID("1")}/series/2.25.2.1.1/instances?00080090=*Marcia&limit=1`, ["1.1.1"]],
  ])("%s finds %p", async (path, expected) => {
    expect(await sops(path)).toEqual(expected);
  });

  test("answers what the instance says of its pixels, and any attribute that is asked for", async () => {
    const path = `/studies/${studyUID("1")}/series/2.25.2.1.1/instances?limit=1`;
    const [usual] = (await search(path)).found;
    expect(usual?.["00280100"]?.Value).toEqual([16]);
    expect(usual?.[TagHex.PatientName]).toBeUndefined();
    const [asked] = (await search(`${path}&includefield=PatientName,00080090`)).found;
    expect(asked?.[TagHex.PatientName]?.Value).toEqual([{ Alphabetic: "Gonçalves^João" }]);
    const [all] = (await search(`${path}&includefield=all`)).found;
    expect(Object.keys(all ?? {}).length).toBeGreaterThan(Object.keys(asked ?? {}).length);
  });

  test.each(["studies", "series", "instances"])("says of %s that their text is UTF-8", async (level) => {
    const fields = ["", "&includefield=PatientName", "&includefield=all"];
    const answers = await Promise.all(fields.map((field) => search(`/${level}?limit=1${field}`)));
    for (const { found } of answers)
      expect(found[0]?.["00080005"]).toEqual({ vr: "CS", Value: ["ISO_IR 192"] });
  });

  test("brings any attribute by its keyword, and an address of pixels that works", async () => {
    const path = `/studies/${studyUID("1")}/instances?SOPInstanceUID=2.25.3.1.1.2`;
    const [found] = (await search(`${path}&includefield=PregnancyStatus,PixelData`)).found;
    expect(found?.["001021C0"]?.Value).toEqual([4]);
    const uri = (found?.[TagHex.PixelData] as { BulkDataURI?: string } | undefined)?.BulkDataURI ?? "";
    const series = `/dicomweb/studies/${studyUID("1")}/series/2.25.2.1.1`;
    expect(uri).toBe(`https://exames.example${series}/instances/2.25.3.1.1.2/bulkdata/7FE00010`);
    expect((await t.call("GET", new URL(uri).pathname, { as: program })).status).toBe(200);
  });

  test("stops before it reads very many series", async () => {
    const many = await t.addPerson("Arquivo Grande", { plan: "clinica" });
    const zip = Array.from({ length: 201 }, (_, i) => ({ study: "50", series: String(i + 1) }));
    await t.store(many, sampleZip(...zip));
    const ask = async (query: string) =>
      (await t.call("GET", `/dicomweb/instances?${query}`, { as: many })).status;
    expect(await ask("SOPInstanceUID=2.25.3.50.9.1")).toBe(200);
    expect(await ask("SOPInstanceUID=2.25.3.50.999.1")).toBe(204);
    expect(await ask("ImageType=NOTHING")).toBe(413);
    const seen = new Set<string>();
    for (const offset of [0, 200]) {
      const answer = await t.call("GET", `/dicomweb/instances?offset=${offset}`, { as: many });
      expect(answer.headers.has("warning")).toBe(offset === 0);
      for (const uid of numbersIn((await answer.json()) as DicomJson[], TagHex.SOPInstanceUID)) seen.add(uid);
    }
    expect(seen.size).toBe(201);
    expect(await ask("SOPInstanceUID=2.25.3.50.9.1&SeriesInstanceUID=2.25.2.50.9")).toBe(200);
    expect(await ask("offset=200")).toBe(200);
  });

  test("finds an instance by its UID among the newest series of an archive that is too large to look through", async () => {
    const many = await t.addPerson("Arquivo Enorme", { plan: "clinica" });
    await t.store(many, sampleZip({ study: "53" }));
    t.advance(60_000);
    await t.store(many, sampleZip({ study: "54" }));
    await t.sql`
      insert into series (id, study_id, series_instance_uid, instance_count, manifest_id, attributes)
      select gen_random_uuid(), study_id, '2.25.9.' || n, s.instance_count, manifest_id, s.attributes
      from series s cross join generate_series(1, 5100) as n
      join studies on studies.id = study_id
      where account_id = ${many.id} and study_instance_uid = ${studyUID("53")}`;
    const ask = (uid: string) => t.call("GET", `/dicomweb/instances?SOPInstanceUID=${uid}`, { as: many });
    const found = await ask("2.25.3.54.1.1");
    expect(found.status).toBe(200);
    expect(numbersIn((await found.json()) as DicomJson[], TagHex.SOPInstanceUID)).toHaveLength(1);
    expect(found.headers.get("warning")).toContain("additional results");
    expect((await ask("2.25.404")).status).toBe(413);
  });

  describe("long headers", () => {
    let large: Person;
    beforeAll(async () => {
      large = await t.addPerson("Cabeçalhos Longos", { plan: "clinica" });
      // 240 kB of JSON an instance, 21 MB in all.
      const tags = ["00720052", "00720053", "00720054", "00720055"];
      const elements = Object.fromEntries(
        tags.map((tag) => [tag, { vr: "US", bytes: new Uint8Array(60_000) }]),
      );
      const longer = { ...elements, "00720056": { vr: "US", bytes: new Uint8Array(60_000) }, ...spine };
      const zip = sampleZip(
        { study: "52", elements: longer },
        ...Array.from({ length: 90 }, (_, i) => ({ study: "51", sop: String(i + 1), elements })),
      );
      await t.store(large, zip);
    }, 240_000);

    test("are searched as short ones are, however long they get", async () => {
      const find = async (query: string) => {
        const answer = await t.call("GET", `/dicomweb/studies/${studyUID("52")}/instances?${query}`, {
          as: large,
        });
        return answer.status === 200 ? ((await answer.json()) as DicomJson[]) : [];
      };
      expect(await find("BitsAllocated=8")).toEqual([]);
      const [found] = await find("BitsAllocated=16&includefield=PatientName,00720052");
      expect(found?.["00280100"]?.Value).toEqual([16]);
      expect(found?.[TagHex.PatientName]?.Value).toEqual([{ Alphabetic: "Silva^Ana" }]);
    });

    test("answers no more than a server can hold for each of many clients", async () => {
      const of = `studies/${studyUID("51")}`;
      const ask = async (path: string) => {
        const { status, body } = await t.call("GET", `/dicomweb/${path}`, { as: large });
        await body?.cancel();
        return status;
      };
      for (const place of ["instances", `${of}/instances`, `${of}/series/2.25.2.51.1/instances`])
        expect([place, await ask(`${place}?includefield=all`)]).toEqual([place, 413]);
      expect(await ask("instances?includefield=all&limit=20")).toBe(200);
      expect(await ask("instances?limit=1000")).toBe(200);
    });

    test("lets an account read so much at once, and asks it to come again for more", async () => {
      const ask = async (path: string, as = large) => {
        const { status, headers, body } = await t.call("GET", `/dicomweb/${path}`, { as });
        await body?.cancel();
        return [status, headers.has("retry-after")];
      };
      // 4.8 MB.
      const long = "instances?includefield=all&limit=20";
      const unread = () => t.call("GET", `/dicomweb/${long}`, { as: large });
      const answers = [await unread(), await unread()];
      expect(await ask(long)).toEqual([503, true]);
      expect(await ask("instances?limit=1000")).toEqual([200, false]);
      expect(await ask(long, owner)).toEqual([200, false]);
      for (const { body } of answers) await body?.cancel();
      // A place that one of them kept would be missing here.
      for (let times = 0; times < 3; times++) {
        expect(await ask(long)).toEqual([200, false]);
        expect((await t.call("HEAD", `/dicomweb/${long}`, { as: large })).status).toBe(200);
      }
      const whole = (await (await t.call("GET", `/dicomweb/${long}`, { as: large })).json()) as DicomJson[];
      expect(whole.map((json) => json[TagHex.SOPInstanceUID]?.Value?.[0])).toHaveLength(20);

      const { searchTurns } = t.deps;
      const { promise, resolve } = Promise.withResolvers<void>();
      const reading = Array.from({ length: 16 }, () =>
        searchTurns.run({ callerId: large.id }, () => promise),
      );
      for (const place of ["instances", `studies/${studyUID("51")}/instances`])
        expect([place, ...(await ask(`${place}?limit=1`))]).toEqual([place, 503, true]);
      expect(await ask("studies?limit=1")).toEqual([200, false]);
      expect(await ask("instances?limit=1", owner)).toEqual([200, false]);
      resolve();
      await Promise.all(reading);
      expect(await ask("instances?limit=1")).toEqual([200, false]);
    });

    test("ends searches that wait for their turn when their client leaves", async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const reading = [1, 2].map(() => t.deps.searchTurns.run({ callerId: large.id }, () => promise));
      const leaving = new AbortController();
      const headers = { authorization: `Bearer ${large.token}` };
      const waiting = ["instances", `studies/${studyUID("51")}/instances`].map(async (place) => {
        const address = `${t.deps.config.publicUrl}/dicomweb/${place}?limit=1`;
        return (await t.app.request(new Request(address, { headers, signal: leaving.signal }))).status;
      });
      leaving.abort();
      expect(await Promise.all(waiting)).toEqual([503, 503]);
      resolve();
      await Promise.all(reading);
    });
  });
});

test("a doctor without a subscription finds what was granted, and not their own", async () => {
  const doctor = await t.addPerson("Doutora", { role: "doctor" });
  await t.store(doctor, sampleZip({ study: "60" })).catch(() => undefined);
  await t.sql`delete from subscriptions where user_id = ${doctor.id}`;
  const [row] = await t.sql`select id from studies where study_instance_uid = ${studyUID("2")}`;
  await t.call("POST", `/api/studies/${row?.id}/assign`, { as: owner, json: { userId: doctor.id } });
  const answer = await t.call("GET", "/dicomweb/studies", { as: doctor });
  expect(numbersIn((await answer.json()) as DicomJson[], TagHex.StudyInstanceUID)).toEqual(["2"]);
});
