import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { unzipSync, zipSync } from "fflate";
import { salvageVolumes } from "../../../src/server/features/ingest/salvage-volumes.ts";
import type { NamedDamage } from "../../../src/server/features/studies/damaged-instances.ts";
import { listVolumes } from "../../../src/server/holdings/objects/stored-objects.repo.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createDiskRoom } from "../../../src/server/storage/disk/disk-room.ts";
import { uploadFloorOf } from "../../../src/server/storage/disk/disk-space.ts";
import { type ObjectStore, StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import type { KeptInstances } from "../../../src/shared/api/kept-instances.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import type { UploadAnswer } from "../../../src/shared/api/upload.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import {
  type Answer,
  packed,
  type RestingObject,
  readEverything,
  restingObjects,
  sampleKinds,
} from "../../support/app/damaged-study.ts";
import { stow } from "../../support/app/stow.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { tusOf } from "../../support/app/tus.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
const kinds = sampleKinds();
const zip = packed(kinds);
const TIB = 1024 ** 4;
let freeBytes = TIB;
const reserved: number[] = [];
beforeAll(async () => {
  const readSpace = async () => ({ freeBytes, sizeBytes: TIB });
  const disk = createDiskRoom({ spareBytes: 0, readSpace });
  const reserve = (bytes: number) => {
    reserved.push(bytes);
    return disk.reserve(bytes);
  };
  t = await createTestApp({ overrides: { disk: { ...disk, reserve } } });
  owner = await t.addPerson("Manda de Novo", { plan: "clinica" });
  await t.sql`update plans set download_delete_limit = 1000000`;
});
afterAll(() => t[Symbol.asyncDispose]());

async function listed(id: string): Promise<Study | undefined> {
  const answer = await t.call("GET", "/api/studies", { as: owner });
  return ((await answer.json()) as Study[]).find((study) => study.id === id);
}

/** A new sound study for each test, after deleting those of earlier tests. */
async function soundStudy(): Promise<{ id: string; sound: Map<string, Answer> }> {
  for (const { id } of (await (await t.call("GET", "/api/studies", { as: owner })).json()) as Study[]) {
    await t.call("DELETE", `/api/studies/${id}`, { as: owner });
  }
  const { studies } = await t.store(owner, zip);
  const id = studies[0]?.id ?? "";
  return { id, sound: await readEverything(t, owner, id) };
}

/** Reads everything, which finds the damage, and uploads the same again. */
async function healed(id: string, sent = zip): Promise<UploadAnswer> {
  await readEverything(t, owner, id);
  expect(["damaged", "missing"]).toContain((await listed(id))?.integrity ?? "");
  return await t.store(owner, sent);
}

async function expectSound(id: string, sound: Map<string, Answer>): Promise<void> {
  const now = await readEverything(t, owner, id);
  for (const [path, { status, bytes }] of sound) {
    if (path.includes("/download")) continue; // other entry names, the same instances
    expect(now.get(path)?.status, path).toBe(status);
    expect(now.get(path)?.bytes?.equals(bytes ?? Buffer.of()), path).toBe(true);
  }
  const download = await t.call("GET", `/api/studies/${id}/download`, { as: owner });
  const entries = Object.values(unzipSync(new Uint8Array(await download.arrayBuffer())));
  const hashes = (files: Uint8Array[]) => files.map((bytes) => Bun.hash(bytes)).sort();
  expect(hashes(entries)).toEqual(hashes(Object.values(kinds)));
}

const volumesOf = async (id: string) => (await restingObjects(t, id)).filter(({ kind }) => kind === "volume");

/** Changes a byte of each of these instances, which their volume holds as they came. */
function flipWithin(volume: RestingObject | undefined, ...instances: Uint8Array[]): void {
  const starts = instances.map((instance) => volume?.bytes.indexOf(instance) ?? -1);
  for (const at of starts) expect(at).toBeGreaterThan(0);
  volume?.flip(...starts.map((at) => at + 9_000));
}

/** SOP Instance UIDs of what is damaged, as the download and the list of what is kept tell alike. */
async function toldDamage(id: string): Promise<string[]> {
  const refused = await t.call("GET", `/api/studies/${id}/download`, { as: owner });
  const problem = (await refused.json()) as NamedDamage & { status: number; code: string };
  expect(problem).toMatchObject({ status: 500, code: "archive.damaged" });
  expect((await t.call("HEAD", `/api/studies/${id}/download`, { as: owner })).status).toBe(500);
  const told = problem.damaged.map(({ sopInstanceUID }) => sopInstanceUID ?? "").sort();
  expect(problem.damagedCount).toBe(told.length);
  const asked = await t.call("GET", `/api/studies/${id}/kept-instances`, { as: owner });
  const kept = (await asked.json()) as KeptInstances;
  expect(kept.damaged?.map(({ sopInstanceUID }) => sopInstanceUID).sort()).toEqual(told);
  expect(kept.instances.length + told.length).toBe((await listed(id))?.imagesReceived ?? 0);
  return told;
}

/** The ways in. */
const send = {
  form: async (instances: Record<string, Uint8Array>) => {
    await t.store(owner, packed(instances));
  },
  stow: async (instances: Record<string, Uint8Array>) => {
    expect((await stow(t, owner, Object.values(instances))).status).toBe(200);
  },
  tus: async (instances: Record<string, Uint8Array>) => {
    const tus = tusOf(t, owner);
    const bytes = packed(instances);
    const url = await tus.begin(bytes.length);
    await tus.patch(url, 0, bytes);
    expect((await tus.outcome(url)).state).toBe("done");
  },
};

describe("sending the same study again", () => {
  test("heals a study with a changed byte: everything reads as before, and no damage remains", async () => {
    const { id, sound } = await soundStudy();
    const [volume] = await volumesOf(id);
    volume?.flip(3000);
    const answer = await healed(id);
    expect(answer.studies).toMatchObject([{ id, imagesReceived: 0, duplicates: 6 }]);
    expect(await listed(id)).toMatchObject({ integrity: "ok", storageStatus: "b2", imagesReceived: 6 });
    const volumes = await volumesOf(id);
    expect(volumes.map((one) => one.id)).not.toContain(volume?.id ?? "");
    expect(volumes).toHaveLength(1);
    await expectSound(id, sound);
  });

  test("heals a study whose volume is gone, after a restart too", async () => {
    const { id, sound } = await soundStudy();
    (await volumesOf(id))[0]?.remove();
    await readEverything(t, owner, id);
    await using restarted = await t.startAgain();
    const listing = await restarted.app.request("/api/studies", {
      headers: { authorization: `Bearer ${owner.token}` },
    });
    expect((await listing.json()) as Study[]).toMatchObject([{ integrity: "missing" }]);
    await healed(id);
    expect(await listed(id)).toMatchObject({ integrity: "ok", storageStatus: "b2" });
    await expectSound(id, sound);
  });

  test("heals a study whose volume is gone or cut, which nobody noticed before, whichever way it comes", async () => {
    for (const [way, harm] of [
      ["form", "remove"],
      ["stow", "remove"],
      ["tus", "cut"],
    ] as const) {
      const { id, sound } = await soundStudy();
      (await volumesOf(id))[0]?.[harm](3000);
      await send[way](kinds);
      await t.settle();
      expect(await listed(id), way).toMatchObject({
        integrity: "ok",
        storageStatus: "b2",
        imagesReceived: 6,
      });
      await expectSound(id, sound);
    }
  });

  test("is asked for by who sends only what is missing, though nobody noticed that the volume is gone", async () => {
    const { id } = await soundStudy();
    const kept = async () =>
      (await (
        await t.call("GET", `/api/studies/${id}/kept-instances`, { as: owner })
      ).json()) as KeptInstances;
    expect((await kept()).instances).toHaveLength(6);
    (await volumesOf(id))[0]?.remove();
    const { isComplete, instances, damaged } = await kept();
    expect([isComplete, instances.length, damaged?.length]).toEqual([true, 0, 6]);
    await t.store(owner, zip);
    expect((await kept()).instances).toHaveLength(6);
  });

  test("has the store asked for one exam of an account at a time, which keeps no other account waiting", async () => {
    const { id } = await soundStudy();
    const [volume] = await volumesOf(id);
    const other = await t.addPerson("Também Pergunta", { plan: "clinica" });
    const { studies } = await t.store(other, zip);
    const kept = (as: Person, study = id) => t.call("GET", `/api/studies/${study}/kept-instances`, { as });
    const answered = Promise.withResolvers<void>();
    const asked: string[] = [];
    const { stat } = t.deps.store;
    t.deps.store.stat = async (key) => {
      if (key.includes(volume?.id ?? "no volume")) {
        asked.push(key);
        await answered.promise;
      }
      return await stat(key);
    };
    const own = [kept(owner), kept(owner), kept(owner)];
    for (let turn = 0; turn < 3; turn++) expect((await kept(other, studies[0]?.id)).status).toBe(200);
    expect(asked).toHaveLength(1);
    answered.resolve();
    expect((await Promise.all(own)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(asked).toHaveLength(3);
    t.deps.store.stat = stat;
    await t.call("DELETE", `/api/studies/${studies[0]?.id}`, { as: other });
  });

  test("asks the store for the volumes that hold what is sent, not for others, and goes on without its answer", async () => {
    const { stored = new Uint8Array(), ...others } = kinds;
    const { id, sound } = await soundStudy();
    const [volume] = await volumesOf(id);
    const asked: string[] = [];
    const { stat } = t.deps.store;
    t.deps.store.stat = async (key) => {
      if (!key.includes(volume?.id ?? "no volume")) return await stat(key);
      asked.push(key);
      throw new StoreUnavailable("it does not answer");
    };
    volume?.remove();
    expect((await t.upload(owner, zip)).status).toBe(201);
    expect(asked).toHaveLength(1);
    expect((await listed(id))?.integrity).not.toBe("missing");
    asked.length = 0;
    const beside = sampleFile({ [TagHex.StudyInstanceUID]: { vr: "UI", Value: ["2.25.1.1"] } });
    expect((await t.upload(owner, packed({ beside }))).status).toBe(201);
    expect(asked).toEqual([]);
    t.deps.store.stat = stat;
    await t.settle();

    expect((await t.store(owner, packed(others))).studies).toMatchObject([{ id, duplicates: 5 }]);
    expect((await listed(id))?.integrity).toBe("missing");
    expect((await t.store(owner, packed({ stored }))).studies).toMatchObject([{ id, duplicates: 1 }]);
    expect(await listed(id)).toMatchObject({ integrity: "ok", imagesReceived: 7 });
    for (const [path, { bytes }] of sound)
      if (path.includes("/frames/"))
        expect(
          (await readEverything(t, owner, id)).get(path)?.bytes?.equals(bytes ?? Buffer.of()),
          path,
        ).toBe(true);
  });

  test("heals a study whose manifest is damaged or gone", async () => {
    for (const harm of ["flip", "remove"] as const) {
      const { id, sound } = await soundStudy();
      const [manifest] = (await restingObjects(t, id)).filter(({ kind }) => kind === "manifest");
      manifest?.[harm](20);
      await using restarted = await t.startAgain();
      await readEverything(restarted, owner, id);
      await healed(id);
      expect(await listed(id)).toMatchObject({ integrity: "ok", imagesReceived: 6 });
      const now = await readEverything(t, owner, id);
      for (const [path, { bytes }] of sound) {
        if (!path.includes("/download"))
          expect(now.get(path)?.bytes?.equals(bytes ?? Buffer.of())).toBe(true);
      }
    }
  });

  test("keeps all bytes that were named only by a lost manifest", async () => {
    const { id } = await soundStudy();
    const { stored = new Uint8Array() } = kinds;
    const other = Buffer.from(stored);
    other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
    expect((await t.store(owner, packed({ stored: other }))).conflicts).toHaveLength(1);
    for (const object of await restingObjects(t, id)) if (object.kind === "manifest") object.flip(20);
    await using restarted = await t.startAgain();
    await readEverything(restarted, owner, id);
    await healed(id);
    const expectOther = async () => {
      expect((await listed(id))?.integrity).toBe("ok");
      const download = await t.call("GET", `/api/studies/${id}/download`, { as: owner });
      const entries = Object.values(unzipSync(new Uint8Array(await download.arrayBuffer())));
      expect(entries.some((bytes) => other.equals(bytes))).toBe(true);
    };
    await expectOther();
    // What took the place of the manifests may be damaged, too, and healed in its turn.
    const newest = (await volumesOf(id)).toSorted((a, b) => (a.id < b.id ? -1 : 1)).at(-1);
    newest?.flip(3000);
    await healed(id);
    expect((await volumesOf(id)).map((one) => one.id)).not.toContain(newest?.id ?? "");
    await expectOther();
  });

  test("in part heals the instances that were sent and leaves the rest marked", async () => {
    const { id } = await soundStudy();
    (await volumesOf(id))[0]?.flip(3000);
    const { deflated, frames } = kinds;
    await healed(id, packed({ deflated, frames } as Record<string, Uint8Array>));
    expect((await listed(id))?.integrity).toBe("damaged");
    await healed(id);
    expect((await listed(id))?.integrity).toBe("ok");
  });

  test("of one instance heals the study if that was all that was damaged, whichever way it comes", async () => {
    const { stored = new Uint8Array() } = kinds;
    for (const way of ["form", "stow", "tus"] as const) {
      const { id, sound } = await soundStudy();
      flipWithin((await volumesOf(id))[0], stored);
      await readEverything(t, owner, id);
      expect((await listed(id))?.integrity).toBe("damaged");
      await send[way]({ stored });
      await t.settle();
      expect(await listed(id), way).toMatchObject({ integrity: "ok", imagesReceived: 6 });
      expect(await volumesOf(id)).toHaveLength(1);
      await expectSound(id, sound);
    }
  });

  test("one damaged instance after the other heals the study with the last", async () => {
    const { stored = new Uint8Array(), encapsulated = new Uint8Array(), frames = new Uint8Array() } = kinds;
    const { id, sound } = await soundStudy();
    const damaged = { stored, encapsulated, frames };
    flipWithin((await volumesOf(id))[0], ...Object.values(damaged));
    const left = new Map(Object.entries({ stored: "1.1", encapsulated: "3.1", frames: "2.1" }));
    for (const [name, bytes] of Object.entries(damaged)) {
      await readEverything(t, owner, id);
      expect((await listed(id))?.integrity).toBe("damaged");
      const uids = [...left.values()].map((number) => `2.25.3.1.${number}`);
      // What shares a piece of 64 KiB with a wrong byte is not shown either.
      const told = await toldDamage(id);
      expect(uids.filter((uid) => !told.includes(uid))).toEqual([]);
      left.delete(name);
      await t.store(owner, packed({ [name]: bytes }));
    }
    expect((await listed(id))?.integrity).toBe("ok");
    await expectSound(id, sound);
  });

  test("one damaged instance after the other heals the study of a full plan, whose volume is copied with the last alone", async () => {
    const { stored = new Uint8Array(), encapsulated = new Uint8Array(), frames = new Uint8Array() } = kinds;
    const { id, sound } = await soundStudy();
    const damaged = { stored, encapsulated, frames };
    const [volume] = await volumesOf(id);
    flipWithin(volume, ...Object.values(damaged));
    await readEverything(t, owner, id);
    const [rested] = await t.sql`select sum(size_bytes)::int as bytes from stored_objects`;
    const [before] = await t.sql`select storage_bytes from plans where slug = 'clinica'`;
    await t.sql`update plans set storage_bytes = ${rested?.bytes} where slug = 'clinica'`;
    const copies: number[] = [];
    try {
      for (const [name, bytes] of Object.entries(damaged)) {
        reserved.length = 0;
        await t.store(owner, packed({ [name]: bytes }));
        copies.push(reserved.filter((bytes) => bytes >= 2 * (volume?.bytes.length ?? 0)).length);
      }
      const more = await t.upload(owner, sampleZip({ study: "9" }));
      expect([more.status, (await problemOf(more)).code]).toEqual([403, "quota.bytes"]);
    } finally {
      await t.sql`update plans set storage_bytes = ${before?.storage_bytes} where slug = 'clinica'`;
    }
    expect(copies).toEqual([0, 0, 1]);
    expect((await listed(id))?.integrity).toBe("ok");
    await expectSound(id, sound);
  });

  test("is told what is damaged, before a byte of a download of several volumes is sent or counted", async () => {
    const far = (number: string, byte: number) =>
      sampleFile({
        [TagHex.StudyInstanceUID]: { vr: "UI", Value: ["2.25.1.1"] },
        [TagHex.SeriesInstanceUID]: { vr: "UI", Value: ["2.25.2.1.9"] },
        [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.3.1.9.${number}`] },
        [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(800_000).fill(byte) },
      });
    const { id } = await soundStudy();
    const [first, middle, last] = [far("1", 1), far("2", 2), far("3", 3)];
    await t.store(owner, zipSync({ first, middle, last }, { level: 0 }));
    const volume = (await volumesOf(id)).find(({ bytes }) => bytes.includes(middle));
    volume?.flip(volume.bytes.indexOf(middle) + 400_000);
    const instance = "/dicomweb/studies/2.25.1.1/series/2.25.2.1.9/instances/2.25.3.1.9.2";
    const headers = { accept: "application/dicom" };
    expect((await t.call("GET", instance, { as: owner, headers })).status).toBe(500);
    const used = async () =>
      await (await t.call("GET", "/api/subscriptions/usage-stats", { as: owner })).json();
    const before = await used();
    expect(await toldDamage(id)).toEqual(["2.25.3.1.9.2"]);
    expect(await used()).toEqual(before);
    await t.store(owner, zipSync({ middle }, { level: 0 }));
    expect((await listed(id))?.integrity).toBe("ok");
    const download = await t.call("GET", `/api/studies/${id}/download`, { as: owner });
    expect(Object.keys(unzipSync(new Uint8Array(await download.arrayBuffer())))).toHaveLength(9);
  });

  test("heals damage outside of every instance with any of them", async () => {
    const { deflated = new Uint8Array() } = kinds;
    const { id, sound } = await soundStudy();
    const [volume] = await volumesOf(id);
    volume?.flip(volume.bytes.length - 30);
    await healed(id, packed({ deflated }));
    expect((await listed(id))?.integrity).toBe("ok");
    await expectSound(id, sound);
  });

  test("takes over what is left of a volume that was cut, once the rest has come", async () => {
    const { deflatedDataSet = new Uint8Array(), bulk = new Uint8Array() } = kinds;
    const { id, sound } = await soundStudy();
    const [volume] = await volumesOf(id);
    volume?.cut(volume.bytes.length - 17_000);
    await healed(id, packed({ bulk }));
    expect((await listed(id))?.integrity).toBe("damaged");
    await healed(id, packed({ deflatedDataSet }));
    expect((await listed(id))?.integrity).toBe("ok");
    await expectSound(id, sound);
  });

  test("takes over what is right of a volume with more behind it than any disk has room for", async () => {
    const { stored = new Uint8Array() } = kinds;
    const { id, sound } = await soundStudy();
    const [volume] = await volumesOf(id);
    flipWithin(volume, stored);
    volume?.stretch(8 * TIB);
    await healed(id, packed({ stored }));
    expect((await listed(id))?.integrity).toBe("ok");
    await expectSound(id, sound);
  });

  test("is kept where the disk has no room for what is left of the volume", async () => {
    const { stored = new Uint8Array(), deflated = new Uint8Array() } = kinds;
    const { id, sound } = await soundStudy();
    const [volume] = await volumesOf(id);
    flipWithin(volume, stored);
    await readEverything(t, owner, id);
    const floorBytes = uploadFloorOf({ sizeBytes: TIB });
    // Enough to copy it once, and it has to be written once more.
    freeBytes = floorBytes + (volume?.bytes.length ?? 0) + 5_000;
    try {
      const answer = await t.upload(owner, packed({ stored }));
      expect(answer.status).toBe(201);
    } finally {
      freeBytes = TIB;
    }
    await t.settle();
    expect((await listed(id))?.integrity).toBe("damaged");
    await healed(id, packed({ deflated }));
    expect((await listed(id))?.integrity).toBe("ok");
    await expectSound(id, sound);
  });

  test("heals a study of a plan that is full, whole or by one instance, and takes nothing new there", async () => {
    const { stored = new Uint8Array(), deflated = new Uint8Array() } = kinds;
    for (const sent of [kinds, { stored }, { deflated }] as Record<string, Uint8Array>[]) {
      const { id, sound } = await soundStudy();
      const [volume] = await volumesOf(id);
      volume?.flip(volume.bytes.length - 30);
      const [rested] = await t.sql`select sum(size_bytes)::int as bytes from stored_objects`;
      const [before] = await t.sql`select storage_bytes from plans where slug = 'clinica'`;
      await t.sql`update plans set storage_bytes = ${rested?.bytes} where slug = 'clinica'`;
      try {
        await healed(id, packed(sent));
        const more = await t.upload(owner, sampleZip({ study: "9" }));
        expect([more.status, (await problemOf(more)).code]).toEqual([403, "quota.bytes"]);
      } finally {
        await t.sql`update plans set storage_bytes = ${before?.storage_bytes} where slug = 'clinica'`;
      }
      expect((await listed(id))?.integrity).toBe("ok");
      await expectSound(id, sound);
    }
  });

  test("changes nothing if the study is sound", async () => {
    const { id } = await soundStudy();
    const before = await restingObjects(t, id);
    const { studies } = await t.store(owner, zip);
    expect(studies).toMatchObject([{ imagesReceived: 0, duplicates: 6 }]);
    expect((await restingObjects(t, id)).map((object) => object.id)).toEqual(before.map(({ id }) => id));
  });
});

test("what came of a volume that can't be read to its end leaves no room taken, and nothing is read for a sender who left", async () => {
  const { id } = await soundStudy();
  const [volume] = (await listVolumes(t.deps.db, id)).slice(0, 1);
  if (!volume) throw new Error("there is no volume");
  await using folder = createTempFolder();
  const salvaged = async (signal: AbortSignal, read?: () => Promise<Uint8Array>) => {
    const store: ObjectStore = Object.assign(Object.create(t.deps.store), read && { read });
    const log = createLogger({ level: "error", write: () => {} });
    const options = { besideBytes: 0, signal };
    return await salvageVolumes({ ...t.deps, store, log }, folder.path, [volume], options);
  };
  const { signal } = new AbortController();
  const broken = async () => Promise.reject(new StoreUnavailable("the connection broke"));
  expect(await salvaged(signal, broken)).toEqual([]);
  await expect(salvaged(AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  expect(readdirSync(folder.path)).toEqual([]);
  expect(await salvaged(signal)).toMatchObject([{ sizeBytes: volume.sizeBytes }]);
});
