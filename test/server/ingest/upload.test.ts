import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { zipSync } from "fflate";
import { Patience } from "../../../src/server/db/patience.ts";
import { findUploads } from "../../../src/server/holdings/uploads/uploads.repo.ts";
import type { Series, Study } from "../../../src/shared/api/studies.ts";
import type { UploadAnswer } from "../../../src/shared/api/upload.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";
import { writeTestZip } from "../../support/zip/zip-archive.ts";

let t: TestApp;
let person: Person;
beforeAll(async () => {
  t = await createTestApp();
  person = await t.addPerson("Envia Exames", { plan: "clinica" });
});
afterAll(() => t[Symbol.asyncDispose]());

async function listOf(who: Person): Promise<Study[]> {
  return (await (await t.call("GET", "/api/studies", { as: who })).json()) as Study[];
}

/** Of uploads that were not committed: what a committed one replaced is kept for the readers of a moment before. */
async function abandonedFolders(): Promise<string[]> {
  const names = (await readdir(join(t.deps.config.dataDir, "staging"))).filter(
    (name) => !name.startsWith("~"),
  );
  const uploads = await findUploads(t.deps.db, names);
  const committed = new Set(uploads.filter(({ state }) => state === "committed").map(({ id }) => id));
  return names.filter((name) => !committed.has(name));
}

async function expectNothingKept(who: Person): Promise<void> {
  expect(await listOf(who)).toEqual([]);
  expect(await abandonedFolders()).toEqual([]);
}

/** What postgres.js sends, as far as its text goes. */
interface Query {
  strings: string[];
}

describe("a ZIP of several studies", () => {
  test("is kept whole, every study listed with its series and instances", async () => {
    const who = await t.addPerson("Vários Estudos");
    const answer = await t.store(
      who,
      sampleZip(
        { study: "20", series: "1", sop: "1" },
        { study: "20", series: "2", sop: "1" },
        { study: "20", series: "2", sop: "2", instanceNumber: 2 },
        { study: "21", series: "1", sop: "1" },
      ),
    );
    expect(answer.studyInstanceUID).toBe(studyUID("20"));
    expect(answer.instancesReceived).toBe(4);
    const studies = await listOf(who);
    expect(studies.map(({ seriesCount, imagesReceived }) => [seriesCount, imagesReceived]).sort()).toEqual([
      [1, 1],
      [2, 3],
    ]);
    expect(studies.every((study) => study.storageStatus === "b2")).toBe(true);
    const first = studies.find((study) => study.studyInstanceUID === studyUID("20"));
    const answerOfSeries = await t.call("GET", `/api/studies/${first?.id}/series`, { as: who });
    const series = (await answerOfSeries.json()) as Series[];
    expect(series.map((one) => one.imagesReceived)).toEqual([1, 2]);
    expect(series[0]).toMatchObject({ seriesDescription: "Axial 5 mm", seriesNumber: 3, modality: "CT" });
  });

  test("is written with as many statements as one study, so that a slow database takes thousands", async () => {
    const who = await t.addPerson("Muitos Estudos", { plan: "clinica" });
    using sent = spyOn(Patience.prototype, "watch");
    await t.store(who, sampleZip(...Array.from({ length: 40 }, (_, i) => ({ study: `5${i + 10}` }))));
    const texts = sent.mock.calls.map(([statement]) => String((statement as unknown as Query).strings));
    const written = (table: string) => texts.filter((text) => text.includes(`insert into "${table}"`)).length;
    expect(["audit_events", "usage_events", "object_sums"].map(written)).toEqual([1, 1, 1]);
    const rows = await t.sql`
      select s.id from studies s
      join audit_events a on a.study_id = s.id and a.study_instance_uid = s.study_instance_uid and a.action = 'study.uploaded'
      join usage_events u on u.study_instance_uid = s.study_instance_uid and u.user_id = s.account_id
      join stored_objects v on v.study_id = s.id and v.kind = 'volume'
      join object_sums c on c.object_id = v.id and length(c.crc32s) = 4
      where s.account_id = ${who.id}`;
    expect(new Set(rows.map(({ id }) => id)).size).toBe(40);
    expect(rows).toHaveLength(40);
  });

  test("reads names with accents and keeps the index as the instances say", async () => {
    const who = await t.addPerson("Acentos");
    await t.store(who, sampleZip({ study: "22" }));
    expect((await listOf(who))[0]).toMatchObject({
      patientName: "Conceição^João",
      patientID: "P 001",
      patientBirthDate: "1961-05-09",
      patientGender: "male",
      studyDescription: "Crânio sem contraste",
      studyDate: "2026-03-14",
      accessionNumber: "A-17",
      institutionName: "Clínica São José",
      modality: "CT",
      isOverridden: false,
    });
  });
});

