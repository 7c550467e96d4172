import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, utimes } from "node:fs/promises";
import { holdDeletions } from "../../../src/server/holdings/deletion-hold.repo.ts";
import {
  endDeadUploads,
  keepOnly,
  sweepUploads,
} from "../../../src/server/holdings/sweeping/sweep-uploads.ts";
import { removeAbandonedBytes } from "../../../src/server/holdings/uploads/abandon-upload.ts";
import { endUpload, insertUpload } from "../../../src/server/holdings/uploads/uploads.repo.ts";
import { importDirOf } from "../../../src/server/nodes/node.ts";
import { holdNode } from "../../../src/server/nodes/node-hold.repo.ts";
import { markNodeSwept, recordBeat } from "../../../src/server/nodes/nodes.repo.ts";
import { createDiskStore } from "../../../src/server/storage/disk/disk-store.ts";
import { type ObjectStore, StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import { filesBelow } from "../../support/program/stored-bytes.ts";
import { startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

/** A store that can be cut off, as S3 is by a broken line. */
function cuttable(store: ObjectStore): { store: ObjectStore; line: { isCut: boolean } } {
  const line = { isCut: false };
  const assertReached = () => {
    if (line.isCut) throw new StoreUnavailable("cut off");
  };
  const list: ObjectStore["list"] = async function* (prefix) {
    assertReached();
    yield* store.list(prefix);
  };
  const sweepUnfinished: ObjectStore["sweepUnfinished"] = async (olderThan, ours) => {
    assertReached();
    return await store.sweepUnfinished(olderThan, ours);
  };
  return { store: { ...store, list, sweepUnfinished }, line };
}

/** The remains of an upload killed before its commit: a row, a folder, and with ACK=store copies. */
async function leaveDeadUpload(t: TestApp): Promise<string> {
  const id = Bun.randomUUIDv7();
  const { node, db, clock } = t.deps;
  const bootId = Bun.randomUUIDv7();
  await insertUpload(db, {
    id,
    accountId: Bun.randomUUIDv7(),
    nodeId: node.id,
    bootId,
    state: "receiving",
    startedAt: clock.now(),
  });
  await mkdir(node.stagedPath(id), { recursive: true });
  await Bun.write(`${node.stagedPath(id)}/spool.zip`, "half a ZIP");
  await t.deps.store.putBytes(`${id}/a.zip`, new Uint8Array(10));
  return id;
}

test("the only copy of an acknowledged exam stays when the database falls back to a state before it during a sweep", async () => {
  await using t = await createTestApp({ jobs: false });
  const ana = await t.addPerson("Ana");
  expect((await t.upload(ana, sampleZip({ study: "90" }))).status).toBe(201);
  const staged = await filesBelow(t.deps.node.stagingDir);
  expect(staged).not.toEqual([]);
  // As a failover to a standby that lags: the sweep has seen the upload, and waits for what it stored.
  let sweeping: Promise<void> | undefined;
  await t.sql.begin(async (tx) => {
    await tx`lock table stored_objects in access exclusive mode`;
    sweeping = sweepUploads(t.deps);
    await until(async () => {
      const waiting =
        await tx`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      return waiting.length > 0;
    });
    await tx`set local session_replication_role = replica`;
    await tx`delete from stored_objects`;
    await tx`delete from uploads`;
  });
  await sweeping;
  expect(await filesBelow(t.deps.node.stagingDir)).toEqual(staged);
});

describe("the remains of a killed upload", () => {
  test("do not keep the server from starting while the store is out of reach, and are removed once it is back", async () => {
    await using folder = createTempFolder();
    const inner = createDiskStore({ root: folder.path });
    const { store, line } = cuttable(inner);
    await using t = await createTestApp({ jobs: false, env: { ACK: "store" }, overrides: { store } });
    const id = await leaveDeadUpload(t);
    line.isCut = true;
    await endDeadUploads(t.deps);
    await sweepUploads(t.deps);
    // This disk needs no store to be free again.
    expect(existsSync(t.deps.node.stagedPath(id))).toBe(false);
    expect(await Array.fromAsync(inner.list(""))).not.toEqual([]);
    line.isCut = false;
    await sweepUploads(t.deps);
    expect(await Array.fromAsync(inner.list(""))).toEqual([]);
  });

  test("are removed even if the store comes back after more than a month", async () => {
    await using folder = createTempFolder();
    const inner = createDiskStore({ root: folder.path });
    const { store, line } = cuttable(inner);
    await using t = await createTestApp({ jobs: false, env: { ACK: "store" }, overrides: { store } });
    await leaveDeadUpload(t);
    line.isCut = true;
    await endDeadUploads(t.deps);
    t.advance(31 * 24 * 3600_000);
    await sweepUploads(t.deps);
    line.isCut = false;
    await sweepUploads(t.deps);
    expect(await Array.fromAsync(inner.list(""))).toEqual([]);
    expect(await t.sql`select id from uploads`).toHaveLength(0);
  });

  test("are removed at the next start; what is under way, committed or of another node stays", async () => {
    await using t = await createTestApp({ jobs: false, env: { ACK: "store" } });
    const person = await t.addPerson("Fica Guardado");
    expect((await t.upload(person, sampleZip({ study: "1" }))).status).toBe(201);
    const [committed] = await t.sql`select id from uploads where state = 'committed'`;
    const objects = () => [...filesBelow(`${t.deps.config.dataDir}/objects`)];
    const kept = objects();
    const dead = await leaveDeadUpload(t);
    const { node, db, clock } = t.deps;
    const begin = async (nodeId: string) => {
      const id = Bun.randomUUIDv7();
      const row = { id, accountId: person.id, nodeId, bootId: node.bootId, startedAt: clock.now() };
      await insertUpload(db, { ...row, state: "receiving" });
      await Bun.write(`${node.stagedPath(id)}/a.zip`, "bytes");
      return id;
    };
    const [alive, foreign] = [await begin(node.id), await begin("another")];
    await endUpload(db, foreign, "committed", clock.now());
    await endDeadUploads(t.deps);
    await sweepUploads(t.deps);
    await removeAbandonedBytes(t.deps, committed?.id, new AbortController().signal);
    expect(existsSync(node.stagedPath(dead))).toBe(false);
    for (const id of [alive, foreign]) expect(existsSync(`${node.stagedPath(id)}/a.zip`)).toBe(true);
    expect(objects()).toEqual(kept);
  });

  test("include half-made copies on this disk, which are removed at the next start", async () => {
    await using t = await createTestApp({ jobs: false });
    const unfinished = `${t.deps.config.dataDir}/objects/~unfinished`;
    await Bun.write(`${unfinished}/${t.deps.node.startedAt.getTime() - 1000}-${crypto.randomUUID()}`, "half");
    await sweepUploads(t.deps);
    expect(await readdir(unfinished)).toEqual([]);
    // An import that was killed beside this process left one, which this process sweeps a day later.
    await Bun.write(`${unfinished}/${Date.now() + 1000}-${crypto.randomUUID()}`, "half");
    await sweepUploads(t.deps);
    expect(await readdir(unfinished)).toHaveLength(1);
    t.advance(25 * 3600_000);
    await sweepUploads(t.deps);
    expect(await readdir(unfinished)).toEqual([]);
  });

  test("include the pixels that it wrote for another process, within two hours", async () => {
    await using t = await createTestApp({ jobs: false });
    const folder = `${t.deps.config.dataDir}/scratch`;
    const [left, used] = [`${folder}/${crypto.randomUUID()}`, t.deps.scratch.place()];
    await Bun.write(left, "pixels");
    await Bun.write(used.path, "pixels");
    const killedAt = t.deps.clock.now();
    await utimes(left, killedAt, killedAt);
    await sweepUploads(t.deps);
    expect(existsSync(left)).toBe(true);
    t.advance(61 * 60_000);
    await utimes(used.path, t.deps.clock.now(), t.deps.clock.now());
    await sweepUploads(t.deps);
    expect(existsSync(left)).toBe(false);
    expect(existsSync(used.path)).toBe(true);
  });

  test("include the files of a killed import, once it counts as a dead node", async () => {
    await using t = await createTestApp({ jobs: false });
    const { db, config } = t.deps;
    const id = crypto.randomUUID();
    const folder = importDirOf(config.dataDir);
    const left = `${folder}/staging/${crypto.randomUUID()}/spool.zip`;
    const pixels = `${folder}/scratch/${crypto.randomUUID()}`;
    await Bun.write(`${folder}/node-id`, `${id}\n`);
    await Bun.write(left, "half");
    await Bun.write(pixels, "pixels");
    await recordBeat(db, { id, bootId: "1", platform: "", version: "", disk: undefined, pauseSeconds: 90 });
    await sweepUploads(t.deps);
    expect(existsSync(left)).toBe(true);
    await db.transaction((tx) => markNodeSwept(tx, id));
    // While another import runs, its files are its own.
    const hold = await holdNode(config.databaseUrl ?? "", id);
    await sweepUploads(t.deps);
    expect(existsSync(left) && existsSync(pixels)).toBe(true);
    await hold?.[Symbol.asyncDispose]();
    await sweepUploads(t.deps);
    expect(existsSync(left) || existsSync(pixels)).toBe(false);
  });
});

test("staged bytes that an upload replaced stay while a backup may read them", async () => {
  await using t = await createTestApp({ jobs: false });
  const person = await t.addPerson("Cresce Durante");
  const isReplacedThere = async (sop: string) => {
    const [before] = await t.sql`select key from stored_objects where kind = 'manifest'`;
    expect((await t.upload(person, sampleZip({ study: "1", sop }))).status).toBe(201);
    await sweepUploads(t.deps);
    return existsSync(t.deps.node.stagedPath(String(before?.key)));
  };
  await t.upload(person, sampleZip({ study: "1" }));
  {
    await using _ = await holdDeletions(t.deps.config.databaseUrl ?? "");
    expect(await isReplacedThere("2")).toBe(true);
  }
  expect(await isReplacedThere("3")).toBe(false);
});

test("a folder that its transfer takes away while it is swept is no failure", async () => {
  await using folder = createTempFolder();
  await keepOnly(`${folder.path}/gone`, new Set(["a.zip"]));
  await expect(keepOnly(`${folder.path}/gone\0`, new Set())).rejects.toThrow();
});

test("the sweep of a shared bucket aborts old multipart uploads that this database names, and nobody else's", async () => {
  await using server = await startFaultyS3Server();
  const store = createS3Store(server.options);
  await using t = await createTestApp({ jobs: false, env: { ACK: "store" }, overrides: { store } });
  const dead = await leaveDeadUpload(t);
  const begin = (key: string) =>
    server.bucket.uploads.set(key, { key, begunAt: new Date(Date.now() - 25 * 3600_000), parts: new Map() });
  const others = [`${Bun.randomUUIDv7()}/volume.zip`, "backup/of/another/product", "not-a-folder"];
  for (const key of [`${dead}/volume.zip`, ...others]) begin(key);
  await sweepUploads(t.deps);
  expect([...server.bucket.uploads.keys()].sort()).toEqual(others.sort());
});

test("an upload whose large entry had to be inflated leaves nothing but its study", async () => {
  await using t = await createTestApp();
  const person = await t.addPerson("Filme Longo");
  const frames = 9;
  const elements = {
    [TagHex.NumberOfFrames]: { vr: "IS", Value: [frames] },
    [TagHex.Rows]: { vr: "US", Value: [2048] },
    [TagHex.Columns]: { vr: "US", Value: [1024] },
    [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(frames * 2048 * 1024 * 2) },
  };
  const answer = await t.upload(person, sampleZip({ study: "90", elements }));
  expect(answer.status).toBe(201);
  await t.settle();
  expect([...filesBelow(t.deps.node.stagingDir)]).toEqual([]);
}, 240_000);
