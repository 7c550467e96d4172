import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DataSet, parseDicom } from "dicom-parser";
import { unzipSync, zipSync } from "fflate";
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from "jose";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { answerMedia } from "../../../src/server/features/media/answer-media.ts";
import { receipts } from "../../../src/server/features/receipts/receipts.table.ts";
import { findStudyFile } from "../../../src/server/features/studies/download/download-study.ts";
import type { SignedReceipt } from "../../../src/shared/api/receipts.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { noise, sampleKinds } from "../../support/app/damaged-study.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { IMPLICIT_LITTLE_ENDIAN, sampleFile } from "../../support/dicom/dicom-sample.ts";
import { leavesOf, recordsOf } from "../../support/dicom/dicomdir-records.ts";
import { startOrthanc } from "../../support/dicom/orthanc.ts";
import { readPdf } from "../../support/pdf/read-pdf.ts";
import { formBody } from "../../support/pdf/sample-pdf.ts";
import { pagesPdf } from "../../support/pdf/written-pdf.ts";
import { sha256 } from "../../support/program/stored-bytes.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleInstance, sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
let id: string;
let files: Record<string, Uint8Array>;

const kinds = sampleKinds();
const laudo = pagesPdf(["Laudo de exemplo"]);
const NAME = "Conceição^João";

beforeAll(async () => {
  t = await createTestApp({ env: { PUBLIC_URL: "https://exames.example.com" } });
  owner = await t.addPerson("Dona do Disco", { plan: "clinica" });
  const named = (sop: string, name: string, charset: string) =>
    sampleInstance({
      sop,
      elements: {
        [TagHex.SpecificCharacterSet]: { vr: "CS", Value: [charset] },
        [TagHex.PatientName]: { vr: "PN", Value: [name] },
      },
    });
  const { studies } = await t.store(owner, zipSync({ ...kinds, named: named("99", NAME, "ISO_IR 192") }));
  id = studies[0]?.id ?? "";
  const form = await formBody({ studyInstanceUID: id }, { name: "laudo", bytes: laudo });
  expect((await t.call("POST", "/api/studies/laudo/upload", { as: owner, ...form })).status).toBe(201);
  await t.settle();
  const answer = await medium(id);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-disposition")).toContain("_PDI.zip");
  files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
});
afterAll(() => t[Symbol.asyncDispose]());

const orthanc = Bun.which("Orthanc", { PATH: `${process.env.PATH}:/usr/sbin` });

/** Debian's Python, and where it has what python3-pydicom brings. */
const PYTHON = "/usr/bin/python3";
const hasPydicom = existsSync("/usr/lib/python3/dist-packages/pydicom/fileset.py");
/** Counts the files that the records of a file-set lead to, and finds each to be what its record says. */
const FILE_SET = `
import os, sys
from pydicom.fileset import FileSet
instances = list(FileSet(os.path.join(sys.argv[1], "DICOMDIR")))
for instance in instances:
    assert instance.load().SOPInstanceUID == instance.SOPInstanceUID
print(len(instances))
`;

/** The medium in a folder. */
async function unpacked() {
  const folder = createTempFolder();
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    await Bun.write(join(folder.path, name), bytes);
  }
  return folder;
}

const medium = (study: string, as = owner, method = "GET") =>
  t.call(method, `/api/studies/${study}/download?as=pdi`, { as });

