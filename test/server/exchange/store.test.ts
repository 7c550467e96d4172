import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, gzipSync } from "node:zlib";
import { InstanceSpool } from "../../../src/server/features/exchange/instance-spool.ts";
import type { DicomJson } from "../../../src/shared/dicom/reading/instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { outcomeOf, STOW_BOUNDARY, stow, stowBody } from "../../support/app/stow.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let sender: Person;
beforeAll(async () => {
  t = await createTestApp({ env: { MAX_UPLOAD_BYTES: "4000000", PUBLIC_URL: "https://exames.example" } });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());
beforeEach(async () => {
  sender = await t.addPerson("Quem Envia");
});

const sop = (study: string, number: string) => `2.25.3.${study}.1.${number}`;
const post = (body: BodyInit, contentType: string, headers: Record<string, string> = {}) =>
  t.call("POST", "/dicomweb/studies", {
    as: sender,
    body,
    headers: { "content-type": contentType, ...headers },
  });
const related = `multipart/related; type="application/dicom"; boundary=${STOW_BOUNDARY}`;
const examsOf = async () =>
  (await (await t.call("GET", "/api/studies", { as: sender })).json()) as { studyInstanceUID: string }[];

describe("instances sent by STOW-RS", () => {
  test("are stored, named with their addresses, and come back bit for bit", async () => {
    const files = ["1", "2"].map((number) => sampleInstance({ study: "11", sop: number }));
    const { status, stored, failed, body } = await outcomeOf(await stow(t, sender, files));
    expect({ status, stored, failed }).toEqual({
      status: 200,
      stored: [sop("11", "1"), sop("11", "2")],
      failed: [],
    });
    const studyUrl = `https://exames.example/dicomweb/studies/${studyUID("11")}`;
    expect(body[TagHex.RetrieveURL]).toEqual({ vr: "UR", Value: [studyUrl] });
    await t.settle();
    const path = `/dicomweb/studies/${studyUID("11")}/series/2.25.2.11.1/instances/${sop("11", "2")}`;
    expect(JSON.stringify(body)).toContain(`https://exames.example${path}`);
    const back = await t.call("GET", path, { as: sender, headers: { accept: "application/dicom" } });
    expect(Buffer.from(await back.arrayBuffer()).equals(files[1] ?? Buffer.of())).toBe(true);
  });

  test("may name the study by our id, which only its owner adds to", async () => {
    const { studies } = await t.store(sender, sampleZip({ study: "92" }));
    const id = studies[0]?.id ?? "";
    const added = await outcomeOf(await stow(t, sender, [sampleInstance({ study: "92", sop: "2" })], id));
    expect([added.status, added.stored]).toEqual([200, [sop("92", "2")]]);
    const studyUrl = `https://exames.example/dicomweb/studies/${studyUID("92")}`;
    expect(added.body[TagHex.RetrieveURL]).toEqual({ vr: "UR", Value: [studyUrl] });
    const other = await outcomeOf(await stow(t, sender, [sampleInstance({ study: "93" })], id));
    expect([other.status, other.failed]).toEqual([409, ["a901"]]);

    const doctor = await t.addPerson("Dra. Leitora");
    const refused = async () => {
      const answer = await stow(t, doctor, [sampleInstance({ study: "92", sop: "3" })], id);
      return [answer.status, (await problemOf(answer)).code];
    };
    expect(await refused()).toEqual([404, "study.not_found"]);
    await t.call("POST", `/api/studies/${id}/assign`, { as: sender, json: { userId: doctor.id } });
    expect(await refused()).toEqual([403, "study.not_owner"]);
  });

  test("reach no study by our id that is another's, deleted or about to be purged", async () => {
    const { studies } = await t.store(sender, sampleZip({ study: "94" }));
    const id = studies[0]?.id ?? "";
    const by = async (as: Person, reference = id) => {
      const answer = await stow(t, as, [sampleInstance({ study: "94", sop: "2" })], reference);
      return [answer.status, answer.status < 300 ? "" : (await problemOf(answer)).code];
    };
    const withScope = async (scope: string) => {
      const made = await t.call("POST", "/api/tokens", {
        as: sender,
        json: { name: scope, scopes: [scope] },
      });
      return { ...sender, token: ((await made.json()) as { token: string }).token };
    };
    expect(await by(await t.addPerson("Administra", { role: "admin" }))).toEqual([403, "study.not_owner"]);
    expect(await by(await withScope("dicomweb:read"))).toEqual([403, "token.forbidden"]);
    expect(await by(sender, `${id}0`)).toEqual([400, "validation.failed"]);
    const removal = Bun.randomUUIDv7();
    await t.sql`insert into removals
      (id, user_id, reason, created_at, purge_after, study_count, lab_exam_count, plan_id)
      select ${removal}, ${sender.id}, 'cancelled', now(), now() + interval '3 days', 1, 0, id from plans limit 1`;
    await t.sql`update studies set removal_id = ${removal} where id = ${id}`;
    expect(await by(sender)).toEqual([404, "study.not_found"]);
    await t.sql`update studies set removal_id = null where id = ${id}`;
    expect(await by(await withScope("dicomweb:write"), id.toUpperCase())).toEqual([200, ""]);
    expect((await t.call("DELETE", `/api/studies/${id}`, { as: sender })).status).toBeLessThan(300);
    expect(await by(sender)).toEqual([404, "study.not_found"]);
    expect(await examsOf()).toEqual([]);
  });

  test("may be of several studies, and one alone needs no parts", async () => {
    const files = ["21", "22"].map((study) => sampleInstance({ study }));
    const { status, body } = await outcomeOf(await stow(t, sender, files));
    // No one address has all of them.
    expect([status, body[TagHex.RetrieveURL]]).toEqual([200, { vr: "UR" }]);
    const alone = await post(Uint8Array.from(sampleInstance({ study: "23" })), "application/dicom");
    expect((await outcomeOf(alone)).stored).toEqual([sop("23", "1")]);
    expect(await examsOf()).toHaveLength(3);
  });

  test("are 503 with Retry-After, and none is kept, while the process that reads them is ended again and again", async () => {
    await using other = await createTestApp({
      overrides: { workers: undefined, ingestWorkerCommand: [process.execPath, "-e", "0"] },
    });
    const who = await other.addPerson("Quem Insiste");
    const files = [sampleInstance({ study: "26" })];
    for (let tries = 0; tries < 2; tries++) {
      const refused = await stow(other, who, files);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await problemOf(refused)).toMatchObject({ status: 503, code: "upload.process_lost" });
    }
    expect(await (await other.call("GET", "/api/studies", { as: who })).json()).toEqual([]);
    const left = await other.sql`select 1 from uploads where state <> 'failed'`;
    expect(left).toHaveLength(0);
  });

  test("are stored once, however often they are sent", async () => {
    const files = [sampleInstance({ study: "31" })];
    await stow(t, sender, files);
    expect((await outcomeOf(await stow(t, sender, [...files, ...files]))).status).toBe(200);
    const [exam] = (await (await t.call("GET", "/api/studies", { as: sender })).json()) as {
      imagesReceived: number;
    }[];
    expect(exam?.imagesReceived).toBe(1);
  });

  test("with other bytes under a known UID are kept, with a warning", async () => {
    await stow(t, sender, [sampleInstance({ study: "41" })]);
    const other = sampleInstance({
      study: "41",
      elements: { [TagHex.PatientName]: { vr: "PN", Value: ["Outra"] } },
    });
    const { body, ...outcome } = await outcomeOf(await stow(t, sender, [other]));
    expect(outcome).toMatchObject({ status: 202, warnings: [0xb000] });
    // What is shown under its UID is the first one.
    const [item] = (body[TagHex.ReferencedSOPSequence]?.Value ?? []) as DicomJson[];
    expect(item?.[TagHex.RetrieveURL]).toEqual({ vr: "UR" });
  });

  test("can be sent with a token that may do nothing else", async () => {
    const json = { name: "Tomógrafo", scopes: ["dicomweb:write"] };
    const made = await t.call("POST", "/api/tokens", { as: sender, json });
    const { token } = (await made.json()) as { token: string };
    expect((await stow(t, { ...sender, token }, [sampleInstance({ study: "51" })])).status).toBe(200);
  });

  test("can't be sent with a token that may only read", async () => {
    const json = { name: "Leitor", scopes: ["dicomweb:read"] };
    const made = await t.call("POST", "/api/tokens", { as: sender, json });
    const reader = { ...sender, token: ((await made.json()) as { token: string }).token };
    for (const study of [undefined, studyUID("52")]) {
      const refused = await stow(t, reader, [sampleInstance({ study: "52" })], study);
      expect([refused.status, (await problemOf(refused)).code]).toEqual([403, "token.forbidden"]);
    }
    expect(await examsOf()).toEqual([]);
  });
});

