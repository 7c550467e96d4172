import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import type { DicomJson } from "../../../src/shared/dicom/reading/instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;

const text = (vr: string, value: string | number) => ({ vr, Value: [value] });
const request = (step: string, procedure: string) => ({
  "00400009": text("SH", step),
  "00401001": text("SH", procedure),
});
const code = (value: string, scheme: string) => ({
  "00080100": text("SH", value),
  "00080102": text("SH", scheme),
});
const elements: DicomElements = {
  [TagHex.PatientName]: text("PN", "Silva^Ana"),
  [TagHex.TimezoneOffsetFromUTC]: text("SH", "-0300"),
  [TagHex.InstitutionName]: text("LO", "Hospital"),
  "00101010": text("AS", "054Y"),
  [TagHex.Modality]: text("CS", "MR"),
  "00081010": text("SH", "SALA-1"),
  "00180060": text("DS", 120),
  "00290010": text("LO", "ACME"),
  "00291001": text("LO", "privado"),
  "00400275": { vr: "SQ", Value: [request("S1", "P1"), request("S2", "P2")] },
  "00081032": { vr: "SQ", Value: [code("1", "A"), code("2", "B")] },
};

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Quem Procura");
  await t.store(owner, sampleZip({ elements }));
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

async function search(path: string): Promise<DicomJson[]> {
  const answer = await t.call("GET", `/dicomweb${path}`, { as: owner });
  expect([200, 204]).toContain(answer.status);
  return answer.status === 200 ? ((await answer.json()) as DicomJson[]) : [];
}

const ofStudy = `/studies/${studyUID("1")}`;

describe("a search by members of a sequence", () => {
  test.each(["/series", `${ofStudy}/series`, "/instances", `${ofStudy}/instances`])(
    "of %s finds what has all of them in one item",
    async (path) => {
      const [step, procedure] = ["ScheduledProcedureStepID", "RequestedProcedureID"].map(
        (member) => `RequestAttributesSequence.${member}`,
      );
      expect(await search(`${path}?${step}=S2&${procedure}=P2`)).toHaveLength(1);
      expect(await search(`${path}?${step}=S*&00400275.00401001=P1`)).toHaveLength(1);
      expect(await search(`${path}?${step}=S1&${procedure}=P2`)).toBeEmpty();
    },
  );

  test("of instances does so for any sequence", async () => {
    const [value, scheme] = ["CodeValue", "CodingSchemeDesignator"].map(
      (member) => `ProcedureCodeSequence.${member}`,
    );
    for (const path of ["/instances", `${ofStudy}/instances`]) {
      expect(await search(`${path}?${value}=2&${scheme}=B`)).toHaveLength(1);
      expect(await search(`${path}?${value}=1&${scheme}=B`)).toBeEmpty();
    }
  });

  test("finds no study by a member of what is no sequence", async () => {
    expect(await search("/studies?PatientName.CodeValue=Silva^Ana")).toBeEmpty();
    expect(await search("/studies?PatientAge.CodeValue=054Y")).toBeEmpty();
  });
});

test.each([
  ["/studies?InstitutionName=Hosp*", ["00080080"]],
  ["/studies?PatientAge=054Y&InstitutionName=", ["00080080", "00101010"]],
  ["/series?StationName=SALA-1&PatientAge=*", ["00081010", "00101010"]],
  [`${ofStudy}/series?00081010=SALA*`, ["00081010"]],
  ["/instances?KVP=120&00291001=privado", ["00180060", "00291001"]],
  ["/instances?KVP=", ["00180060"]],
  [`${ofStudy}/instances?ProcedureCodeSequence.CodeValue=1`, ["00081032"]],
])("a search answers the attributes that it names (%s)", async (path, tags) => {
  const [found] = await search(path);
  const [usual] = await search(path.replace(/\?.*/, ""));
  expect(Object.keys(found ?? {})).toEqual([...Object.keys(usual ?? {}), ...tags].sort());
  for (const tag of tags) expect(found?.[tag]).toEqual(elements[tag] as DicomJson[string]);
});

test.each(["/studies", "/series", `${ofStudy}/series`, "/instances", `${ofStudy}/instances`])(
  "a search of %s answers the offset from UTC, which its tables have where it is known",
  async (path) => {
    const [found] = await search(path);
    expect(found?.[TagHex.TimezoneOffsetFromUTC]).toEqual(text("SH", "-0300"));
  },
);

test.each(["series", "instances"])(
  "a search of a study's %s answers what it includes of the study",
  async (level) => {
    const [found] = await search(`${ofStudy}/${level}?includefield=PatientAge,ModalitiesInStudy`);
    expect(found?.["00101010"]).toEqual(text("AS", "054Y"));
    expect(found?.[TagHex.ModalitiesInStudy]).toEqual(text("CS", "MR"));
  },
);

test("a page may be as long and as late as a client's numbers go", async () => {
  for (const number of ["2147483647", "99999999999999999999", "9".repeat(400)]) {
    for (const path of ["/studies", "/series", "/instances", `${ofStudy}/series`, `${ofStudy}/instances`]) {
      expect(await search(`${path}?limit=${number}`)).toHaveLength(1);
      expect(await search(`${path}?offset=${number}&limit=${number}`)).toBeEmpty();
    }
  }
});
