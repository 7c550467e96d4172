import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { statfsSync, statSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UploadRoom } from "../../../src/server/features/ingest/upload-room.ts";
import { createDiskRoom } from "../../../src/server/storage/disk/disk-room.ts";
import { spaceOf } from "../../../src/server/storage/disk/disk-space.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { restingObjects } from "../../support/app/damaged-study.ts";
import { serveApp, uploadRaw } from "../../support/app/raw-upload.ts";
import { limitStorage } from "../../support/app/storage-quota.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { tusOf } from "../../support/app/tus.ts";
import { filesBelow } from "../../support/program/stored-bytes.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
import { sampleInstance, sampleZip } from "../../support/zip/sample-zip.ts";
import { writeTestZip } from "../../support/zip/zip-archive.ts";
import { attachReport, sendLabExam } from "../removals/filled-account.ts";

const MIB = 1024 * 1024;
const SPARE = 4 * MIB;
const ENDLESS = 1e15;

let t: TestApp;
let server: ReturnType<typeof serveApp>;
/** Free bytes of the disk, for this test. */
let freeBytes = ENDLESS;
/** The least that was free whenever the server asked, in this test. */
let leastFreeBytes = ENDLESS;
/** 0 for a disk so small that uploads leave only the spare. */
let sizeBytes = 0;
let person: Person;
beforeAll(async () => {
  const readSpace = async () => {
    const leftBytes = freeBytes - stagedBytes();
    leastFreeBytes = Math.min(leastFreeBytes, leftBytes);
    return { freeBytes: leftBytes, sizeBytes };
  };
  t = await createTestApp({ overrides: { disk: createDiskRoom({ spareBytes: SPARE, readSpace }) } });
  server = serveApp(t);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await t[Symbol.asyncDispose]();
});
beforeEach(async () => {
  // What a test before this one uploaded is staged until it is transferred.
  await t.settle();
  freeBytes = ENDLESS;
  leastFreeBytes = ENDLESS;
  sizeBytes = 0;
  person = await t.addPerson("Envia Muito", { plan: "clinica" });
});

function stagedBytes(): number {
  const folder = join(t.deps.config.dataDir, "staging");
  return [...filesBelow(folder)].reduce((sum, path) => {
    const stat = statSync(join(folder, path), { throwIfNoEntry: false });
    return sum + (stat?.size ?? 0);
  }, 0);
}

const staged = async () =>
  (await readdir(join(t.deps.config.dataDir, "staging"))).filter((name) => !name.startsWith("~"));

/** Bytes that no ZIP begins with, piece by piece. */
function* noise(bytes: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes; at += MIB) yield new Uint8Array(Math.min(MIB, bytes - at)).fill(7);
}

/** An instance of many frames of zeros only, deflated in its ZIP. */
function deflatedFrames(frames: number, study = "1", sop = "1"): Uint8Array {
  const pixels = new Uint8Array(frames * 512 * 512);
  const content = sampleInstance({
    study,
    sop,
    elements: {
      [TagHex.NumberOfFrames]: { vr: "IS", Value: [frames] },
      [TagHex.Rows]: { vr: "US", Value: [512] },
      [TagHex.Columns]: { vr: "US", Value: [512] },
      [TagHex.BitsAllocated]: { vr: "US", Value: [8] },
      [TagHex.PixelData]: { vr: "OW", bytes: pixels },
    },
  });
  return writeTestZip([{ name: "IM1", content, method: 8 }]);
}

/** As large as its pixels are. */
function zipOf(study: string, bytes: number): Uint8Array {
  const pixels = new Uint8Array(bytes).fill(3);
  const content = sampleInstance({ study, elements: { [TagHex.PixelData]: { vr: "OW", bytes: pixels } } });
  return writeTestZip([{ name: "IM1", content, method: 0 }]);
}