describe("the upload form", () => {
  test("overrides the index of the named study, never the instances, and only what was changed", async () => {
    const who = await t.addPerson("Corrige Dados");
    const zip = sampleZip({ study: "30" }, { study: "31" });
    await t.store(who, zip, {
      studyInstanceUID: studyUID("31"),
      patientName: "CONCEICAO JOAO",
      description: "Tomografia de crânio",
      patientGender: "M",
      examinedAt: "2026-03-15T08:00",
    });
    const studies = await listOf(who);
    const named = studies.find((study) => study.studyInstanceUID === studyUID("31"));
    expect(named).toMatchObject({
      patientName: "Conceição^João",
      studyDescription: "Tomografia de crânio",
      examinedAt: "2026-03-15T08:00",
      isOverridden: true,
    });
    const other = studies.find((study) => study.studyInstanceUID === studyUID("30"));
    expect(other).toMatchObject({ studyDescription: "Crânio sem contraste", isOverridden: false });
    const data = Buffer.from(JSON.stringify([{ userId: who.id, id: named?.id }])).toString("base64url");
    const { token } = (await (await t.call("GET", `/generate-token?data=${data}`, { as: who })).json()) as {
      token: string;
    };
    const qido = (await (await t.call("GET", `/dicomweb/t/${token}/studies`)).json()) as Record<
      string,
      { Value: unknown[] }
    >[];
    expect(qido[0]?.[TagHex.StudyDescription]?.Value).toEqual(["Crânio sem contraste"]);
  });

  test("takes dates as DICOM writes them", async () => {
    const who = await t.addPerson("Datas de DICOM");
    await t.store(who, sampleZip({ study: "34" }), {
      patientBirthDate: "19610510",
      examinedAt: "20260315080059",
    });
    expect((await listOf(who))[0]).toMatchObject({
      patientBirthDate: "1961-05-10",
      examinedAt: "2026-03-15T08:00:59",
    });
  });

  test("is read too if a program sends it as a file", async () => {
    const who = await t.addPerson("Formulário em Arquivo");
    const body = new FormData();
    body.set("formData", new File([JSON.stringify({ description: "Com contraste" })], "formData"));
    body.set("zipFile", new File([Uint8Array.from(sampleZip({ study: "35" }))], "exame.zip"));
    const answer = await t.call("POST", "/api/upload-dicom", { as: who, body });
    expect(answer.status).toBe(201);
    expect((await listOf(who))[0]).toMatchObject({ studyDescription: "Com contraste" });
  });

  test("stays if a browser sends an empty file field of its name after it", async () => {
    const who = await t.addPerson("Campo Vazio");
    const body = new FormData();
    body.set("formData", JSON.stringify({ description: "Com contraste" }));
    body.set("zipFile", new File([Uint8Array.from(sampleZip({ study: "36" }))], "exame.zip"));
    body.append("formData", new File([], ""));
    const answer = await t.call("POST", "/api/upload-dicom", { as: who, body });
    expect(answer.status).toBe(201);
    expect((await listOf(who))[0]).toMatchObject({ studyDescription: "Com contraste" });
  });

  test("is read from a file that begins with a byte order mark", async () => {
    const who = await t.addPerson("Marca de Ordem");
    const body = new FormData();
    body.set("formData", new File(["\ufeff", JSON.stringify({ description: "Com contraste" })], "form.json"));
    body.set("zipFile", new File([Uint8Array.from(sampleZip({ study: "37" }))], "exame.zip"));
    const answer = await t.call("POST", "/api/upload-dicom", { as: who, body });
    expect(answer.status).toBe(201);
  });

  test("with an invalid date is a 400, and nothing is kept", async () => {
    const who = await t.addPerson("Data Ruim");
    const answer = await t.upload(who, sampleZip({ study: "32" }), { patientBirthDate: "32/13/2020" });
    expect(answer.status).toBe(400);
    await expectNothingKept(who);
  });

  test.each([
    ["no JSON", Uint8Array.from(sampleZip({ study: "38" }))],
    ["too long", JSON.stringify({ description: "x".repeat(70_000) })],
  ])("that is %s is a 400 that names it", async (_, form) => {
    const who = await t.addPerson("Formulário Ruim");
    const body = new FormData();
    body.set("formData", new File([form], "exame"));
    body.set("zipFile", new File([Uint8Array.from(sampleZip({ study: "38" }))], "exame.zip"));
    const answer = await t.call("POST", "/api/upload-dicom", { as: who, body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ violations: [{ path: "formData" }] });
    await expectNothingKept(who);
  });
});