test("a request becomes a ZIP with the sums of its instances, and not a byte larger than an upload may be", async () => {
  await using folder = createTempFolder();
  const pieces = ["first ", "second ", "third"].map((text) => Buffer.from(text));
  const room = { take: async () => {}, wrote() {} };
  const spool = async (maxBytes: number) => {
    const path = join(folder.path, Bun.randomUUIDv7());
    await using made = await InstanceSpool.open(path, room, maxBytes);
    for (const content of [pieces, pieces.slice(1)])
      await made.add(
        (async function* () {
          yield* content;
        })(),
      );
    return { path, sizeBytes: await made.finish() };
  };
  const { path, sizeBytes } = await spool(4_000_000);
  const zip = readFileSync(path);
  expect(zip).toHaveLength(sizeBytes);
  const fields = (signature: number, crcAt: number) =>
    [...zip.keys()]
      .filter((at) => at + 4 <= zip.length && zip.readUInt32LE(at) === signature)
      .map((at) => [zip.readUInt32LE(at + crcAt), zip.readUInt32LE(at + crcAt + 4)]);
  const wanted = [pieces, pieces.slice(1)].map((content) => {
    const whole = Buffer.concat(content);
    return [crc32(whole), whole.length];
  });
  expect([fields(0x04034b50, 14), fields(0x02014b50, 16)]).toEqual([wanted, wanted]);
  expect((await spool(sizeBytes)).sizeBytes).toBe(sizeBytes);
  expect(spool(sizeBytes - 1)).rejects.toMatchObject({ kind: { code: "upload.too_large" } });
});