describe("a disk that is nearly full", () => {
  test("refuses an upload with a length before any of it is read", async () => {
    freeBytes = SPARE + 10 * MIB;
    const answer = await uploadRaw(server.port, person, [], 11 * MIB);
    expect([answer.status, answer.sentBytes]).toEqual([507, 0]);
    expect(JSON.parse(answer.body)).toMatchObject({
      code: "storage.full",
      message: "There is no space left for this upload. Nothing was stored.",
    });
  });

  test("refuses a chunked upload, which has no length, as soon as there is no room", async () => {
    freeBytes = SPARE + 80 * MIB;
    const answer = await uploadRaw(server.port, person, noise(200 * MIB));
    expect(JSON.parse(answer.body).code).toBe("storage.full");
    // The sockets hold more than the server has taken, so what was sent says little.
    expect(answer.sentBytes).toBeLessThan(200 * MIB);
    expect(leastFreeBytes).toBeWithin(SPARE, 2 * SPARE);
    expect(await staged()).toEqual([]);
  });

  test("reserves no room twice: only as many concurrent uploads begin as fit together", async () => {
    freeBytes = SPARE + 35 * MIB;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let refused = 0;
    const answers = Promise.all(
      Array.from({ length: 10 }, () => {
        const body = new ReadableStream<Uint8Array>({
          async pull(controller) {
            await held;
            controller.close();
          },
        });
        const headers = {
          "content-type": "multipart/form-data; boundary=edge",
          "content-length": `${10 * MIB}`,
        };
        return t.call("POST", "/api/upload-dicom", { as: person, body, headers });
      }).map(async (answer) => {
        const { status } = await answer;
        if (status === 507) refused++;
        return status;
      }),
    );
    await until(async () => (await staged()).length === 3);
    const late = await t.upload(person, new Uint8Array(6 * MIB));
    expect(late.status).toBe(507);
    await until(() => refused === 7);
    release();
    expect((await answers).sort()).toEqual([400, 400, 400, ...Array(7).fill(507)]);
    expect((await t.upload(person, sampleZip({ study: "800" }))).status).toBe(201);
  });

  test("has room for others while trial accounts announce large uploads and send nothing", async () => {
    freeBytes = SPARE + 35 * MIB;
    const trial = await t.addPerson("Nada Envia", { plan: "avaliacao" });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const answers = Array.from({ length: 3 }, () => {
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await held;
          controller.close();
        },
      });
      const headers = {
        "content-type": "multipart/form-data; boundary=edge",
        "content-length": `${10 * MIB}`,
      };
      return t.call("POST", "/api/upload-dicom", { as: trial, body, headers });
    });
    await until(async () => (await staged()).length === 3);
    expect((await t.upload(person, zipOf("810", 6 * MIB))).status).toBe(201);
    release();
    for (const answer of answers) expect((await answer).status).toBe(400);
  });

  test("has room for others while trial accounts begin large uploads in pieces and send nothing", async () => {
    freeBytes = SPARE + 35 * MIB;
    const trial = tusOf(t, await t.addPerson("Nada Manda", { plan: "avaliacao" }));
    const paying = tusOf(t, person);
    for (let n = 0; n < 3; n++) await trial.begin(10 * MIB);
    const begun = [await paying.begin(20 * MIB)];
    expect((await paying.create(20 * MIB)).status).toBe(507);
    t.advance(3600_000 + 1);
    begun.push(await paying.begin(20 * MIB));
    for (const url of begun) await paying.end(url);
  });

  test("has room for others once a paying account sends too slowly to finish within an hour", async () => {
    freeBytes = SPARE + 35 * MIB;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: minuteIsOver, resolve: passMinute } = Promise.withResolvers<void>();
    const answers = Array.from({ length: 3 }, () => {
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          const head = '--edge\r\ncontent-disposition: form-data; name="zipFile"; filename="a.zip"\r\n\r\n';
          controller.enqueue(new TextEncoder().encode(head));
          await minuteIsOver;
          controller.enqueue(new Uint8Array(64 * 1024));
          await held;
          controller.close();
        },
      });
      const headers = {
        "content-type": "multipart/form-data; boundary=edge",
        "content-length": `${10 * MIB}`,
      };
      return t.call("POST", "/api/upload-dicom", { as: person, body, headers });
    });
    await until(async () => (await staged()).length === 3);
    const other = await t.addPerson("Precisa De Lugar");
    expect((await t.upload(other, zipOf("820", 6 * MIB))).status).toBe(507);
    t.advance(70_000);
    passMinute();
    let status = 507;
    for (let tries = 0; status === 507 && tries < 100; tries++)
      ({ status } = await t.upload(other, zipOf("820", 6 * MIB)));
    expect(status).toBe(201);
    release();
    for (const answer of answers) expect((await answer).status).toBe(400);
  });

  test("stays promised to a fast body whose hour the clock skipped", async () => {
    freeBytes = SPARE + 30 * MIB;
    using room = await UploadRoom.open(t.deps, { userId: person.id, role: "user" }, 20 * MIB, {
      isTrial: false,
    });
    t.setClock(2 * 3600_000);
    room.countReceived(10 * MIB);
    t.setClock(-2 * 3600_000);
    const other = await t.addPerson("Outra Pessoa");
    expect((await t.upload(other, zipOf("821", 12 * MIB))).status).toBe(507);
  });

  test("refuses an upload that outgrows it when inflated, and keeps nothing", async () => {
    for (const frames of [40, 160]) {
      freeBytes = SPARE + 5 * MIB;
      const answer = await t.upload(person, deflatedFrames(frames));
      expect([answer.status, (await problemOf(answer)).code]).toEqual([507, "storage.full"]);
      expect(await staged()).toEqual([]);
    }
    freeBytes = ENDLESS;
    expect((await t.upload(person, deflatedFrames(40))).status).toBe(201);
  });

  test("refuses laudos and lab exams", async () => {
    const { studies } = await t.store(person, sampleZip({ study: "801" }));
    freeBytes = SPARE;
    for (const answer of [
      await attachReport(t, person, studies[0]?.id ?? ""),
      await sendLabExam(t, person),
    ]) {
      expect([answer.status, (await problemOf(answer)).code]).toEqual([507, "storage.full"]);
    }
  });

  test("is reported by the server's health, which ignores reserved room", async () => {
    const health = async () => {
      const answer = await t.call("GET", "/api/health");
      return [answer.status, ((await answer.json()) as { disk: boolean }).disk];
    };
    freeBytes = SPARE - 1;
    await within(async () => expect(await health()).toEqual([503, false]));
    freeBytes = SPARE + 1;
    using _promised = await t.deps.disk.reserve(1);
    await within(async () => expect(await health()).toEqual([200, true]));
  });
});

