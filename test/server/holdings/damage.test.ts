import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { sumOldVolumes } from "../../../src/server/holdings/checking/sum-old-volumes.ts";
import type { StoredEntry } from "../../../src/server/holdings/checking/sums-of-object.ts";
import { findStoredObject } from "../../../src/server/holdings/objects/stored-objects.repo.ts";
import { openObject, readObject } from "../../../src/server/holdings/reading/open-object.ts";
import { AppError } from "../../../src/server/http/app-error.ts";
import type { ObjectStore } from "../../../src/server/storage/object-store.ts";
import type { Study, StudyStatus } from "../../../src/shared/api/studies.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { METHOD_STORED } from "../../../src/shared/zip/zip-format.ts";
import {
  type Answer,
  packed,
  type RestingObject,
  readEverything,
  restingObjects,
  sampleKinds,
} from "../../support/app/damaged-study.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { type ReadMail, readOutbox } from "../../support/mail/outbox.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
let studyId: string;
let objects: RestingObject[];
let sound: Map<string, Answer>;
beforeAll(async () => {
  t = await createTestApp();
  await t.addPerson("Quem Cuida", { role: "admin" });
  owner = await t.addPerson("Dona do Exame", { plan: "clinica" });
  await t.sql`update plans set download_delete_limit = 1000000`;
  const { studies } = await t.store(owner, packed(sampleKinds()));
  studyId = studies[0]?.id ?? "";
  objects = await restingObjects(t, studyId);
  sound = await readEverything(t, owner, studyId);
});
afterAll(() => t[Symbol.asyncDispose]());

async function listed(): Promise<Study> {
  const studies = (await (await t.call("GET", "/api/studies", { as: owner })).json()) as Study[];
  const study = studies.find(({ id }) => id === studyId);
  if (!study) throw new Error("the study is not listed");
  return study;
}

/** Reads the whole damaged study, and names the answers whose bytes differ from the stored ones. */
async function readDamaged(app = t.app): Promise<{ wrong: string[]; refused: number; cut: number }> {
  const wrong: string[] = [];
  let refused = 0;
  let cut = 0;
  for (const [path, { status, bytes }] of await readEverything({ ...t, app }, owner, studyId)) {
    const before = sound.get(path);
    if (bytes === undefined) cut++;
    else if (status >= 500) refused++;
    else if (status !== before?.status || !before.bytes?.equals(bytes)) wrong.push(`${status} ${path}`);
  }
  return { wrong, refused, cut };
}

const isAboutDamage = ({ subject }: ReadMail) => subject.includes("damaged");

/** The path with a token that opens the study now. */
async function tokenPath(path: string): Promise<string> {
  const data = btoa(JSON.stringify([{ userId: owner.id, id: studyId }]));
  const { token } = (await (await t.call("GET", `/generate-token?data=${data}`, { as: owner })).json()) as {
    token: string;
  };
  return path.trim().replace("/dicomweb/", `/dicomweb/t/${token}/`);
}

const forget = () => t.sql`update studies set integrity = 'unchecked', verified_at = null`;

/** As after a restart: nothing read before is in memory, nor, for the last release's volumes, in the database. */
async function asAfterStart({ isOldRelease }: { isOldRelease: boolean }): Promise<void> {
  if (isOldRelease) await t.sql`delete from object_sums`;
  t.deps.sums.clear();
}

const volume = () => objects.find(({ kind }) => kind === "volume") as RestingObject;