describe("instances that can't be stored", () => {
  test("are named with a reason beside those that were: 202", async () => {
    const cut = sampleInstance({ study: "61", sop: "2" }).slice(0, -5);
    const files = [sampleInstance({ study: "61" }), new TextEncoder().encode("not DICOM"), cut];
    const { status, stored, failed, body } = await outcomeOf(await stow(t, sender, files));
    expect({ status, stored, failed }).toEqual({
      status: 202,
      stored: [sop("61", "1")],
      failed: ["c000", "c000"],
    });
    // What a file says that it is, is named even if the file is cut.
    const items = (body[TagHex.FailedSOPSequence]?.Value ?? []) as DicomJson[];
    expect(items.map((item) => item[TagHex.ReferencedSOPInstanceUID]?.Value)).toEqual([
      undefined,
      [sop("61", "2")],
    ]);
    expect(items[1]?.[TagHex.ReferencedSOPClassUID]?.Value).toHaveLength(1);
    // What names no instance is an other failure (PS3.18 table I.1-1).
    const other = body[TagHex.OtherFailuresSequence];
    expect(other).toEqual({ vr: "SQ", Value: [{ [TagHex.FailureReason]: { vr: "US", Value: [0xc000] } }] });
  });

  test("leave nothing when none can be: 409", async () => {
    const outcome = await outcomeOf(await stow(t, sender, [new TextEncoder().encode("not DICOM")]));
    expect(outcome).toMatchObject({ status: 409, stored: [], failed: ["c000"] });
    expect(outcome.body[TagHex.RetrieveURL]).toEqual({ vr: "UR" });
    expect(await examsOf()).toEqual([]);
  });

  test("include those of another study than the address names", async () => {
    const files = ["71", "72"].map((study) => sampleInstance({ study }));
    const mixed = await outcomeOf(await stow(t, sender, files, studyUID("71")));
    expect(mixed).toMatchObject({ status: 202, stored: [sop("71", "1")], failed: ["a901"] });
    expect(JSON.stringify(mixed.body[TagHex.FailedSOPSequence])).toContain(sop("72", "1"));
    const wrong = await outcomeOf(await stow(t, sender, files.slice(0, 1), studyUID("72")));
    expect(wrong).toMatchObject({ status: 409, failed: ["a901"] });
    expect((await examsOf()).map(({ studyInstanceUID }) => studyInstanceUID)).toEqual([studyUID("71")]);
  });

  test("over the plan keep the whole request out: 403", async () => {
    const trial = await t.addPerson("Em Avaliação", { plan: "avaliacao" });
    const files = ["81", "82", "83"].map((study) => sampleInstance({ study }));
    const refused = await stow(t, trial, files);
    expect([refused.status, (await problemOf(refused)).code]).toEqual([403, "quota.trial"]);
    expect((await stow(t, trial, files.slice(0, 2))).status).toBe(200);
  });
});