/** A check is shared for some moments. */
async function within(expectation: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await expectation();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await Bun.sleep(50);
    }
  }
}

const isPrivileged = process.getuid?.() === 0;

test.if(isPrivileged)(
  "a real small disk stays usable when uploads fill it",
  async () => {
    await using folder = createTempFolder();
    const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=24m", "none", folder.path]);
    if (mounted.exitCode !== 0) return;
    try {
      const readSpace = () => spaceOf(folder.path);
      await using small = await createTestApp({
        env: { DATA_DIR: folder.path },
        overrides: { disk: createDiskRoom({ spareBytes: 2 * MIB, readSpace }) },
      });
      await using serving = serveApp(small);
      const sender = await small.addPerson("Disco Cheio");
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => uploadRaw(serving.port, sender, noise(12 * MIB))),
      );
      // Uploads that have room are read, and fail because they are not ZIPs.
      const statuses = new Set(answers.map(({ status }) => status));
      expect(statuses.has(507)).toBe(true);
      expect(statuses.difference(new Set([422, 507])).size).toBe(0);
      expect((await small.upload(sender, sampleZip({ study: "1" }))).status).toBe(201);
      await small.settle();
      await writeFile(join(folder.path, "filler"), new Uint8Array((await readSpace()).freeBytes - MIB));
      expect((await problemOf(await small.upload(sender, sampleZip({ study: "2" })))).code).toBe(
        "storage.full",
      );
      expect((await small.call("GET", "/api/health")).status).toBe(503);
      expect(statfsSync(folder.path).bavail).toBeGreaterThan(0);
    } finally {
      Bun.spawnSync(["umount", "-l", folder.path]);
    }
  },
  240_000,
);

