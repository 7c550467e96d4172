import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { sql as query } from "drizzle-orm";
import { unzipSync, zipSync } from "fflate";
import { explainFailure } from "../../../src/server/cli/explain-failure.ts";
import { createDeliveryGate } from "../../../src/server/features/deliveries/delivery-gate.ts";
import { finishUpload } from "../../../src/server/features/ingest/resumable/finish-upload.ts";
import { closeAbandoned } from "../../../src/server/features/ingest/resumable/growing-upload.ts";
import { listWaiting } from "../../../src/server/features/ingest/resumable/growing-uploads.repo.ts";
import { finishQueue } from "../../../src/server/features/ingest/resumable/resumable-queues.ts";
import { createDimseProcess } from "../../../src/server/features/receivers/dimse-process.ts";
import { Receptions } from "../../../src/server/features/receivers/receptions.ts";
import { InstanceFile } from "../../../src/server/features/receivers/worker/arriving-instance.ts";
import type { JudgedFile } from "../../../src/server/features/receivers/worker/dimse-messages.ts";
import { createInstanceJudge } from "../../../src/server/features/receivers/worker/instance-judge.ts";
import { AppError } from "../../../src/server/http/app-error.ts";
import { dicomwebExamples } from "../../../src/server/render/api-examples.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createDiskRoom } from "../../../src/server/storage/disk/disk-room.ts";
import { StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import type { Receiver } from "../../../src/shared/api/receivers.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import type { DicomJson } from "../../../src/shared/dicom/reading/instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { restingObjects } from "../../support/app/damaged-study.ts";
import { limitStorage } from "../../support/app/storage-quota.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { associateRequest, connectSender, type DicomSender } from "../../support/dicom/dicom-sender.ts";
import { processesNaming } from "../../support/program/process-tree.ts";
import { runProgram } from "../../support/program/run-program.ts";
import { createAuthority } from "../../support/psp/certificates.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until, untilLockWaits } from "../../support/until.ts";
import { type SampleInstance, sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const CT = "1.2.840.10008.5.1.4.1.1.2";
const SECONDARY_CAPTURE = "1.2.840.10008.5.1.4.1.1.7";
const CALLED_UNKNOWN = [1, 1, 7];
const CALLING_UNKNOWN = [1, 1, 3];
const LIMIT_EXCEEDED = [2, 3, 2];
const ABORT = 7;
const SOURCE = join(import.meta.dir, "../../../src/server");
const folder = createTempFolder();

let t: TestApp;
let ana: Person;
let bruno: Person;

beforeAll(async () => {
  const authority = createAuthority("DICOM");
  const certificate = authority.certify("exameteca");
  const [cert, key] = ["cert.pem", "key.pem"].map((name) => join(folder.path, name));
  writeFileSync(cert ?? "", certificate.cert);
  writeFileSync(key ?? "", certificate.key);
  t = await createTestApp({ env: { DIMSE_PORT: "0" } });
  ana = await t.addPerson("Ana", { plan: "clinica" });
  bruno = await t.addPerson("Bruno", { plan: "avaliacao" });
  await makeReceiver(ana, { aeTitle: "CLINICA" });
  await makeReceiver(bruno, { aeTitle: "BRUNO" });
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function makeReceiver(as: Person, json: object): Promise<Receiver> {
  const answer = await t.call("POST", "/api/receivers", { as, json });
  expect(answer.status).toBe(201);
  return (await answer.json()) as Receiver;
}

const port = () => t.deps.dimse.port ?? 0;

/** Of an instance that the account does not have. */
const nowhere = {
  ...{ seriesInstanceUID: "2.25.404", sopInstanceUID: "2.25.404" },
  transferSyntaxUID: "1.2.840.10008.1.2.1",
};

/** Elements of which more is read than one instance may take of the process for all senders. */
const wordy = Object.fromEntries(
  Array.from({ length: 12_000 }, (_, i) => [
    `0029${(0x1000 + i).toString(16)}`,
    { vr: "LO", Value: ["a word that nobody needs, and another one after it"] },
  ]),
);

/** The data set of an instance behind its File Meta Information, whose length is in its first element. */
function sent(instance: SampleInstance, sopClassUID = CT) {
  const { study = "1", series = "1", sop = "1" } = instance;
  const elements = { [TagHex.SOPClassUID]: { vr: "UI", Value: [sopClassUID] }, ...instance.elements };
  const file = Buffer.from(sampleInstance({ ...instance, elements }));
  const dataSet = file.subarray(144 + file.readUInt32LE(140));
  return { sopClassUID, sopInstanceUID: `2.25.3.${study}.${series}.${sop}`, dataSet };
}

async function open(called: string, calling?: string): Promise<DicomSender> {
  const sender = await connectSender(port());
  expect(await sender.associate({ called, ...(calling && { calling }) })).toBe("accepted");
  return sender;
}

async function studiesOf(as: Person): Promise<Study[]> {
  return (await (await t.call("GET", "/api/studies", { as })).json()) as Study[];
}

/** Waits until a study is listed with so many images. */
async function listed(as: Person, study: string, images: number): Promise<Study> {
  let found: Study | undefined;
  await until(async () => {
    await t.settle();
    found = (await studiesOf(as)).find(({ studyInstanceUID }) => studyInstanceUID === studyUID(study));
    return found?.imagesReceived === images;
  });
  if (!found) throw new Error("the study is not listed");
  return found;
}

test("a sender stores a study, which comes back with the bytes of its data sets", async () => {
  await using sender = await open("CLINICA", "TOMOGRAFO");
  expect(await sender.echo()).toBe(0);
  const instances = ["1", "2", "3"].map((sop) => sent({ study: "10", sop }));
  for (const instance of instances) expect(await sender.store(instance)).toBe(0);
  expect(await studiesOf(ana)).toEqual([]);
  await sender.release();
  const { id } = await listed(ana, "10", 3);
  const download = await t.call("GET", `/api/studies/${id}/download`, { as: ana });
  const files = Object.values(unzipSync(await download.bytes())).map((file) => Buffer.from(file));
  const dataSets = files.map((file) => file.subarray(144 + file.readUInt32LE(140)).toString("base64"));
  expect(dataSets.sort()).toEqual(instances.map(({ dataSet }) => dataSet.toString("base64")).sort());
  const [receiver] = (await (await t.call("GET", "/api/receivers", { as: ana })).json()) as Receiver[];
  expect(receiver).toMatchObject({
    ...{ instances: 3, port: port(), tls: false, refusals: 0 },
    lastReceived: { callingAETitle: "TOMOGRAFO", address: "127.0.0.1" },
  });
  expect(await (await t.call("GET", "/api/uploads", { as: ana })).json()).toEqual([]);
});

test("a study whose volume is gone, which nobody noticed, is healed by a sender who stores it again", async () => {
  const instance = sent({ study: "16" });
  const store = async () => {
    await using sender = await open("CLINICA");
    expect(await sender.store(instance)).toBe(0);
    await sender.release();
  };
  await store();
  const { id } = await listed(ana, "16", 1);
  const [volume] = (await restingObjects(t, id)).filter(({ kind }) => kind === "volume");
  volume?.remove();
  await store();
  await until(async () => {
    await t.settle();
    return (await t.sql`select 1 from stored_objects where id = ${volume?.id ?? ""}`).length === 0;
  });
  expect(await listed(ana, "16", 1)).toMatchObject({ integrity: "ok", storageStatus: "b2" });
  const download = await t.call("GET", `/api/studies/${id}/download`, { as: ana });
  const [file = new Uint8Array()] = Object.values(unzipSync(await download.bytes()));
  expect(Buffer.from(file).includes(instance.dataSet)).toBe(true);
});

test("an instance that the account has as a file is the same one when a sender stores it", async () => {
  const instance = sent({ study: "17" });
  const elements = { [TagHex.SOPClassUID]: { vr: "UI", Value: [CT] } };
  await t.store(ana, sampleZip({ study: "17", elements }));
  const keptFiles = async () => {
    const { id } = await listed(ana, "17", 1);
    return Object.values(
      unzipSync(await (await t.call("GET", `/api/studies/${id}/download`, { as: ana })).bytes()),
    ).map((file) => Buffer.from(file).toString("base64"));
  };
  const before = await keptFiles();
  expect(before).toHaveLength(1);
  expect(Buffer.from(before[0] ?? "", "base64").includes(instance.dataSet)).toBe(true);
  const store = async (calling: string, ...instances: ReturnType<typeof sent>[]) => {
    await using sender = await open("CLINICA", calling);
    for (const one of instances) expect(await sender.store(one)).toBe(0);
    await sender.release();
    await until(async () => {
      await t.settle();
      return (
        (await t.sql`select 1 from resumable_uploads where state in ('receiving', 'processing')`).length === 0
      );
    });
  };
  await store("TOMOGRAFO", instance);
  await store("PACS", instance);
  expect(await keptFiles()).toEqual(before);

  const other = sent({ study: "17", elements: { [TagHex.PatientID]: { vr: "LO", Value: ["OUTRO"] } } });
  await store("TOMOGRAFO", other);
  const after = await keptFiles();
  expect(after).toHaveLength(2);
  expect(after).toContain(before[0] ?? "");
  expect(after.some((file) => Buffer.from(file, "base64").includes(other.dataSet))).toBe(true);
});

test("a kept file whose damage nobody noticed is healed by a sender who stores its data set", async () => {
  const elements = {
    [TagHex.SOPClassUID]: { vr: "UI", Value: [CT] },
    "00091010": { vr: "OB", bytes: new Uint8Array(3_000_000) },
  };
  const instance = sent({ study: "18", elements });
  await t.store(ana, zipSync({ file: sampleInstance({ study: "18", elements }) }, { level: 0 }));
  const { id } = await listed(ana, "18", 1);
  const [volume] = (await restingObjects(t, id)).filter(({ kind }) => kind === "volume");
  volume?.flip(2_500_000);
  await using sender = await open("CLINICA", "TOMOGRAFO");
  expect(await sender.store(instance)).toBe(0);
  await sender.release();
  await until(async () => {
    await t.settle();
    return (await t.sql`select 1 from stored_objects where id = ${volume?.id ?? ""}`).length === 0;
  });
  expect(await listed(ana, "18", 1)).toMatchObject({ integrity: "ok" });
  const download = await t.call("GET", `/api/studies/${id}/download`, { as: ana });
  const files = Object.values(unzipSync(await download.bytes()));
  expect(files.map((file) => Buffer.from(file).includes(instance.dataSet))).toEqual([true]);
});

test("a study that a sender stored has every group of the patient's name", async () => {
  await using sender = await open("CLINICA");
  const elements = { [TagHex.PatientName]: { vr: "PN", Value: ["Yamada^Tarou=山田^太郎=やまだ^たろう"] } };
  expect(await sender.store(sent({ study: "13", elements }))).toBe(0);
  await sender.release();
  await listed(ana, "13", 1);
  const answer = await t.call("GET", `/dicomweb/studies?StudyInstanceUID=${studyUID("13")}`, { as: ana });
  const [json] = (await answer.json()) as DicomJson[];
  const name = { Alphabetic: "Yamada^Tarou", Ideographic: "山田^太郎", Phonetic: "やまだ^たろう" };
  expect(json?.[TagHex.PatientName]?.Value).toEqual([name]);
});

test.skipIf(!Bun.which("storescu"))("the example for DCMTK does what the page of the API says", async () => {
  const example = dicomwebExamples("http://127.0.0.1").find(({ title }) => title.includes("DCMTK"));
  const file = join(folder.path, "image.dcm");
  const elements = { [TagHex.SOPClassUID]: { vr: "UI", Value: [SECONDARY_CAPTURE] } };
  writeFileSync(file, sampleInstance({ study: "12", elements }));
  const script = (example?.code ?? "").replace("PORT=11112", `PORT=${port()}`);
  const child = Bun.spawn(["bash", "-ec", script], { cwd: folder.path, stderr: "pipe" });
  const said = await new Response(child.stderr).text();
  expect([await child.exited, said]).toEqual([0, ""]);
  await listed(ana, "12", 1);
  const [receiver] = (await (await t.call("GET", "/api/receivers", { as: ana })).json()) as Receiver[];
  expect(receiver?.lastReceived?.callingAETitle).toBe("DCMSEND");
});

describe("an association", () => {
  test("is rejected for a title that no receiver has", async () => {
    await using sender = await connectSender(port());
    expect(await sender.associate({ called: "NINGUEM" })).toEqual(CALLED_UNKNOWN);
  });

  test("is rejected for a title whose account is blocked", async () => {
    const dora = await t.addPerson("Dora", { plan: "clinica" });
    await makeReceiver(dora, { aeTitle: "DORA" });
    await t.sql`update users set is_authorized = false where id = ${dora.id}`;
    await using sender = await connectSender(port());
    expect(await sender.associate({ called: "DORA" })).toEqual(CALLED_UNKNOWN);
  });

  test("is rejected for a sender that the receiver does not name, and its owner sees the attempt", async () => {
    await makeReceiver(ana, { aeTitle: "FECHADO", callingAETitles: ["RM 1"] });
    await makeReceiver(ana, { aeTitle: "DE LONGE", addresses: ["10.0.0.0/8", "2001:db8::1"] });
    for (const called of ["FECHADO", "DE LONGE"]) {
      await using sender = await connectSender(port());
      expect(await sender.associate({ called, calling: "RM 2" })).toEqual(CALLING_UNKNOWN);
    }
    await using allowed = await open("FECHADO", "RM 1");
    expect(await allowed.echo()).toBe(0);
    const receivers = (await (await t.call("GET", "/api/receivers", { as: ana })).json()) as Receiver[];
    expect(receivers.find(({ aeTitle }) => aeTitle === "FECHADO")).toMatchObject({
      refusals: 1,
      lastRefused: { callingAETitle: "RM 2", address: "127.0.0.1" },
    });
  });

  test("goes on after an instance that can't be kept, whose response says so", async () => {
    await using sender = await open("CLINICA");
    const whole = sent({ study: "11" });
    expect(await sender.store({ ...whole, dataSet: whole.dataSet.subarray(0, -3) })).toBe(0xc000);
    expect(await sender.store({ ...whole, sopInstanceUID: "2.25.99" })).toBe(0xa900);
    const another = sent({ study: "11", sop: "3" }, SECONDARY_CAPTURE);
    expect(await sender.store({ ...another, sopClassUID: CT })).toBe(0xa900);
    const bad = sent({
      study: "11",
      elements: { [TagHex.StudyInstanceUID]: { vr: "UI", Value: ["1.2.x"] } },
    });
    expect(await sender.store(bad)).toBe(0xc000);
    expect(await sender.store(sent({ study: "11", sop: "2" }, SECONDARY_CAPTURE))).toBe(0);
    await sender.release();
    await listed(ana, "11", 1);
  });

  const HOSTILE: [string, Buffer][] = [
    ["an unknown type", Buffer.from([9, 0, 0, 0, 0, 0])],
    ["a length beyond what was agreed", Buffer.from([4, 0, 0xff, 0xff, 0xff, 0xff])],
    ["a data value that is longer than its PDU", Buffer.from([4, 0, 0, 0, 0, 6, 0, 0, 0xff, 0, 1, 3])],
    ["a data value shorter than its own header", Buffer.from([4, 0, 0, 0, 0, 6, 0, 0, 0, 0, 1, 3])],
    ["a data set without a command", Buffer.from([4, 0, 0, 0, 0, 8, 0, 0, 0, 4, 3, 2, 0, 0])],
    ["a command set that is cut off", Buffer.from([4, 0, 0, 0, 0, 8, 0, 0, 0, 4, 1, 3, 0, 0])],
    ["a second A-ASSOCIATE-RQ", associateRequest("CLINICA", "TESTE")],
  ];

  test.each(HOSTILE)("is aborted at %s, and others go on", async (_, bytes) => {
    await using other = await open("CLINICA");
    await using sender = await open("CLINICA");
    sender.raw(bytes);
    expect((await sender.next())?.type).toBe(ABORT);
    expect(await sender.next()).toBeUndefined();
    expect(await other.echo()).toBe(0);
  });

  test("that breaks in the middle of an instance leaves those before it", async () => {
    const sender = await open("CLINICA");
    expect(await sender.store(sent({ study: "12" }))).toBe(0);
    const { dataSet } = sent({ study: "12", sop: "2" });
    const head = Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0]);
    head.writeUInt32BE(dataSet.length + 6, 2);
    head.writeUInt32BE(dataSet.length + 2, 6);
    sender.raw(Buffer.concat([head, dataSet.subarray(0, 50)]));
    await sender[Symbol.asyncDispose]();
    await listed(ana, "12", 1);
  });
});

test("associations that bring nothing keep no sender out, and one that brings something stays", async () => {
  const busy = await open("CLINICA");
  const idle: DicomSender[] = [];
  while (idle.length < 29) idle.push(await open("CLINICA"));
  const late = await connectSender(port());
  expect(await late.associate({ called: "CLINICA" })).toEqual(LIMIT_EXCEEDED);
  t.advance(61_000);
  expect(await busy.store(sent({ study: "60", sop: "2" }))).toBe(0);
  // To be spoken to is not to be brought something.
  expect(await idle[0]?.echo()).toBe(0);
  const senders = [await open("CLINICA"), await open("CLINICA")];
  for (const cut of idle.slice(0, 2)) expect(await cut.next()).toBeUndefined();
  expect(await idle[2]?.echo()).toBe(0);
  expect(await senders[1]?.store(sent({ study: "60", sop: "3" }))).toBe(0);
  expect(await busy.store(sent({ study: "60", sop: "4" }))).toBe(0);
  for (const sender of [busy, ...senders]) await sender.release();
  for (const sender of [late, busy, ...senders, ...idle]) await sender[Symbol.asyncDispose]();
  await listed(ana, "60", 3);
});

test("a clock that is set takes no place from an association, and keeps none for one that brings nothing", async () => {
  const receptions = new Receptions(t.deps);
  const asked = { calledAETitle: "CLINICA", callingAETitle: "T", address: "::1" };
  for (let n = 0; n < 30; n++) expect(await receptions.admit(asked)).not.toHaveProperty("rejection");
  for (const jumpMs of [60 * 60_000, -60 * 60_000]) {
    t.setClock(jumpMs);
    expect(await receptions.admit(asked)).toEqual({ rejection: "limitExceeded" });
  }
  t.advance(61_000);
  t.setClock(-60 * 60_000);
  expect(await receptions.admit(asked)).toHaveProperty("instead");
  t.setClock(60 * 60_000);
  await receptions.lost();
});

test("accounts that fill the server with busy associations keep no other one out, and trial accounts count as one", async () => {
  const receptions = new Receptions(t.deps);
  const titleOf = new Map<string, string>();
  const join = async (title: string) => {
    const admitted = await receptions.admit({ calledAETitle: title, callingAETitle: "T", address: "::1" });
    if ("rejection" in admitted) return admitted.rejection;
    titleOf.set(admitted.association, title);
    return admitted.instead === undefined ? "new" : titleOf.get(admitted.instead);
  };
  const account = async (title: string, plan: string) =>
    await makeReceiver(await t.addPerson(title, { plan }), { aeTitle: title });
  for (const title of ["TRIAL 1", "TRIAL 2", "TRIAL 3"]) await account(title, "avaliacao");
  await account("GRANDE", "clinica");
  await account("PEQUENA", "essencial");
  for (let n = 0; n < 30; n++)
    for (const title of ["GRANDE", "TRIAL 1"]) expect(await join(title)).toBe("new");
  expect(await join("GRANDE")).toBe("limitExceeded");
  expect(await join("TRIAL 1")).toBe("limitExceeded");
  // Trial accounts have the share of one account together, and none of them has it alone.
  expect(await join("TRIAL 2")).toBe("TRIAL 1");
  // Of those that have the most, the first one.
  expect(await join("PEQUENA")).toBe("GRANDE");
  expect(await join("PEQUENA")).toBe("TRIAL 1");
  expect(await join("TRIAL 3")).toBe("TRIAL 1");
  // GRANDE has 29 now, and so have the trial accounts: 27, 1 and 1.
  for (let n = 0; n < 12; n++) expect(await join("TRIAL 2")).toBe("TRIAL 1");
  expect([await join("TRIAL 2"), await join("GRANDE")]).toEqual(["TRIAL 1", "limitExceeded"]);
  expect(await join("TRIAL 2")).toBe("limitExceeded");
  // Places go with the process of their associations.
  await receptions.lost();
  expect(await join("GRANDE")).toBe("new");
  await receptions.lost();
});

describe("an instance that is arriving", () => {
  const meta = {
    ...{ sopClassUID: CT, sopInstanceUID: "2.25.1", transferSyntaxUID: "1.2.840.10008.1.2.1" },
    ...{ sourceAETitle: "TESTE", implementation: { classUID: "2.25.2", versionName: "TESTE" } },
  };

  const nobody = () => Promise.reject(new Error("little is read to judge it"));

  test("takes no more of the disk once there is no room, and its sender hears so", async () => {
    using file = new InstanceFile(folder.path, "1.part");
    const sink = file.begin(meta, {
      maxBytes: 1024 ** 3,
      reserve: async () => false,
      judge: nobody,
      store: async () => ({ status: 0 }),
    });
    const piece = Buffer.alloc(128 * 1024);
    for (let i = 0; i < 24; i++) await sink.write(piece);
    expect(await sink.finish()).toMatchObject({ status: 0xa700 });
    expect(statSync(join(folder.path, "1.part")).size).toBeLessThanOrEqual(1024 * 1024);
  });

  test("is kept as it came, however small its fragments are", async () => {
    const { sopClassUID, sopInstanceUID, dataSet } = sent({ study: "71" });
    const implementation = { classUID: "2.25.1", versionName: "TESTE" };
    const meta = {
      sopClassUID,
      sopInstanceUID,
      transferSyntaxUID: "1.2.840.10008.1.2.1",
      sourceAETitle: "T",
      implementation,
    };
    const whole = Buffer.concat([dataSet, Buffer.alloc(300_000, Buffer.from([0xfc, 0xff, 0xfc, 0xff]))]);
    using file = new InstanceFile(folder.path, "2.part");
    for (const fragmentBytes of [1, 40_000, 65_536, 100_000, whole.length]) {
      let arrived: { sizeBytes: number; crc32: number } | undefined;
      const sink = file.begin(meta, {
        maxBytes: 1024 ** 3,
        reserve: async () => true,
        judge: nobody,
        async store(instance) {
          arrived = instance;
          return { status: 0 };
        },
      });
      for (let at = 0; at < whole.length; at += fragmentBytes)
        await sink.write(whole.subarray(at, at + fragmentBytes));
      expect(await sink.finish()).toEqual({ status: 0 });
      const written = readFileSync(join(folder.path, "2.part"));
      expect(written.subarray(-whole.length).equals(whole)).toBe(true);
      expect(arrived).toMatchObject({ sizeBytes: written.length, crc32: crc32(written) });
    }
  });

  test.each([
    ["with a long header", wordy, "1.2.840.10008.1.2.1"],
    ["that may inflate to far more", {}, "1.2.840.10008.1.2.1.99"],
  ])("is judged elsewhere %s, since others would wait for it", async (_, elements, transferSyntaxUID) => {
    const { sopClassUID, sopInstanceUID, dataSet } = sent({ study: "72", elements });
    const asked: JudgedFile[] = [];
    using file = new InstanceFile(folder.path, "3.part");
    const sink = file.begin(
      { ...meta, sopClassUID, sopInstanceUID, transferSyntaxUID },
      {
        ...{ maxBytes: 1024 ** 3, reserve: async () => true, store: async () => ({ status: 0 }) },
        async judge(written) {
          asked.push(written);
          const studyInstanceUID = studyUID("72");
          return {
            ok: true,
            sopClassUID,
            sopInstanceUID,
            studyInstanceUID,
            seriesInstanceUID: "2.25.2.72.1",
          };
        },
      },
    );
    await sink.write(dataSet);
    expect(await sink.finish()).toEqual({ status: 0 });
    expect(asked).toEqual([{ file: "3.part", sizeBytes: statSync(join(folder.path, "3.part")).size }]);
  });

  test("is stored if its header is long, and refused if it is cut", async () => {
    await using sender = await open("CLINICA");
    expect(await sender.store(sent({ study: "73", elements: wordy }))).toBe(0);
    const cut = sent({ study: "74", elements: wordy });
    expect(await sender.store({ ...cut, dataSet: cut.dataSet.subarray(0, -3) })).toBe(0xc000);
    await sender.release();
    await listed(ana, "73", 1);
  });

  test("has room of its own, which it gives back when its association ends", async () => {
    const disk = createDiskRoom({
      spareBytes: 0,
      readSpace: async () => ({ freeBytes: 100, sizeBytes: 0 }),
    });
    const receptions = new Receptions({ ...t.deps, disk });
    const asked = { calledAETitle: "CLINICA", callingAETitle: "TESTE", address: "127.0.0.1" };
    const associations = await Promise.all([receptions.admit(asked), receptions.admit(asked)]);
    const [one = "", other = ""] = associations.map((admitted) =>
      "association" in admitted ? admitted.association : "",
    );
    expect(await receptions.reserve(one, 80)).toBe(true);
    expect(await receptions.reserve(other, 80)).toBe(false);
    // What was reserved is written when more is asked for, so the file system counts it.
    expect(await receptions.reserve(one, 80)).toBe(true);
    await receptions.end(one);
    expect(await receptions.reserve(other, 80)).toBe(true);
    await receptions.end(other);
    expect(await receptions.reserve(other, 1)).toBe(false);
  });
});

test("an association of a server that has just started asks the plan before its first instance, too", async () => {
  const olga = await t.addPerson("Olga", { plan: "essencial" });
  await makeReceiver(olga, { aeTitle: "OLGA" });
  const receptions = new Receptions({ ...t.deps, elapsedMs: () => 1_000 });
  const store = async (sop: string) => {
    const asked = { calledAETitle: "OLGA", callingAETitle: "TESTE", address: "127.0.0.1" };
    const admitted = await receptions.admit(asked);
    const association = "association" in admitted ? admitted.association : "";
    const path = join(folder.path, `started-${sop}`);
    const bytes = sampleInstance({ study: "96", sop });
    writeFileSync(path, bytes);
    const arrived = { association, file: path, path, sizeBytes: bytes.length, crc32: crc32(bytes) };
    return await receptions.store({ ...arrived, ...nowhere, studyInstanceUID: studyUID("96") });
  };
  expect(await store("1")).toEqual({ status: 0 });
  await t.sql`update subscriptions set expires_at = now() - interval '1 year' where user_id = ${olga.id}`;
  expect(await store("2")).toMatchObject({ status: 0xa700 });
  await receptions.lost();
});

test("an instance whose store is away is not refused for want of room", async () => {
  const open = async () => {
    throw new StoreUnavailable("away");
  };
  const log = createLogger({ level: "error", write: () => {} });
  const receptions = new Receptions({ ...t.deps, log, arriving: { ...t.deps.arriving, open } });
  const asked = { calledAETitle: "CLINICA", callingAETitle: "TESTE", address: "127.0.0.1" };
  const admitted = await receptions.admit(asked);
  const association = "association" in admitted ? admitted.association : "";
  const instance = { association, file: "1.part", path: "", sizeBytes: 1, crc32: 0 };
  expect(await receptions.store({ ...instance, ...nowhere, studyInstanceUID: studyUID("33") })).toEqual({
    status: 0xa700,
    comment: "can't be kept now",
  });
  await receptions.end(association);
});

describe("what was acknowledged", () => {
  test("is taken in by the next run of a node that was killed", async () => {
    await using sender = await open("CLINICA");
    expect(await sender.store(sent({ study: "13" }))).toBe(0);
    const node = { ...t.deps.node, bootId: Bun.randomUUIDv7() };
    await closeAbandoned({ ...t.deps, node });
    await listed(ana, "13", 1);
    // What comes later is refused once or kept in a new upload, and never lost.
    const statuses = [
      await sender.store(sent({ study: "13", sop: "2" })),
      await sender.store(sent({ study: "13", sop: "3" })),
    ];
    expect(statuses[1]).toBe(0);
    await sender.release();
    await listed(ana, "13", 1 + statuses.filter((status) => status === 0).length);
  });

  test("is there although the kept one that it equals is deleted before a killed node's next run takes it in", async () => {
    const elements = { [TagHex.SOPClassUID]: { vr: "UI", Value: [CT] } };
    await t.store(ana, sampleZip({ study: "14", elements }));
    const { id } = await listed(ana, "14", 1);
    const instance = sent({ study: "14" });
    await using sender = await open("CLINICA", "TOMOGRAFO");
    expect(await sender.store(instance)).toBe(0);
    expect((await t.call("DELETE", `/api/studies/${id}`, { as: ana })).status).toBe(200);
    await t.settle();
    await closeAbandoned({ ...t.deps, node: { ...t.deps.node, bootId: Bun.randomUUIDv7() } });
    const again = await listed(ana, "14", 1);
    expect(again.id).not.toBe(id);
    const download = await t.call("GET", `/api/studies/${again.id}/download`, { as: ana });
    const [file = new Uint8Array()] = Object.values(unzipSync(await download.bytes()));
    expect(Buffer.from(file).includes(instance.dataSet)).toBe(true);
  });

  test("is not taken in by its own run while its association brings more, although the clock jumps by an hour", async () => {
    await using sender = await open("CLINICA");
    expect(await sender.store(sent({ study: "95" }))).toBe(0);
    t.setClock(60 * 60_000);
    await closeAbandoned(t.deps);
    t.setClock(-60 * 60_000);
    await t.settle();
    // Its bytes would land behind those of a volume that is stored already.
    expect(await sender.store(sent({ study: "95", sop: "2" }))).toBe(0);
    await sender.release();
    await listed(ana, "95", 2);
  });

  test("fits the plan: a study beyond its exams is answered 0xA700, and the others are kept", async () => {
    await using sender = await open("BRUNO");
    const limit = 2;
    for (let study = 0; study < limit; study++)
      expect(await sender.store(sent({ study: `2${study}` }))).toBe(0);
    expect(await sender.store(sent({ study: "29" }))).toBe(0xa700);
    expect(await sender.store(sent({ study: "20", sop: "2" }))).toBe(0);
    await sender.release();
    await listed(bruno, "20", 2);
    expect(await studiesOf(bruno)).toHaveLength(limit);
  });

  test("fits the plan, also of studies that begin at once: as many as it has room for are kept", async () => {
    const gilda = await t.addPerson("Gilda", { plan: "avaliacao" });
    await makeReceiver(gilda, { aeTitle: "GILDA" });
    const senders = await Promise.all(Array.from({ length: 6 }, () => open("GILDA")));
    const statuses = await Promise.all(senders.map((sender, n) => sender.store(sent({ study: `7${n}` }))));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([0, 0, 0xa700, 0xa700, 0xa700, 0xa700]);
    for (const sender of senders) await sender.release();
  });

  test("fits the plan: once the subscription is over or the storage is full, nothing is", async () => {
    const eva = await t.addPerson("Eva", { plan: "clinica" });
    await makeReceiver(eva, { aeTitle: "EVA" });
    await using sender = await open("EVA");
    await t.sql`insert into storage_tallies select gen_random_uuid(), ${eva.id}, ${10 ** 15}`;
    expect(await sender.store(sent({ study: "31" }))).toBe(0xa700);
    await t.sql`delete from storage_tallies where account_id = ${eva.id}`;
    await t.sql`update subscriptions set expires_at = now() - interval '1 day' where user_id = ${eva.id}`;
    expect(await sender.store(sent({ study: "31" }))).toBe(0xa700);
    await t.sql`update subscriptions set expires_at = now() + interval '1 day' where user_id = ${eva.id}`;
    expect(await sender.store(sent({ study: "31" }))).toBe(0);
  });

  test("fits the plan: near its bytes each instance is asked about, whatever brings it, and what waits counts", async () => {
    const fabio = await t.addPerson("Fabio", { plan: "clinica" });
    await makeReceiver(fabio, { aeTitle: "FABIO" });
    await limitStorage(t, fabio, 1_300_000);
    const elements = { [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(100_000) } };
    await using one = await open("FABIO");
    await using other = await open("FABIO");
    expect(await one.store(sent({ study: "34", sop: "1", elements }))).toBe(0);
    expect(await other.store(sent({ study: "34", sop: "2", elements }))).toBe(0);
    for (const sender of [one, one, other])
      expect(await sender.store(sent({ study: "34", sop: "3", elements }))).toBe(0xa700);
    for (const sender of [one, other]) await sender.release();
    await listed(fabio, "34", 2);
    const small = sent({ study: "34", sop: "4" });
    await using later = await open("FABIO");
    expect(await later.store(small)).toBe(0);
    await t.sql`insert into resumable_uploads (id, account_id, filename, form, metadata, size_bytes, received_bytes, state, created_at,
      expires_at, held_by) select gen_random_uuid(), ${fabio.id}, '', '{}', '', 100000, 100000, 'processing', now(), now(), 'a run'`;
    expect(await later.store(small)).toBe(0xa700);
  });

  test("waits if the plan's room was taken meanwhile, and comes in once there is room", async () => {
    const carla = await t.addPerson("Carla", { plan: "avaliacao" });
    await makeReceiver(carla, { aeTitle: "CARLA" });
    await using sender = await open("CARLA");
    expect(await sender.store(sent({ study: "30" }))).toBe(0);
    await t.sql`update subscriptions set exam_count = 2 where user_id = ${carla.id}`;
    await sender.release();
    const waits = async () =>
      (await t.sql`select 1 from resumable_uploads where account_id = ${carla.id} and problem is not null`)
        .length;
    await until(async () => (await waits()) > 0);
    // Its job must be over before it can have another.
    await t.settle();
    expect(await studiesOf(carla)).toEqual([]);
    await t.sql`update subscriptions set exam_count = 0 where user_id = ${carla.id}`;
    await closeAbandoned(t.deps);
    await listed(carla, "30", 1);
  });
});

test("what was acknowledged is kept, however many contents came under one UID, and more are refused then", async () => {
  const contents = Array.from({ length: 20 }, (_, n) =>
    sent({ study: "79", elements: { [TagHex.PatientID]: { vr: "LO", Value: [String(n)] } } }),
  );
  const [one, ...others] = contents.toReversed();
  if (!one) throw new Error("there is none");
  {
    await using sender = await open("CLINICA");
    for (const content of others) expect(await sender.store(content)).toBe(0);
    await sender.release();
  }
  const { id } = await listed(ana, "79", 1);
  const download = await t.call("GET", `/api/studies/${id}/download`, { as: ana });
  const files = Object.values(unzipSync(await download.bytes())).map((file) => Buffer.from(file));
  expect(files).toHaveLength(others.length);
  for (const { dataSet } of others) expect(files.some((file) => file.includes(dataSet))).toBe(true);
  await using sender = await open("CLINICA", "OUTRO");
  expect(await sender.store(one)).toBe(0xa700);
  for (const content of others.slice(0, 2)) expect(await sender.store(content)).toBe(0);
});

describe("what was acknowledged and can't be taken in", () => {
  const deps = () => ({ ...t.deps, gate: createDeliveryGate(t.deps) });
  const run = { id: "", enqueuedAt: new Date(), signal: new AbortController().signal };

  /** Stores an instance, and closes its upload as another run of this node does; no job has it. */
  async function storeWithoutJob(study: string, sop = "1"): Promise<string> {
    await using sender = await open("CLINICA");
    expect(await sender.store(sent({ study, sop }))).toBe(0);
    const node = { ...t.deps.node, bootId: Bun.randomUUIDv7() };
    await closeAbandoned({ ...t.deps, node, jobs: { ...t.deps.jobs, enqueue: async () => undefined } });
    const [upload] =
      await t.sql`select id from resumable_uploads where state = 'processing' and held_by is null`;
    return String(upload?.id);
  }

  test("since the disk is full waits for longer than its job is tried", async () => {
    const id = await storeWithoutJob("81");
    const readSpace = async () => ({ freeBytes: 0, sizeBytes: 0 });
    const full = { ...deps(), disk: createDiskRoom({ spareBytes: 1, readSpace }) };
    await expect(finishUpload(full, id, { ...run, attempt: 1 })).rejects.toThrow();
    await finishUpload(full, id, { ...run, attempt: 30 });
    await closeAbandoned(t.deps);
    await listed(ana, "81", 1);
  });

  test("for a reason that may pass is tried again after its job is given up", async () => {
    const id = await storeWithoutJob("82");
    const open = () => Promise.reject(new Error("nobody expected this"));
    const broken = { ...deps(), ingestWorkers: { ...t.deps.ingestWorkers, open } };
    const attempt = finishQueue.rules.retryLimit + 1;
    await expect(finishUpload(broken, id, { ...run, attempt })).rejects.toThrow("nobody expected this");
    await closeAbandoned(t.deps);
    await listed(ana, "82", 1);
  });

  test("is taken in although the last run that had it ended without a word", async () => {
    const id = await storeWithoutJob("83");
    await t.sql`update resumable_uploads set held_by = 'a run that is gone' where id = ${id}::uuid`;
    await closeAbandoned(t.deps);
    await listed(ana, "83", 1);
  });

  test("as its series lost its list waits, and comes in once the exam was sent again whole", async () => {
    const whole = sampleZip({ study: "85", sop: "1" }, { study: "85", sop: "2" });
    const { id } = (await t.store(ana, whole)).studies[0] ?? { id: "" };
    const [manifest] = (await restingObjects(t, id)).filter(({ kind }) => kind === "manifest");
    manifest?.remove();
    const uploadId = await storeWithoutJob("85", "3");
    const finish = () => finishUpload(deps(), uploadId, { ...run, attempt: 1 });
    await expect(finish()).rejects.toThrow(AppError);
    await t.store(ana, whole);
    await finish();
    await listed(ana, "85", 3);
    const download = await t.call("GET", `/api/studies/${id}/download`, { as: ana });
    const files = Object.values(unzipSync(await download.bytes()));
    expect(files.some((file) => Buffer.from(file).includes(sent({ study: "85", sop: "3" }).dataSet))).toBe(
      true,
    );
  });

  test("is one failed job, however often it is given up", async () => {
    const id = await storeWithoutJob("84");
    const open = () => Promise.reject(new Error("nobody expected this"));
    const broken = { ...deps(), ingestWorkers: { ...t.deps.ingestWorkers, open } };
    const attempt = finishQueue.rules.retryLimit + 1;
    const failed = async () =>
      (await t.sql`select 1 from pgboss.job where name = 'dead-letters' and data ->> 'uploadId' = ${id}`)
        .length;
    await t.sql`insert into pgboss.job (name, data) values ('dead-letters', jsonb_build_object('uploadId', ${id}::text))`;
    expect(await failed()).toBe(1);
    await expect(finishUpload(broken, id, { ...run, attempt })).rejects.toThrow("nobody expected this");
    expect(await failed()).toBe(0); // its own comes once it has failed
    await closeAbandoned(t.deps);
    await listed(ana, "84", 1);
  });
});

test("none of more uploads that wait than one look takes in is kept back for ever by the others", async () => {
  const seen = new Set<string>();
  const looking = t.deps.db.transaction(async (tx) => {
    await tx.execute(query`insert into resumable_uploads (id, account_id, filename, form, metadata, size_bytes, received_bytes, state,
      created_at, expires_at) select gen_random_uuid(), ${ana.id}, '', '{}', '', 1, 1, 'processing', now(), now()
      from generate_series(1, 1100)`);
    for (let looks = 0; looks < 20; looks++) for (const id of await listWaiting(tx)) seen.add(id);
    throw new Error("rolled back");
  });
  await expect(looking).rejects.toThrow("rolled back");
  expect(seen.size).toBeGreaterThanOrEqual(1100);
});

test("an account that is blocked stores nothing more by an open association, and what was acknowledged is kept", async () => {
  const dalva = await t.addPerson("Dalva", { plan: "clinica" });
  await makeReceiver(dalva, { aeTitle: "DALVA" });
  await using sender = await open("DALVA");
  expect(await sender.store(sent({ study: "31" }))).toBe(0);
  const admin = await t.addPerson("Administradora", { role: "admin", plan: null });
  const set = (isAuthorized: boolean) =>
    t.call("PATCH", `/api/users/${dalva.id}`, { as: admin, json: { isAuthorized } });
  expect((await set(false)).status).toBe(200);
  expect(await sender.store(sent({ study: "31", sop: "2" }))).toBe(0xa700);
  await sender.release();
  expect((await set(true)).status).toBe(200);
  const again = await t.call("POST", "/api/auth/login", { json: dalva });
  await listed({ ...dalva, token: ((await again.json()) as { token: string }).token }, "31", 1);
});

describe("a receiver", () => {
  test("has a title of its own on the server, and only its owner ends it", async () => {
    const taken = await t.call("POST", "/api/receivers", { as: bruno, json: { aeTitle: " CLINICA " } });
    expect([taken.status, (await taken.json()).code]).toEqual([409, "receiver.title_taken"]);
    const { id } = await makeReceiver(ana, { aeTitle: "DE PASSAGEM" });
    expect((await t.call("DELETE", `/api/receivers/${id}`, { as: bruno })).status).toBe(404);
    await using sender = await open("DE PASSAGEM");
    expect(await sender.store(sent({ study: "14" }))).toBe(0);
    expect((await t.call("DELETE", `/api/receivers/${id}`, { as: ana })).status).toBe(200);
    for (const sop of ["2", "3"]) expect(await sender.store(sent({ study: "14", sop }))).toBe(0xa700);
    await sender.release();
    await listed(ana, "14", 1);
    await using late = await connectSender(port());
    expect(await late.associate({ called: "DE PASSAGEM" })).toEqual(CALLED_UNKNOWN);
  });

  test("leaves its title to its account for a year, since senders may still have it, also when the account goes", async () => {
    const [former, other] = [await t.addPerson("Quem Saiu"), await t.addPerson("Quem Vem")];
    const ask = async (as: Person, aeTitle: string) =>
      (await t.call("POST", "/api/receivers", { as, json: { aeTitle } })).status;
    const end = async ({ id }: Receiver) =>
      (await t.call("DELETE", `/api/receivers/${id}`, { as: former })).status;
    const used = await makeReceiver(former, { aeTitle: "TOMO 1" });
    await using sender = await open("TOMO 1");
    expect(await sender.store(sent({ study: "61" }))).toBe(0);
    await sender.release();
    expect(await end(used)).toBe(200);
    expect(await ask(other, "TOMO 1")).toBe(409);
    const again = await makeReceiver(former, { aeTitle: "TOMO 1", callingAETitles: ["CT"] });
    expect(await end(await makeReceiver(former, { aeTitle: "NUNCA USADO" }))).toBe(200);
    expect(await ask(other, "NUNCA USADO")).toBe(201);

    // Its sender is none of those that are allowed now.
    await using refused = await connectSender(port());
    expect(await refused.associate({ called: "TOMO 1", calling: "MR" })).toEqual(CALLING_UNKNOWN);
    expect(again.callingAETitles).toEqual(["CT"]);
    await listed(former, "61", 1);
    await t.sql`delete from users where id = ${former.id}`;
    expect(await ask(other, "TOMO 1")).toBe(409);
    await t.sql`update retired_titles set retired_at = now() - interval '13 months' where ae_title = 'TOMO 1'`;
    expect(await ask(other, "TOMO 1")).toBe(201);
  });

  test("that is gone leaves its title at once to whom the operator wants to have it", async () => {
    const [former, other] = [await t.addPerson("Quem Perdeu"), await t.addPerson("Quem Voltou")];
    const { id } = await makeReceiver(former, { aeTitle: "DE VOLTA" });
    await t.sql`update receivers set instances = 1 where id = ${id}`;
    await using place = createTempFolder();
    const free = async () => {
      const environment = { DATA_DIR: place.path, DATABASE_URL: t.deps.config.databaseUrl ?? "" };
      const { code, complaint } = await runProgram(environment, "receiver", "free", " DE VOLTA");
      return [code, complaint.split("\n")[0]];
    };
    const notKept = [2, "No AE title DE VOLTA is kept. If a receiver has it, its owner ends it first."];
    expect(await free()).toEqual(notKept);
    expect((await t.call("DELETE", `/api/receivers/${id}`, { as: former })).status).toBe(200);
    const ask = () => t.call("POST", "/api/receivers", { as: other, json: { aeTitle: "DE VOLTA" } });
    expect((await ask()).status).toBe(409);
    expect(await free()).toEqual([0, ""]);
    expect((await ask()).status).toBe(201);
    expect(await free()).toEqual(notKept);
  });

  test("leaves a title to another account at no moment, and an account keeps a hundred of those it had", async () => {
    const [former, other] = [await t.addPerson("Quem Cede"), await t.addPerson("Quem Espera")];
    const { id } = await makeReceiver(former, { aeTitle: "AO MESMO TEMPO" });
    await t.sql`update receivers set instances = 1 where id = ${id}`;
    let asked: Promise<Response> | undefined;
    await t.sql.begin(async (tx) => {
      await tx`delete from receivers where id = ${id}`;
      asked = t.call("POST", "/api/receivers", { as: other, json: { aeTitle: "AO MESMO TEMPO" } });
      await untilLockWaits(t.sql);
    });
    expect((await asked)?.status).toBe(409);
    await t.sql`insert into receivers (id, account_id, ae_title, calling_ae_titles, addresses, created_at, instances)
      select gen_random_uuid(), ${former.id}, 'CEM ' || n, '{}', '{}', now(), 1 from generate_series(1, 120) n`;
    await t.sql`delete from receivers where account_id = ${former.id}`;
    const [held] =
      await t.sql`select count(*)::int as titles from retired_titles where account_id = ${former.id}`;
    expect(held?.titles).toBe(100);
  });

  test.each([
    ["without a title", { aeTitle: " " }],
    ["with a title that is too long", { aeTitle: "A".repeat(17) }],
    ["with a backslash in its title", { aeTitle: "A\\B" }],
    ["with letters outside of ASCII", { aeTitle: "CRÂNIO" }],
    ["with a range that is none", { aeTitle: "X", addresses: ["10.0.0.0/33"] }],
    ["with too many senders", { aeTitle: "X", callingAETitles: Array(51).fill("Y") }],
  ])("is refused %s", async (_, json) => {
    expect((await t.call("POST", "/api/receivers", { as: ana, json })).status).toBe(400);
  });

  test("is one of at most twenty of an account", async () => {
    const busy = await t.addPerson("Vinte Aparelhos");
    await t.sql`insert into receivers (id, account_id, ae_title, calling_ae_titles, addresses, created_at)
      select gen_random_uuid(), ${busy.id}, 'VINTE ' || n, '{}', '{}', now() from generate_series(1, 19) n`;
    await makeReceiver(busy, { aeTitle: "VINTE 20" });
    const refused = await t.call("POST", "/api/receivers", { as: busy, json: { aeTitle: "VINTE 21" } });
    expect((await problemOf(refused)).code).toBe("receiver.too_many");
  });
});

test("with a certificate the port speaks TLS alone", async () => {
  await using secure = await createTestApp({
    env: {
      DIMSE_PORT: "0",
      DIMSE_TLS_CERT: join(folder.path, "cert.pem"),
      DIMSE_TLS_KEY: join(folder.path, "key.pem"),
    },
  });
  const dora = await secure.addPerson("Dora", { plan: "clinica" });
  const made = await secure.call("POST", "/api/receivers", { as: dora, json: { aeTitle: "SEGURO" } });
  expect(((await made.json()) as Receiver).tls).toBe(true);
  await using plain = await connectSender(secure.deps.dimse.port ?? 0);
  plain.raw(associateRequest("SEGURO", "TESTE"));
  expect(await plain.next()).toBeUndefined();
});

test.skipIf(process.platform !== "linux")(
  "later senders see the certificate that was renewed in its files, also after the process was lost",
  async () => {
    await using place = createTempFolder();
    const files = { certFile: join(place.path, "cert.pem"), keyFile: join(place.path, "key.pem") };
    const told: string[] = [];
    const log = createLogger({ level: "info", write: (line) => void told.push(line) });
    const dimse = createDimseProcess({
      config: { dimse: { host: "127.0.0.1", port: 0, tls: files } },
      ...{ log, judge: createInstanceJudge({ log }) },
      folder: join(place.path, "receiving"),
      command: [process.execPath, join(SOURCE, "features/receivers/worker/dimse-worker.ts"), place.path],
      renewMs: 10,
    });
    await using _ = { [Symbol.asyncDispose]: () => dimse.close() };
    const [first, second] = ["first", "second"].map((name) => {
      const authority = createAuthority(name);
      return { ca: authority.cert, ...authority.certify("exameteca") };
    });
    if (!first || !second) throw new Error("no certificates");
    const replace = (path: string, pem: string) => {
      writeFileSync(`${path}.new`, pem);
      renameSync(`${path}.new`, path);
    };
    replace(files.certFile, first.cert);
    replace(files.keyFile, first.key);
    await dimse.start(new Receptions(t.deps));
    const isGreetedBy = async ({ ca }: { ca: string }) => {
      await using sender = await connectSender(dimse.port ?? 0, { ca });
      return (await sender.associate({ called: "CLINICA" })) === "accepted";
    };
    const comesToBe = (authority: { ca: string }) => until(() => isGreetedBy(authority).catch(() => false));
    expect(await isGreetedBy(first)).toBe(true);
    replace(files.certFile, second.cert);
    await until(() => told.some((line) => line.includes("dimse.certificate_refused")));
    expect(await isGreetedBy(first)).toBe(true);
    replace(files.keyFile, second.key);
    await until(() => told.some((line) => line.includes("dimse.certificate_renewed")));
    await comesToBe(second);
    for (const pid of processesNaming(place.path)) process.kill(pid, "SIGKILL");
    await until(() => dimse.port === undefined);
    await comesToBe(second);
    const refusals = () => told.filter((line) => line.includes("dimse.certificate_refused"));
    expect(refusals()).toHaveLength(1);
    // As a program leaves them that has no room to write them anew.
    for (const path of Object.values(files)) replace(path, "");
    await until(() => refusals().length > 1);
    expect(await isGreetedBy(second)).toBe(true);
  },
);

test("a port on which another program listens is named to the operator", async () => {
  await using place = createTempFolder();
  const log = createLogger({ level: "error", write: () => {} });
  const port = t.deps.dimse.port ?? 0;
  const dimse = createDimseProcess({
    config: { dimse: { host: "127.0.0.1", port, tls: undefined } },
    ...{ log, judge: createInstanceJudge({ log }) },
    folder: join(place.path, "receiving"),
    command: [process.execPath, join(SOURCE, "features/receivers/worker/dimse-worker.ts"), place.path],
  });
  await using _ = { [Symbol.asyncDispose]: () => dimse.close() };
  const failure = await dimse.start(new Receptions(t.deps)).then(() => "started", explainFailure);
  expect(failure).toContain(`port ${port} of 127.0.0.1 (EADDRINUSE): look at DIMSE_PORT`);
}, 240_000);

test.skipIf(process.platform !== "linux")(
  "after the process that listens was killed, what it acknowledged is there, and senders are served again once it can be started",
  async () => {
    await using place = createTempFolder();
    const parent = join(place.path, "data");
    const errors: string[] = [];
    const log = createLogger({ level: "error", write: (line) => void errors.push(line) });
    const dimse = createDimseProcess({
      config: { dimse: { host: "127.0.0.1", port: 0, tls: undefined } },
      ...{ log, judge: createInstanceJudge({ log }) },
      folder: join(parent, "receiving"),
      command: [process.execPath, join(SOURCE, "features/receivers/worker/dimse-worker.ts"), place.path],
    });
    await using _ = { [Symbol.asyncDispose]: () => dimse.close() };
    await dimse.start(new Receptions(t.deps));
    const connect = async () => {
      const sender = await connectSender(dimse.port ?? 0);
      expect(await sender.associate({ called: "CLINICA" })).toBe("accepted");
      return sender;
    };
    await using first = await connect();
    expect(await first.store(sent({ study: "15" }))).toBe(0);
    // No folder can be made below a file, as none can on a full disk.
    rmSync(parent, { recursive: true });
    writeFileSync(parent, "");
    for (const pid of processesNaming(place.path)) process.kill(pid, "SIGKILL");
    await until(() => errors.length > 0);
    expect(dimse.port).toBeUndefined();
    rmSync(parent);
    await listed(ana, "15", 1);
    await until(() => dimse.port !== undefined);
    await using later = await connect();
    expect(await later.store(sent({ study: "15", sop: "2" }))).toBe(0);
    await later.release();
    await listed(ana, "15", 2);
  },
);