describe("a medium", () => {
  test("holds every image bit for bit under names that any system reads, and its directory leads to each", () => {
    const sums = new Set([...Object.values(kinds)].map(sha256));
    const found = leavesOf(recordsOf(files.DICOMDIR ?? new Uint8Array()));
    const images = found.filter(({ type }) => type !== "ENCAP DOC");
    expect(images).toHaveLength(Object.keys(kinds).length + 1);
    for (const { file, uid } of found) {
      expect(file.split("/").every((part) => /^[A-Z0-9_]{1,8}$/.test(part))).toBe(true);
      expect(file.split("/").length).toBeLessThanOrEqual(8);
      expect(parseDicom(Buffer.from(files[file] ?? []), { untilTag: "x00080018" }).string("x00080018")).toBe(
        uid,
      );
      sums.delete(sha256(files[file] ?? new Uint8Array()));
    }
    expect(sums.size).toBe(0);
    expect(new Set(found.map(({ file }) => file)).size).toBe(found.length);
    expect(
      Object.keys(files)
        .filter((name) => name.startsWith("DICOM/"))
        .sort(),
    ).toEqual(found.map(({ file }) => file).sort());
  });

  test("has different instances under one SOP Instance UID, the first in its directory and the others beside it", async () => {
    const instances = [1, 2, 3].map((pixel) =>
      sampleInstance({
        study: "86",
        elements: { [TagHex.PixelData]: { vr: "OW", bytes: Uint8Array.of(pixel, 2, 3, 4, 5, 6, 7, 8) } },
      }),
    );
    const named = Object.fromEntries(instances.map((bytes, index) => [`IM${index + 1}`, bytes]));
    const { studies } = await t.store(owner, zipSync(named));
    const answer = await medium(studies[0]?.id ?? "");
    const found = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    const [first] = leavesOf(recordsOf(found.DICOMDIR ?? new Uint8Array()));
    const names = [first?.file ?? "", "IHE_PDI/VARIANTS/VAR00001", "IHE_PDI/VARIANTS/VAR00002"];
    expect(names.map((name) => sha256(found[name] ?? new Uint8Array()))).toEqual(instances.map(sha256));
    expect(leavesOf(recordsOf(found.DICOMDIR ?? new Uint8Array()))).toHaveLength(1);
  });

  test("has the laudo as a PDF and as an instance of the study", async () => {
    expect(files["IHE_PDI/LAUDO.PDF"]).toEqual(laudo);
    const [document] = leavesOf(recordsOf(files.DICOMDIR ?? new Uint8Array())).filter(
      ({ type }) => type === "ENCAP DOC",
    );
    const instance = files[document?.file ?? ""] ?? new Uint8Array();
    const dataSet = parseDicom(instance);
    const { dataOffset = 0 } = dataSet.elements.x00420011 ?? {};
    expect(dataSet.uint32("x00420015")).toBe(laudo.length);
    expect(sha256(instance.subarray(dataOffset, dataOffset + laudo.length))).toBe(sha256(laudo));
    expect(dataSet.string("x0020000d")).toBe("2.25.1.1");
  });

  test("has a laudo that says of patient and study what the images say", async () => {
    const said = {
      [TagHex.IssuerOfPatientID]: { vr: "LO", Value: ["Hospital"] },
      [TagHex.ReferringPhysicianName]: { vr: "PN", Value: ["Pereira^Ana"] },
    };
    const { studies } = await t.store(owner, sampleZip({ study: "77", elements: said }));
    const study = studies[0]?.id ?? "";
    const form = await formBody({ studyInstanceUID: study }, { name: "laudo", bytes: laudo });
    await t.call("POST", "/api/studies/laudo/upload", { as: owner, ...form });
    await t.settle();
    const found = unzipSync(await (await medium(study)).bytes());
    const leaves = leavesOf(recordsOf(found.DICOMDIR ?? new Uint8Array()));
    const document = leaves.find(({ type }) => type === "ENCAP DOC");
    const dataSet = parseDicom(found[document?.file ?? ""] ?? new Uint8Array());
    expect([dataSet.string("x00100021"), dataSet.string("x00080090")]).toEqual(["Hospital", "Pereira^Ana"]);
  });

  test("makes up for the directory alone what its images don't say of patient and study", async () => {
    const none = [TagHex.PatientID, TagHex.StudyID, TagHex.StudyDate, TagHex.StudyTime].map((tag) => [
      tag,
      { vr: "LO", Value: [] },
    ]);
    const { studies } = await t.store(owner, sampleZip({ study: "74", elements: Object.fromEntries(none) }));
    const study = studies[0]?.id ?? "";
    const form = await formBody({ studyInstanceUID: study }, { name: "laudo", bytes: laudo });
    await t.call("POST", "/api/studies/laudo/upload", { as: owner, ...form });
    await t.settle();
    const found = unzipSync(await (await medium(study)).bytes());
    const directory = found.DICOMDIR ?? new Uint8Array();
    const saysAll = (dataSet: DataSet | undefined) =>
      ["x00100020", "x00200010", "x00080020", "x00080030"].map((tag) => dataSet?.string(tag));
    const records = parseDicom(directory).elements.x00041220?.items ?? [];
    const [patient, ofStudy] = records.map(({ dataSet }) => saysAll(dataSet));
    expect([patient?.[0], ...(ofStudy?.slice(1) ?? [])].every(Boolean)).toBe(true);
    const leaves = leavesOf(recordsOf(directory));
    expect(leaves.map(({ type }) => type)).toEqual(["IMAGE", "ENCAP DOC"]);
    const [image, document] = leaves.map(({ file }) => parseDicom(found[file] ?? new Uint8Array()));
    expect(saysAll(document)).toEqual(saysAll(image));
    expect(saysAll(document).some(Boolean)).toBe(false);
  });

  test("leaves empty what a kind of document may lack, and writes old times as they are written today", async () => {
    const ofKind = (study: string, sop: string, kind: string, elements: DicomElements) =>
      sampleInstance({
        study,
        sop,
        elements: {
          [TagHex.SOPClassUID]: { vr: "UI", Value: [`1.2.840.10008.5.1.4.1.1.${kind}`] },
          ...elements,
        },
      });
    const type = { [TagHex.MIMETypeOfEncapsulatedDocument]: { vr: "LO", Value: ["text/xml"] } };
    const old = {
      [TagHex.ContentDate]: { vr: "DA", Value: ["2024.01.05"] },
      [TagHex.ContentTime]: { vr: "TM", Value: ["10:15:30"] },
    };
    const { studies } = await t.store(
      owner,
      zipSync({
        cda: ofKind("75", "1", "104.2", {
          ...type,
          [TagHex.HL7InstanceIdentifier]: { vr: "ST", Value: ["2.25.1^7"] },
        }),
        plan: ofKind("75", "2", "481.5", { [TagHex.RTPlanLabel]: { vr: "SH", Value: ["Plano"] } }),
        structures: ofKind("75", "3", "481.3", { [TagHex.StructureSetLabel]: { vr: "SH", Value: ["E"] } }),
        wave: ofKind("75", "4", "9.1.1", old),
        map: ofKind("75", "5", "67", { ...old, [TagHex.ContentLabel]: { vr: "CS", Value: ["MAPA"] } }),
      }),
    );
    const { DICOMDIR = new Uint8Array() } = unzipSync(await (await medium(studies[0]?.id ?? "")).bytes());
    const [cda, plan, structures, wave, map] = (parseDicom(DICOMDIR).elements.x00041220?.items ?? [])
      .slice(3)
      .map(({ dataSet }) => dataSet);
    const lengthOf = (of: DataSet | undefined, tag: string) => of?.elements[tag]?.length;
    expect(["x00080023", "x00080033", "x00420010", "x0040a043"].map((tag) => lengthOf(cda, tag))).toEqual([
      0, 0, 0, 0,
    ]);
    expect(cda?.string("x0040e001")).toBe("2.25.1^7");
    expect([lengthOf(plan, "x300a0006"), lengthOf(structures, "x30060008")]).toEqual([0, 0]);
    expect([wave?.string("x00080023"), wave?.string("x00080033")]).toEqual(["20240105", "101530"]);
    expect([lengthOf(map, "x00700081"), lengthOf(map, "x00700084")]).toEqual([0, 0]);
    if (!Bun.which("dciodvfy")) return;
    await using folder = createTempFolder();
    await Bun.write(join(folder.path, "DICOMDIR"), DICOMDIR);
    const { stderr } = Bun.spawnSync(["dciodvfy", "DICOMDIR"], { cwd: folder.path });
    expect(stderr.toString()).not.toContain("Error");
  });

  test("says of patient and study what the images say, also where an image says very much", async () => {
    const comments = { vr: "LO", Value: ["one of many long comments on a frame of this image"] };
    const frame = { [TagHex.ImageComments]: comments, [TagHex.SeriesDescription]: comments };
    const elements = {
      [TagHex.PatientName]: { vr: "PN", Value: ["Muitos^Quadros"] },
      [TagHex.PatientID]: { vr: "LO", Value: ["Q-1000"] },
      [TagHex.StudyDate]: { vr: "DA", Value: ["20240131"] },
      [TagHex.ReferringPhysicianName]: { vr: "PN", Value: ["Pereira^Ana"] },
      [TagHex.PerFrameFunctionalGroupsSequence]: { vr: "SQ", Value: Array(8_000).fill(frame) },
    };
    const { studies } = await t.store(owner, sampleZip({ study: "78", elements }));
    const study = studies[0]?.id ?? "";
    const form = await formBody({ studyInstanceUID: study }, { name: "laudo", bytes: laudo });
    await t.call("POST", "/api/studies/laudo/upload", { as: owner, ...form });
    await t.settle();
    const found = unzipSync(await (await medium(study)).bytes());
    const records = parseDicom(found.DICOMDIR ?? new Uint8Array()).elements.x00041220?.items ?? [];
    const said = records.flatMap(({ dataSet }) =>
      ["x00100010", "x00100020", "x00080020"].flatMap((tag) => dataSet?.string(tag) ?? []),
    );
    expect(said).toEqual(["Muitos^Quadros", "Q-1000", "20240131"]);
    const document = leavesOf(recordsOf(found.DICOMDIR ?? new Uint8Array())).find(
      ({ type }) => type === "ENCAP DOC",
    );
    const dataSet = parseDicom(found[document?.file ?? ""] ?? new Uint8Array());
    expect([dataSet.string("x00100020"), dataSet.string("x00080090")]).toEqual(["Q-1000", "Pereira^Ana"]);
  });

  test("has the laudo that somebody deletes while it is sent", async () => {
    const { studies } = await t.store(owner, sampleZip({ study: "79" }, { study: "79", sop: "2" }));
    const study = studies[0]?.id ?? "";
    const form = await formBody({ studyInstanceUID: study }, { name: "laudo", bytes: laudo });
    await t.call("POST", "/api/studies/laudo/upload", { as: owner, ...form });
    await t.settle();
    const reader = (await medium(study)).body?.getReader();
    const pieces = [await reader?.read()];
    expect((await t.call("DELETE", `/api/studies/laudo/${study}`, { as: owner })).status).toBe(200);
    await t.settle();
    while (!pieces.at(-1)?.done) pieces.push(await reader?.read());
    const found = unzipSync(Buffer.concat(pieces.map((piece) => Buffer.from(piece?.value ?? []))));
    expect(found["IHE_PDI/LAUDO.PDF"]).toEqual(Uint8Array.from(laudo));
    const named = leavesOf(recordsOf(found.DICOMDIR ?? new Uint8Array())).map(({ file }) => file);
    expect(named.filter((file) => found[file]).length).toBe(3);
  });

  test("with a laudo is, where it is taken in, the exam that its images say", async () => {
    const said = { [TagHex.InstitutionName]: { vr: "LO", Value: ["Hospital Exemplo"] } };
    const { studies } = await t.store(owner, sampleZip({ study: "76", elements: said }));
    const study = studies[0]?.id ?? "";
    const form = await formBody({ studyInstanceUID: study }, { name: "laudo", bytes: laudo });
    await t.call("POST", "/api/studies/laudo/upload", { as: owner, ...form });
    await t.settle();
    const other = await t.addPerson("Outra Dona", { plan: "clinica" });
    await t.store(other, await (await medium(study)).bytes());
    const rows = await t.sql`select institution_name, attributes -> '00200010' as made_up from studies
      where account_id = ${other.id}`;
    expect(Array.from(rows)).toEqual([{ institution_name: "Hospital Exemplo", made_up: null }]);
  });

  test("has the images that another upload adds once the study was found", async () => {
    const { studies } = await t.store(owner, sampleZip({ study: "83" }));
    const [first] = studies;
    const caller = { userId: owner.id, role: "user" as const, isTrial: false, hasActiveSubscription: true };
    const file = await findStudyFile(t.deps, caller, first?.id ?? "");
    await t.store(owner, sampleZip({ study: "83", sop: "2" }));
    await t.settle();
    const right = { charge: async () => {}, recheck: async () => {} };
    const assets = { get: () => undefined, paths: () => [] };
    const { signal } = new AbortController();
    const asked = { caller, locale: "pt-BR" as const, isHead: false, signal };
    const answer = await answerMedia({ ...t.deps, assets }, asked, file, right);
    const found = unzipSync(await answer.bytes());
    const named = leavesOf(recordsOf(found.DICOMDIR ?? new Uint8Array())).map(({ file }) => file);
    expect(named.filter((name) => found[name])).toHaveLength(2);
  });

  test("is not charged to a caller who left while it was planned", async () => {
    const { studies } = await t.store(owner, sampleZip({ study: "87" }));
    const caller = { userId: owner.id, role: "user" as const, isTrial: false, hasActiveSubscription: true };
    const file = await findStudyFile(t.deps, caller, studies[0]?.id ?? "");
    const leaving = new AbortController();
    const searchTurns = {
      ...t.deps.searchTurns,
      async run<Result>(whose: { callerId: string; isTrial: boolean }, work: () => Promise<Result>) {
        const planned = await t.deps.searchTurns.run(whose, work);
        leaving.abort();
        return planned;
      },
    };
    let charges = 0;
    const right = { charge: async () => void charges++, recheck: async () => {} };
    const assets = { get: () => undefined, paths: () => [] };
    const asked = { caller, locale: "pt-BR" as const, isHead: false, signal: leaving.signal };
    await answerMedia({ ...t.deps, assets, searchTurns }, asked, file, right);
    expect(charges).toBe(0);
  });

  /** The medium of a study to which an upload comes behind each of the first plans. */
  async function mediumOfGrowing(study: string, uploads: number): Promise<typeof files> {
    const { studies } = await t.store(owner, sampleZip({ study }));
    const caller = { userId: owner.id, role: "user" as const, isTrial: false, hasActiveSubscription: true };
    const file = await findStudyFile(t.deps, caller, studies[0]?.id ?? "");
    let plans = 0;
    const searchTurns = {
      ...t.deps.searchTurns,
      async run<Result>(whose: { callerId: string; isTrial: boolean }, work: () => Promise<Result>) {
        const planned = await t.deps.searchTurns.run(whose, work);
        if (plans++ < uploads) await t.store(owner, sampleZip({ study, sop: `${plans + 1}` }));
        return planned;
      },
    };
    const right = { charge: async () => {}, recheck: async () => {} };
    const assets = { get: () => undefined, paths: () => [] };
    const { signal } = new AbortController();
    const asked = { caller, locale: "pt-BR" as const, isHead: false, signal };
    const answer = await answerMedia({ ...t.deps, assets, searchTurns }, asked, file, right);
    return unzipSync(await answer.bytes());
  }

  test("has the receipt of the images on it, also if an upload comes while that is made", async () => {
    const found = await mediumOfGrowing("84", 1);
    const { receipt } = JSON.parse(
      Buffer.from(found["IHE_PDI/RECIBO.JSN"] ?? []).toString(),
    ) as SignedReceipt;
    const named = leavesOf(recordsOf(found.DICOMDIR ?? new Uint8Array()));
    expect([named.length, receipt.instances.length]).toEqual([2, 2]);
  });

  test("has no receipt, rather than being refused, while uploads come faster than it is planned", async () => {
    const counted = async () => await t.deps.db.$count(receipts);
    const before = await counted();
    const found = await mediumOfGrowing("85", Number.POSITIVE_INFINITY);
    const named = leavesOf(recordsOf(found.DICOMDIR ?? new Uint8Array()));
    expect(named.every(({ file }) => found[file])).toBe(true);
    expect(named.length).toBeGreaterThan(0);
    expect(Object.keys(found).filter((name) => name.includes("RECIBO"))).toEqual([]);
    expect(Buffer.from(found["INDEX.HTM"] ?? []).toString()).not.toContain("RECIBO");
    // Each would take the place of one that somebody has.
    expect(await counted()).toBe(before);
  });

  test.if(orthanc !== null)(
    "is imported whole by Orthanc",
    async () => {
      await using server = await startOrthanc(orthanc ?? "");
      const answer = await medium(id);
      const imported = (await server.call("/instances", await answer.bytes())) as { Status: string }[];
      expect(imported.every(({ Status }) => Status === "Success" || Status === "AlreadyStored")).toBe(true);
      const { CountInstances, CountStudies } = (await server.call("/statistics")) as Record<string, number>;
      const listed = leavesOf(recordsOf(files.DICOMDIR ?? new Uint8Array()));
      expect({ CountInstances, CountStudies }).toEqual({ CountInstances: listed.length, CountStudies: 1 });
    },
    240_000,
  );

  test("has the signed receipt, a page, a text and for the owner the audit", async () => {
    const { receipt, jws } = JSON.parse(
      Buffer.from(files["IHE_PDI/RECIBO.JSN"] ?? []).toString(),
    ) as SignedReceipt;
    const keys = (await (await t.call("GET", "/.well-known/jwks.json")).json()) as JSONWebKeySet;
    const { payload } = await compactVerify(jws, createLocalJWKSet(keys));
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(receipt);
    expect((await readPdf(files["IHE_PDI/RECIBO.PDF"] ?? new Uint8Array())).attachments).toHaveLength(1);
    const readMe = Buffer.from(files["README.TXT"] ?? []).toString();
    expect(readMe).toContain("https://exames.example.com/verificar");
    expect(readMe).toContain("Este disco foi feito");
    const page = Buffer.from(files["INDEX.HTM"] ?? []).toString();
    expect(page).toContain("IHE_PDI/LAUDO.PDF");
    expect(page).toContain("<dd>João Conceição</dd>");
    expect(page).toContain(`<dd><time datetime="2026-03-14">14-03-2026 · 14-Mar-2026</time></dd>`);
    expect(page).not.toContain("<script");
    expect(page).toContain(`<img alt="" src="data:image/`);
    expect(Buffer.from(files["IHE_PDI/AUDIT.JSN"] ?? []).toString()).toContain("study.downloaded");
  });

  test("keeps Portuguese names, in Latin-1 where that has the letters and in UTF-8 where it has not", async () => {
    for (const [study, name, charset] of [
      ["71", "Conceição^João", "ISO_IR 100"],
      ["72", "Łukasz^Ana", "ISO_IR 192"],
      ["73", "Silva^Ana", undefined],
    ] as const) {
      const elements = {
        [TagHex.SpecificCharacterSet]: { vr: "CS", Value: ["ISO_IR 192"] },
        [TagHex.PatientName]: { vr: "PN", Value: [name] },
      };
      const { studies } = await t.store(owner, zipSync({ IM1: sampleInstance({ study, elements }) }));
      const answer = await medium(studies[0]?.id ?? "");
      const { DICOMDIR = new Uint8Array() } = unzipSync(new Uint8Array(await answer.arrayBuffer()));
      const [patient] = recordsOf(DICOMDIR);
      expect(patient?.text[0]).toBe(name);
      const [record] = parseDicom(DICOMDIR).elements.x00041220?.items ?? [];
      expect(record?.dataSet?.string("x00080005")).toBe(charset);
    }
  });

  test.each([0, 6] as const)(
    "holds files of PS3.10 alone, whatever they came as (level %i)",
    async (level) => {
      const study = level === 0 ? "81" : "82";
      const whole = (sop: string, options: Parameters<typeof sampleFile>[1]) =>
        sampleFile(
          {
            [TagHex.StudyInstanceUID]: { vr: "UI", Value: [`2.25.1.${study}`] },
            [TagHex.SeriesInstanceUID]: { vr: "UI", Value: [`2.25.2.${study}.1`] },
            [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.3.${study}.1.${sop}`] },
            [TagHex.InstanceNumber]: { vr: "IS", Value: [Number(sop)] },
            [TagHex.Rows]: { vr: "US", Value: [300] },
            [TagHex.Columns]: { vr: "US", Value: [300] },
            [TagHex.PixelData]: { vr: "OW", bytes: noise(180_000, Number(sop)) },
          },
          options,
        );
      const bare = { preamble: false, fileMeta: false };
      const implicit = { transferSyntaxUID: IMPLICIT_LITTLE_ENDIAN };
      const sent = {
        bare: whole("1", bare),
        bareImplicit: whole("2", { ...bare, ...implicit }),
        withoutPreamble: whole("3", { preamble: false }),
        withoutMeta: whole("4", { fileMeta: false }),
        whole: whole("5", {}),
      };
      const { studies } = await t.store(owner, zipSync(sent, { level }));
      const zip = await (await medium(studies[0]?.id ?? "")).bytes();
      const found = unzipSync(zip);
      const images = leavesOf(recordsOf(found.DICOMDIR ?? new Uint8Array()));
      const made = images.map(({ file }) => Buffer.from(found[file] ?? []));
      const wanted = [whole("1", {}), whole("2", implicit), whole("3", {}), whole("4", {}), sent.whole];
      expect(made.map(sha256)).toEqual(wanted.map(sha256));
      // The archive's own bytes, and every other download, stay as they came.
      const kept = await (
        await t.call("GET", `/api/studies/${studies[0]?.id}/download`, { as: owner })
      ).bytes();
      expect(Object.values(unzipSync(kept)).map(sha256).sort()).toEqual(
        Object.values(sent).map(sha256).sort(),
      );
      await using folder = createTempFolder();
      await Bun.write(join(folder.path, "medium.zip"), zip);
      // It compares the checksums too.
      if (Bun.which("unzip"))
        expect(Bun.spawnSync(["unzip", "-tq", "medium.zip"], { cwd: folder.path }).exitCode).toBe(0);
      for (const [index, file] of made.entries()) {
        await Bun.write(join(folder.path, `${index}`), file);
        if (Bun.which("dcmftest"))
          expect(Bun.spawnSync(["dcmftest", `${index}`], { cwd: folder.path }).stdout.toString()).toStartWith(
            "yes",
          );
      }
    },
  );

  test("is one action, free to ask about, and for nobody who may not download", async () => {
    const used = async () =>
      Number((await t.sql`select count(*)::int as n from usage_events where user_id = ${owner.id}`)[0]?.n);
    const before = await used();
    expect((await medium(id, owner, "HEAD")).status).toBe(200);
    expect(await used()).toBe(before);
    await (await medium(id)).arrayBuffer();
    expect(await used()).toBe(before + 1);
    const stranger = await t.addPerson("Curioso");
    expect((await medium(id, stranger)).status).toBe(404);
    const odd = await t.call("GET", `/api/studies/${id}/download?as=iso`, { as: owner });
    expect((await problemOf(odd)).code).toBe("validation.failed");
  });

  test("of a study that was shared has all but its audit", async () => {
    const guest = await t.addPerson("Convidada");
    await t.call("POST", `/api/studies/${id}/assign`, { as: owner, json: { userId: guest.id } });
    const answer = await medium(id, guest);
    expect(answer.status).toBe(200);
    const theirs = Object.keys(unzipSync(new Uint8Array(await answer.arrayBuffer())));
    expect(Object.keys(files).filter((name) => !theirs.includes(name))).toEqual(["IHE_PDI/AUDIT.JSN"]);
    await t.call("DELETE", `/api/studies/${id}/grants/${guest.id}`, { as: owner });
  });

  test("is of one study that is whole", async () => {
    const { studies } = await t.store(owner, zipSync({ a: sampleInstance({ study: "98" }) }));
    const json = { studyIds: [id, studies[0]?.id] };
    const asked = await t.call("POST", "/api/studies/download-ticket", { as: owner, json });
    expect(asked.status).toBe(201);
    const { url } = (await asked.json()) as { url: string };
    expect((await t.call("GET", `${url}?as=pdi`)).status).toBe(400);
    await t.sql`update studies set integrity = 'damaged' where id = ${studies[0]?.id ?? ""}`;
    const damaged = await medium(studies[0]?.id ?? "");
    expect([damaged.status, (await problemOf(damaged)).code]).toEqual([500, "archive.damaged"]);
    await t.call("DELETE", `/api/studies/${studies[0]?.id}`, { as: owner });
  });

  test("is planned in turn with searches, and asks to come again if too many wait", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const others = Array.from({ length: 16 }, () =>
      t.deps.searchTurns.run({ callerId: owner.id }, () => promise),
    );
    const answer = await medium(id);
    expect([answer.status, answer.headers.has("retry-after")]).toEqual([503, true]);
    resolve();
    await Promise.all(others);
    expect((await medium(id)).status).toBe(200);
  });

  test("is not planned for a caller who left while it waited", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const others = [1, 2].map(() => t.deps.searchTurns.run({ callerId: owner.id }, () => promise));
    const leaving = new AbortController();
    const address = `${t.deps.config.publicUrl}/api/studies/${id}/download?as=pdi`;
    const headers = { authorization: `Bearer ${owner.token}` };
    const answer = t.app.request(new Request(address, { headers, signal: leaving.signal }));
    leaving.abort();
    expect((await answer).status).toBe(503);
    resolve();
    await Promise.all(others);
  });

  test.skipIf(!hasPydicom)("is a file-set for pydicom, which finds each file by its record", async () => {
    await using folder = await unpacked();
    const told = Bun.spawnSync([PYTHON, "-W", "ignore", "-c", FILE_SET, folder.path], { timeout: 60_000 });
    const leaves = leavesOf(recordsOf(files.DICOMDIR ?? new Uint8Array()));
    expect(leaves.length).toBeGreaterThan(2);
    expect(`${told.stderr}${told.stdout}`.trim()).toBe(`${leaves.length}`);
  });

  test("is good for the tools of others, where they are installed", async () => {
    await using folder = await unpacked();
    const run = (command: string, ...args: string[]) => {
      if (!Bun.which(command)) return { exitCode: 0, told: "" };
      const { exitCode, stderr, stdout } = Bun.spawnSync([command, ...args], { cwd: folder.path });
      return { exitCode, told: `${stdout}${stderr}` };
    };
    expect(run("dcmftest", "DICOMDIR").told).not.toContain("no:");
    expect(run("dciodvfy", "DICOMDIR").told).not.toContain("Error");
    expect(run("dcmdump", "-q", "DICOMDIR").exitCode).toBe(0);
    const [document] = leavesOf(recordsOf(files.DICOMDIR ?? new Uint8Array())).filter(
      ({ type }) => type === "ENCAP DOC",
    );
    const told = run("dciodvfy", document?.file ?? "").told;
    expect(told).not.toContain("Error");
  });
});