describe("a plan that is nearly full", () => {
  test("refuses an upload that can't fit before any of it is read", async () => {
    await limitStorage(t, person, 5 * MIB);
    const answer = await uploadRaw(server.port, person, [], 8 * MIB);
    expect([answer.status, answer.sentBytes]).toEqual([403, 0]);
    expect(JSON.parse(answer.body).code).toBe("quota.bytes");
  });

  test("refuses a chunked upload once it has sent more than there is room for", async () => {
    await limitStorage(t, person, 5 * MIB);
    const answer = await uploadRaw(server.port, person, noise(200 * MIB));
    expect(JSON.parse(answer.body).code).toBe("quota.bytes");
    expect(answer.sentBytes).toBeLessThan(60 * MIB);
    expect(await staged()).toEqual([]);
  });

  test("refuses frames that take more room at rest than in their ZIP before they are written", async () => {
    await limitStorage(t, person, 5 * MIB);
    const folder = join(t.deps.config.dataDir, "objects");
    const before = await readdir(folder);
    // Some are inflated in memory, others into a file.
    for (const frames of [40, 160]) {
      const zip = deflatedFrames(frames);
      expect(zip.length).toBeLessThan(0.2 * MIB);
      const answer = await t.upload(person, zip);
      expect([answer.status, (await problemOf(answer)).code]).toEqual([403, "quota.bytes"]);
    }
    expect(await staged()).toEqual([]);
    expect(await readdir(folder)).toEqual(before);
  });

  test("accepts a study that it already has, even without room for a second copy", async () => {
    const zip = deflatedFrames(40);
    await t.store(person, zip);
    await limitStorage(t, person, 15 * MIB);
    const again = await t.upload(person, zip);
    expect([again.status, (await again.json()).instancesReceived]).toEqual([201, 0]);
  });

  test("accepts a body larger than its room if it heals a damaged study", async () => {
    const zip = zipOf("950", 6 * MIB);
    const { studies } = await t.store(person, zip);
    const id = studies[0]?.id ?? "";
    await limitStorage(t, person, 7 * MIB);
    expect((await t.upload(person, zip)).status).toBe(403);
    const volume = (await restingObjects(t, id)).find(({ kind }) => kind === "volume");
    volume?.flip(3 * MIB);
    const download = await t.call("GET", `/api/studies/${id}/download`, { as: person });
    await download.arrayBuffer().catch(() => undefined);
    const other = await t.upload(person, zipOf("951", 6 * MIB));
    expect([other.status, (await problemOf(other)).code]).toEqual([403, "quota.bytes"]);
    expect((await t.store(person, zip)).studies).toMatchObject([{ duplicates: 1 }]);
    const [study] = await t.sql`select integrity from studies where id = ${id}`;
    expect(study?.integrity).toBe("ok");
    const pieces = [new Uint8Array(6 * MIB).fill(7)];
    const late = await uploadRaw(server.port, person, pieces);
    expect(JSON.parse(late.body).code).toBe("quota.bytes");
  });

  test("counts the sum of concurrent uploads while they are under way", async () => {
    await limitStorage(t, person, 25 * MIB);
    const zips = Array.from({ length: 8 }, (_, n) => deflatedFrames(40, `${900 + n}`));
    const answers = await Promise.all(zips.map((zip) => t.upload(person, zip)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, ...Array(6).fill(403)]);
  });
});