describe("the same study again", () => {
  test("adds only the instances that were not there", async () => {
    const who = await t.addPerson("Repete Envio");
    await t.store(who, sampleZip({ study: "40", sop: "1" }, { study: "40", sop: "2" }));
    const second = await t.store(who, sampleZip({ study: "40", sop: "2" }, { study: "40", sop: "3" }));
    expect(second.studies[0]).toMatchObject({ imagesReceived: 1, duplicates: 1 });
    const third = await t.store(who, sampleZip({ study: "40", sop: "1" }, { study: "40", sop: "2" }));
    expect(third.studies[0]).toMatchObject({ imagesReceived: 0, duplicates: 2 });
    const [study] = await listOf(who);
    expect(study).toMatchObject({ imagesReceived: 3, seriesCount: 1, storageStatus: "b2" });
    expect(
      (await t.call("GET", "/api/subscriptions/usage-stats", { as: who })).json(),
    ).resolves.toMatchObject({
      currentExamCount: 1,
    });
  });

  test("is stored once when two tabs send it at the same time", async () => {
    const who = await t.addPerson("Duas Abas");
    const zips = [0, 1, 2, 3].map((tab) =>
      sampleZip(
        { study: "41", sop: "1" },
        { study: "41", sop: "2" },
        { study: "41", series: "2", sop: `${tab}` },
      ),
    );
    const answers = await Promise.all(zips.map((zip) => t.upload(who, zip)));
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201]);
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as UploadAnswer[];
    expect(bodies.reduce((sum, body) => sum + body.instancesReceived, 0)).toBe(6);
    await t.settle();
    expect(await listOf(who)).toEqual([
      expect.objectContaining({ imagesReceived: 6, seriesCount: 2, storageStatus: "b2" }),
    ]);
    const [study] = await listOf(who);
    const file = await t.call("GET", `/api/studies/${study?.id}/download`, { as: who });
    const { unzipSync } = await import("fflate");
    expect(Object.keys(unzipSync(new Uint8Array(await file.arrayBuffer())))).toHaveLength(6);
  });
});