describe("a study with a changed byte", () => {
  // How the last release's volumes are read differs in where their sums come from, not in the place of the byte.
  for (const { which, isOldRelease, stepBytes } of [
    { which: "of this release", isOldRelease: false, stepBytes: 4096 },
    { which: "of the last release", isOldRelease: true, stepBytes: 4 * 4096 },
  ]) {
    test(`${which} never serves that byte, wherever it is, and is reported as damaged`, async () => {
      const { bytes, flip, restore } = volume();
      expect(bytes.length).toBeGreaterThan(100_000);
      for (let at = 1; at < bytes.length; at += stepBytes) {
        await asAfterStart({ isOldRelease });
        await forget();
        flip(at);
        const { wrong, refused, cut } = await readDamaged();
        restore();
        expect(wrong, `byte ${at}`).toEqual([]);
        expect(refused + cut, `byte ${at}`).toBeGreaterThan(0);
        expect((await listed()).integrity, `byte ${at}`).toBe("damaged");
      }
    }, 240_000);
  }

  test("in its manifest never serves that byte either", async () => {
    const manifests = objects.filter(({ kind }) => kind === "manifest");
    expect(manifests.length).toBeGreaterThan(4);
    for (const [n, { bytes, flip, restore }] of manifests.entries()) {
      const places = [0, 9, 30, bytes.length >> 1, bytes.length - 2];
      // Two in each, and each place in two of them.
      for (const at of [places[n % 5], places[(n + 2) % 5]] as [number, number]) {
        await forget();
        flip(at);
        await using restarted = await t.startAgain();
        const { wrong, refused } = await readDamaged(restarted.app);
        restore();
        expect(wrong, `byte ${at}`).toEqual([]);
        expect(refused, `byte ${at}`).toBeGreaterThan(0);
        expect((await listed()).integrity).toBe("damaged");
      }
    }
  }, 240_000);

  test("refuses only what holds that byte: instances beside it are shown and sent", async () => {
    await asAfterStart({ isOldRelease: false });
    await forget();
    volume().flip(3000);
    const answers = await readEverything(t, owner, studyId);
    volume().restore();
    const refused = [...answers].filter(([, { status }]) => status === 500).map(([path]) => path);
    const ofInstances = refused.filter((path) => path.includes("/instances/"));
    expect(ofInstances.length).toBeGreaterThan(1);
    for (const path of ofInstances) expect(path).toContain("/instances/2.25.3.1.1.1");
    for (const [path, { status, bytes }] of answers)
      if (!refused.includes(path))
        expect({ path, status, bytes }).toEqual({ path, ...sound.get(path) } as never);
    expect((await listed()).integrity).toBe("damaged");
  });

  test("is answered as a problem in the reader's language, and is announced once", async () => {
    await forget();
    // The mails of this hour are used up.
    t.advance(3_600_000);
    await asAfterStart({ isOldRelease: false });
    await t.settle();
    const mailsBefore = (await readOutbox(t.deps.config.dataDir)).filter(isAboutDamage).length;
    volume().flip(3000);
    const frame = "/frames/1";
    const [path = ""] = [...sound.keys()].filter((key) => key.includes(`3.1.1.1${frame}`));
    const url = await tokenPath(path);
    const answer = await t.call("GET", url, { as: owner, headers: { accept: "*/*" } });
    expect(answer.status).toBe(500);
    const problem = await problemOf(answer);
    expect(problem.code).toBe("archive.damaged");
    expect(problem.message).toContain("Sending the same exam again");
    const inPortuguese = await t.call("GET", url, { as: owner, headers: { "accept-language": "pt-BR" } });
    expect((await problemOf(inPortuguese)).message).toContain("danificado");
    volume().restore();
    await t.settle();
    const mails = (await readOutbox(t.deps.config.dataDir)).filter(isAboutDamage);
    expect(mails.length - mailsBefore).toBe(1);
    const study = await listed();
    expect(study).toMatchObject({ integrity: "damaged", storageStatus: "b2" });
    expect(Date.parse(study.verifiedAt ?? "")).toBeGreaterThan(Date.now() - 60_000);
  });
});

describe("a study whose volume", () => {
  test("is gone is shown as missing in every list, is never ready, and opens in no viewer", async () => {
    await forget();
    volume().remove();
    const download = await t.call("GET", `/api/studies/${studyId}/download`, { as: owner });
    volume().restore();
    expect(download.status).toBe(500);
    expect((await problemOf(download)).code).toBe("archive.damaged");
    expect(await listed()).toMatchObject({ integrity: "missing", storageStatus: "error" });
    const status = await t.call("GET", `/api/studies/${studyId}/status`, { as: owner });
    expect((await status.json()) as StudyStatus).toEqual({ status: "error", isReady: false });
    const data = btoa(JSON.stringify([{ userId: owner.id, id: studyId }]));
    const viewer = await t.call("GET", `/generate-token?data=${data}`, { as: owner });
    expect((await problemOf(viewer)).code).toBe("archive.damaged");
  });

  test("was cut is reported as damaged", async () => {
    await forget();
    await asAfterStart({ isOldRelease: false });
    volume().cut(volume().bytes.length - 5_000);
    const { wrong, refused } = await readDamaged();
    volume().restore();
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThan(0);
    expect((await listed()).integrity).toBe("damaged");
  });

  test("was never read whole since the upgrade gets its checksums in the background", async () => {
    await asAfterStart({ isOldRelease: true });
    await sumOldVolumes(t.deps, null, new AbortController().signal);
    const [{ count } = { count: 0 }] = await t.sql`select count(*)::int as count from object_sums`;
    expect(count).toBe(1);
  });
});