describe("a request that is not STOW-RS", () => {
  const body = () => stowBody([sampleInstance({ study: "91" })]);
  test.each([
    ["application/json", 415],
    ["multipart/related", 415],
    [`multipart/form-data; boundary=${STOW_BOUNDARY}`, 415],
    [`multipart/related; type="application/dicom+json"; boundary=${STOW_BOUNDARY}`, 415],
    [`multipart/related; type="application/dicom"; boundary=${"x".repeat(201)}`, 415],
    [`multipart/related; type="application/dicom"; boundary=another`, 400],
  ])("is refused: %s", async (contentType, status) => {
    expect((await post(body(), contentType)).status).toBe(status);
    expect(await examsOf()).toEqual([]);
  });

  test("is refused when it is cut, empty, without end in its headers, or too large", async () => {
    expect((await post(body().slice(0, -6), related)).status).toBe(400);
    expect((await post(stowBody([]), related)).status).toBe(400);
    const endless = `--${STOW_BOUNDARY}\r\nX: ${"x".repeat(20_000)}\r\n\r\n--${STOW_BOUNDARY}--`;
    expect((await post(endless, related)).status).toBe(400);
    expect((await post(stowBody([new Uint8Array(4_000_001)]), related)).status).toBe(413);
    // What earlier requests stored is on its way to the archive.
    await t.settle();
    const left = readdirSync(t.deps.node.stagingDir, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile())).toEqual([]);
  });

  test("is refused when it is compressed, instead of being taken for a broken one", async () => {
    const packed = Uint8Array.from(gzipSync(stowBody([sampleInstance({ study: "91" })])));
    expect((await post(packed, related, { "content-encoding": "gzip" })).status).toBe(415);
    const alone = Uint8Array.from(gzipSync(sampleInstance({ study: "91" })));
    expect((await post(alone, "application/dicom", { "content-encoding": "gzip" })).status).toBe(415);
    const plain = await post(body(), related, { "content-encoding": "identity" });
    expect(plain.status).toBe(200);
  });

  test("is refused when it names a study by what is no UID", async () => {
    const headers = { "content-type": related };
    const answer = await t.call("POST", "/dicomweb/studies/1.2.x", { as: sender, body: body(), headers });
    expect(answer.status).toBe(400);
  });

  test("is refused when the client takes neither DICOM JSON nor XML by its header or address, before its body is read", async () => {
    expect((await post(body(), related, { accept: "text/xml" })).status).toBe(406);
    const inAddress = await t.call("POST", "/dicomweb/studies?accept=application/dicom%2Bjson", {
      as: sender,
      body: stowBody([sampleInstance({ study: "24" })]),
      headers: { "content-type": related, accept: "text/html" },
    });
    expect(inAddress.status).toBe(200);
  });

  test("of more instances than one request brings is refused whole", async () => {
    const parts = `--${STOW_BOUNDARY}\r\n\r\n\r\n`.repeat(20_001);
    const refused = await post(`${parts}--${STOW_BOUNDARY}--`, related);
    expect([refused.status, (await problemOf(refused)).code]).toEqual([413, "store.too_many"]);
  });
});

test("a boundary longer than RFC 2046 allows is taken, since Orthanc sends one", async () => {
  const boundary = "0c85a923-9eb4-42cc-8332-b3010e1c596d-0c85a923-9eb4-42cc-8332-b3010e1c596d";
  const body = Buffer.from(stowBody([sampleInstance({ study: "98" })]))
    .toString("latin1")
    .replaceAll(STOW_BOUNDARY, boundary);
  const type = `multipart/related; type="application/dicom"; boundary=${boundary}`;
  expect((await post(Buffer.from(body, "latin1"), type)).status).toBe(200);
});

test("an instance is the same for STOW-RS and for a ZIP", async () => {
  await t.store(sender, sampleZip({ study: "99" }));
  const again = await outcomeOf(await stow(t, sender, [sampleInstance({ study: "99" })]));
  expect(again).toMatchObject({ status: 200, warnings: [] });
});