describe("an upload", () => {
  const junk = new TextEncoder().encode("no DICOM at all");
  const cases: [what: string, zip: () => Uint8Array, status: number, code: string, name?: string][] = [
    ["a file that is not a ZIP", () => junk, 422, "upload.unreadable"],
    ["a ZIP cut short", () => sampleZip({ study: "50" }).slice(0, -30), 422, "upload.unreadable"],
    ["a ZIP without DICOM", () => zipSync({ "leia.doc": junk }), 422, "upload.no_dicom"],
    ["an empty ZIP", () => zipSync({}), 422, "upload.no_dicom"],
    ["another kind of file", () => sampleZip({ study: "50" }), 400, "upload.not_zip", "exames.rar"],
    ["an empty file", () => new Uint8Array(0), 400, "upload.missing"],
    [
      "a ZIP whose directory claims gigabytes",
      () => writeTestZip([{ name: "a", content: junk, central: { storedBytes: 3e9, sizeBytes: 3e9 } }]),
      422,
      "upload",
    ],
  ];
  for (const [what, zip, status, code, name] of cases) {
    test(`of ${what} is refused with ${status}, and leaves nothing`, async () => {
      const who = await t.addPerson("Sem Sorte");
      const answer = await t.upload(who, zip(), {}, name ?? "exames.zip");
      expect(answer.status).toBe(status);
      expect((await problemOf(answer)).code).toStartWith(code);
      await expectNothingKept(who);
    });
  }

  test("names a skipped file with its reason, and keeps the others", async () => {
    const who = await t.addPerson("Quase Tudo");
    const zip = zipSync({
      IM1: sampleInstance({ study: "51" }),
      "sub/leia.txt": junk,
      "sub/nada.bin": junk,
      IM2: sampleInstance({ study: "51", sop: "2" }).slice(0, -3),
    });
    const answer = await t.store(who, zip);
    expect(answer.instancesReceived).toBe(1);
    expect(answer.skippedCount).toBe(3);
    expect(answer.skipped).toContainEqual({ name: "sub/nada.bin", reason: "not_dicom" });
    expect(answer.skipped).toContainEqual({ name: "IM2", reason: "instance.truncated" });
  });

  test("names an encrypted entry as encrypted", async () => {
    const who = await t.addPerson("Com Senha");
    const zip = writeTestZip([
      { name: "IM1", content: sampleInstance({ study: "52" }), flags: 1 },
      { name: "IM2", content: sampleInstance({ study: "52", sop: "2" }) },
    ]);
    const answer = await t.store(who, zip);
    expect(answer.skipped).toEqual([{ name: "IM1", reason: "zip.encrypted" }]);
  });

  test("names a ZIP inside it as such", async () => {
    const who = await t.addPerson("ZIP no ZIP");
    const inner = writeTestZip([{ name: "IM1", content: sampleInstance({ study: "53" }) }]);
    const zip = writeTestZip([
      { name: "exame.zip", content: inner },
      { name: "exame 2.zip", content: inner, method: 8 },
      { name: "IM2", content: sampleInstance({ study: "53", sop: "2" }) },
    ]);
    const { skipped, instancesReceived } = await t.store(who, zip);
    expect(instancesReceived).toBe(1);
    expect(skipped).toEqual([
      { name: "exame.zip", reason: "zip.nested" },
      { name: "exame 2.zip", reason: "zip.nested" },
    ]);
  });

  test("names programs and documents that are ZIPs by their format as no DICOM", async () => {
    const who = await t.addPerson("Disco com Weasis");
    const content = writeTestZip([{ name: "META-INF/MANIFEST.MF", content: Buffer.from("1") }]);
    const zip = writeTestZip([
      { name: "VIEWER/weasis.jar", content },
      { name: "laudo.docx", content, method: 8 },
      { name: "ZIPS/EXAME.ZIP", content },
      { name: "v1.2/EXAME", content },
      { name: "IM1", content: sampleInstance({ study: "54" }) },
    ]);
    const { skipped } = await t.store(who, zip);
    expect(skipped.map(({ name, reason }: { name: string; reason: string }) => [name, reason])).toEqual([
      ["VIEWER/weasis.jar", "not_dicom"],
      ["laudo.docx", "not_dicom"],
      ["ZIPS/EXAME.ZIP", "zip.nested"],
      ["v1.2/EXAME", "zip.nested"],
    ]);
  });

  test("is refused with a second file, which would be lost, but not with an input that was left empty", async () => {
    const who = await t.addPerson("Dois ZIPs", { plan: "clinica" });
    const send = async (second: File) => {
      const form = new FormData();
      form.append("zipFile", new File([Uint8Array.from(sampleZip({ study: "57" }))], "one.zip"));
      form.append("zipFile", second);
      const request = new Request("http://localhost/", { method: "POST", body: form });
      const headers = { "content-type": request.headers.get("content-type") ?? "" };
      const body = await request.arrayBuffer();
      return await t.call("POST", "/api/upload-dicom", { as: who, body, headers });
    };
    const refused = await send(new File([Uint8Array.from(sampleZip({ study: "58" }))], "two.zip"));
    expect(await problemOf(refused)).toMatchObject({ status: 400, violations: [{ path: "zipFile" }] });
    expect(await (await t.call("GET", "/api/studies", { as: who })).json()).toEqual([]);
    expect((await send(new File([], ""))).status).toBe(201);
    expect(await abandonedFolders()).toEqual([]);
  });

  test("is 415 if its body is not multipart, and 400 without a file", async () => {
    const plain = await t.call("POST", "/api/upload-dicom", { as: person, json: {} });
    expect(plain.status).toBe(415);
    const form = new FormData();
    form.set("formData", "{}");
    const request = new Request("http://localhost/", { method: "POST", body: form });
    const contentType = request.headers.get("content-type") ?? "";
    const answer = await t.call("POST", "/api/upload-dicom", {
      as: person,
      body: await request.arrayBuffer(),
      headers: { "content-type": contentType },
    });
    expect(answer.status).toBe(400);
    expect(await abandonedFolders()).toEqual([]);
  });

  test("above MAX_UPLOAD_BYTES is 413 and says the maximum", async () => {
    await using small = await createTestApp({ jobs: false, env: { MAX_UPLOAD_BYTES: "2048" } });
    const who = await small.addPerson("Grande Demais");
    const answer = await small.upload(
      who,
      sampleZip(
        { study: "53" },
        { study: "53", sop: "2" },
        { study: "53", sop: "3" },
        { study: "53", sop: "4" },
        { study: "53", sop: "5" },
      ),
    );
    expect(answer.status).toBe(413);
    expect(await problemOf(answer)).toMatchObject({ code: "upload.too_large" });
  });
});