describe("an instance", () => {
  test("that is damaged is refused before its first byte and costs nothing", async () => {
    const used = () =>
      t.call("GET", "/api/subscriptions/usage-stats", { as: owner }).then((answer) => answer.json());
    const before = await used();
    await forget();
    await asAfterStart({ isOldRelease: false });
    volume().flip(3000);
    const [path = ""] = [...sound.keys()].filter((key) => key.includes("3.1.1.1/frames/1"));
    const instance = path.slice(path.indexOf("/studies/"), path.indexOf("/frames/1"));
    for (const accept of ["application/dicom", 'multipart/related; type="application/dicom"']) {
      const answer = await t.call("GET", `/dicomweb${instance}`, { as: owner, headers: { accept } });
      expect([answer.status, (await problemOf(answer)).code]).toEqual([500, "archive.damaged"]);
    }
    volume().restore();
    expect(await used()).toEqual(before);
  });

  test("that is damaged and too large to be held is refused before its first byte, too", async () => {
    const side = 1_600;
    const elements = {
      [TagHex.Rows]: { vr: "US", Value: [side] },
      [TagHex.Columns]: { vr: "US", Value: [side] },
      [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(randomBytes(2 * side * side)) },
    };
    const { studies } = await t.store(owner, sampleZip({ study: "95", elements }));
    const resting = await restingObjects(t, studies[0]?.id ?? "");
    const large = resting.find(({ kind }) => kind === "volume");
    const instance = `/dicomweb/studies/${studyUID("95")}/series/2.25.2.95.1/instances/2.25.3.95.1.1`;
    const ask = () => t.call("GET", instance, { as: owner, headers: { accept: "application/dicom" } });
    const whole = await ask();
    expect([whole.status, (await whole.bytes()).length]).toEqual([
      200,
      Number(whole.headers.get("content-length")),
    ]);
    await asAfterStart({ isOldRelease: false });
    large?.flip(large.bytes.length - 100_000);
    const damaged = await ask();
    large?.restore();
    expect([damaged.status, (await problemOf(damaged)).code]).toEqual([500, "archive.damaged"]);
  });
});

test.each([false, true])(
  "an entry that has changed is not read over and over for parts of it (of an old release: %p)",
  async (isOldRelease) => {
    await asAfterStart({ isOldRelease });
    const object = await findStoredObject(t.deps.db, volume().id);
    if (!object) throw new Error("no volume");
    const file = sampleKinds().stored ?? new Uint8Array();
    const dataOffset = volume().bytes.indexOf(file);
    expect(dataOffset).toBeGreaterThan(0);
    const lengths = { sizeBytes: file.length, storedBytes: file.length };
    const entry: StoredEntry = { dataOffset, ...lengths, method: METHOD_STORED, crc32: crc32(file) };
    let opened = 0;
    const { store } = t.deps;
    const counting: ObjectStore = {
      ...store,
      open: (...range) => {
        opened++;
        return store.open(...range);
      },
    };
    volume().flip(dataOffset + 1_000);
    for (let n = 0; n < 4; n++) {
      const range = { offset: dataOffset + 900, length: 200 };
      const read = readObject({ ...t.deps, store: counting }, object, range, { entry });
      await expect(read).rejects.toBeInstanceOf(AppError);
    }
    volume().restore();
    // One of an old release has nothing else to be checked by.
    expect(opened).toBe(isOldRelease ? 4 : 1);
  },
);

describe("a download", () => {
  test("of a file that is damaged anywhere is refused before its first byte and costs nothing", async () => {
    const used = () =>
      t.call("GET", "/api/subscriptions/usage-stats", { as: owner }).then((answer) => answer.json());
    const before = await used();
    const { bytes, flip, restore } = volume();
    for (const at of [10, bytes.length >> 1, bytes.length - 10]) {
      await forget();
      await asAfterStart({ isOldRelease: false });
      flip(at);
      const answer = await t.call("GET", `/api/studies/${studyId}/download`, { as: owner });
      restore();
      expect([answer.status, (await problemOf(answer)).code]).toEqual([500, "archive.damaged"]);
    }
    expect(await used()).toEqual(before);
  });

  test("does not check a file again within a minute, unless the file was written to", async () => {
    await forget();
    await asAfterStart({ isOldRelease: false });
    const object = await findStoredObject(t.deps.db, volume().id);
    if (!object) throw new Error("no volume");
    const { store } = t.deps;
    let revision = "1";
    let scans = 0;
    const watched: ObjectStore = {
      ...store,
      revision: async () => revision,
      async *scan(...range) {
        scans++;
        yield* store.scan?.(...range) ?? [];
      },
    };
    const open = (trustsLastCheck: boolean) =>
      openObject(
        { ...t.deps, store: watched },
        object,
        { offset: 0, length: object.sizeBytes },
        { trustsLastCheck },
      );
    for (const [trustsLastCheck, scansAfter] of [
      [true, 1],
      [true, 1],
      [false, 2],
    ] as const) {
      await open(trustsLastCheck);
      expect(scans).toBe(scansAfter);
    }
    revision = "2";
    volume().flip(10);
    await expect(open(true)).rejects.toBeInstanceOf(AppError);
    volume().restore();
    expect(scans).toBe(3);
  });
});