describe("limits of the plan", () => {
  test("are two exams for a trial; a ZIP that exceeds them is refused whole", async () => {
    const who = await t.addPerson("Em Teste", { plan: "avaliacao" });
    const three = await t.upload(who, sampleZip({ study: "60" }, { study: "61" }, { study: "62" }));
    expect(three.status).toBe(403);
    expect((await problemOf(three)).code).toBe("quota.trial");
    await expectNothingKept(who);
    await t.store(who, sampleZip({ study: "60" }, { study: "61" }));
    const more = await t.upload(who, sampleZip({ study: "62" }));
    expect(more.status).toBe(403);
    expect((await problemOf(more)).message).toContain("2");
    const again = await t.upload(who, sampleZip({ study: "60", sop: "9" }));
    expect(again.status).toBe(201);
  });

  test("are reported in the contract's words, in the caller's language", async () => {
    const refusal = async (who: Person, language: string) => {
      const form = new FormData();
      form.set("zipFile", new File([Uint8Array.from(sampleZip({ study: "66" }))], "exame.zip"));
      const request = new Request("http://localhost/", { method: "POST", body: form });
      const type = request.headers.get("content-type") ?? "";
      const headers = { "content-type": type, "accept-language": language };
      const body = await request.arrayBuffer();
      return (await problemOf(await t.call("POST", "/api/upload-dicom", { as: who, body, headers }))).message;
    };
    const trial = await t.addPerson("Em Teste Cheio", { plan: "avaliacao" });
    await t.sql`update subscriptions set exam_count = 2 where user_id = ${trial.id}`;
    expect(await refusal(trial, "pt-BR")).toBe(
      "Limite Excedido: Você já enviou 2 exames e atingiu o limite máximo para usuários de teste.",
    );
    const paying = await t.addPerson("Plano Cheio", { plan: "essencial" });
    await t.sql`update subscriptions set exam_count = 10 where user_id = ${paying.id}`;
    expect(await refusal(paying, "pt-BR")).toBe("Limite de exames atingido");
    expect(await refusal(paying, "en-US")).toBe("Exam limit reached");
  });

  test("hold under concurrency: a trial keeps two of eight concurrent uploads", async () => {
    const who = await t.addPerson("Em Paralelo", { plan: "avaliacao" });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => t.upload(who, sampleZip({ study: `7${i}` }))),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(2);
    expect(answers.filter((answer) => answer.status === 403)).toHaveLength(6);
    expect(await listOf(who)).toHaveLength(2);
  });

  test("refuse an upload without a subscription in force with 403 before its body is read", async () => {
    const who = await t.addPerson("Sem Plano", { plan: null });
    const answer = await t.upload(who, sampleZip({ study: "63" }));
    expect(answer.status).toBe(403);
    expect((await problemOf(answer)).code).toBe("subscription.required");
  });
});

test("a form with a wrong value is refused, and each field is named", async () => {
  const person = await t.addPerson("Formulário Errado");
  const named = async (form: unknown) => {
    const answer = await t.upload(person, sampleZip({ study: "900" }), form as Record<string, string>);
    const { status, violations = [] } = (await answer.json()) as {
      status: number;
      violations?: { path: string; message: string }[];
    };
    for (const { message } of violations) expect(message).toBe("This value is not valid");
    return [status, violations.map(({ path }) => path)];
  };
  expect(await named({ patientName: "Ana\u0000" })).toEqual([400, ["formData.patientName"]]);
  expect(await named({ patientBirthDate: "2026-02-31", patientGender: "X" })).toEqual([
    400,
    ["formData.patientBirthDate", "formData.patientGender"],
  ]);
  for (const other of ["not an object", [], [{ patientName: "Ana" }]])
    expect(await named(other)).toEqual([400, ["formData"]]);
});
