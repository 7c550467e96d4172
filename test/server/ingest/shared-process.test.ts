import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { entryName, volumeFolder } from "../../../src/server/archive/volume-name.ts";
import { ReceivedBytes } from "../../../src/server/features/ingest/received-bytes.ts";
import { DEFAULT_INGEST_LIMITS } from "../../../src/server/features/ingest/worker/ingest-limits.ts";
import { createIngestWorkers } from "../../../src/server/features/ingest/worker/ingest-workers.ts";
import { MAX_SHARED_BYTES } from "../../../src/server/features/ingest/worker/shared-process.ts";
import { IngestRefused } from "../../../src/server/features/ingest/worker/worker.errors.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { planFor, slice, storedInstances } from "../../support/zip/ingest-bench.ts";

const FOLDER = join(import.meta.dir, "../../../src/server");
const SERVE = JSON.stringify(join(FOLDER, "processes/serve-requests.ts"));
const WORKER = JSON.stringify(join(FOLDER, "features/ingest/worker/ingest-worker.ts"));

/** Says of each upload, in place of its studies, which process read it, and in which session; a build does what `build` says. */
const tellingWorker = (build: string) => `
  const { serveRequests } = await import(${SERVE});
  const scan = (session) => ({ studies: [process.pid, session] });
  serveRequests(async ({ session, beat }) => {
    if (beat === "open") return { ok: true, result: { inflatedBytes: 0, scan: scan(session) } };
    if (beat === "build") ${build}
    return { ok: true, result: undefined };
  });`;

/** The real worker, which is killed when it has built an upload that shares it. */
const KILLED_BY_BUILDS = `
  await import(${WORKER});
  const builds = new Set();
  const send = process.send.bind(process);
  process.on("message", ({ number, body: { session, beat } }) => {
    if (session > 0 && beat === "build") builds.add(number);
  });
  process.send = (reply) => (builds.has(reply.number) ? process.kill(process.pid, "SIGKILL") : send(reply));`;

/** A name as long as those in volumes, so that the ZIP becomes the volume. */
const named = (instance: string) =>
  `EXAMES/${instance}`.padEnd(entryName(volumeFolder(Bun.randomUUIDv7()), 1).length, "_");

async function createSmallUploads(script: string) {
  await using made = new AsyncDisposableStack();
  const folder = made.use(createTempFolder()).path;
  const workers = createIngestWorkers({
    ...{ size: 2, log: { info() {}, warn() {} } },
    command: [process.execPath, "-e", script],
  });
  made.defer(() => workers.close());
  const held = made.move();
  let uploads = 0;
  return {
    async open(zip: Uint8Array, account = "") {
      const uploadFolder = join(folder, String(uploads++));
      mkdirSync(uploadFolder);
      const spoolPath = join(uploadFolder, "spool.zip");
      writeFileSync(spoolPath, zip);
      const restore = async () => writeFileSync(spoolPath, zip);
      const { signal } = new AbortController();
      const whose = { account, kind: account };
      const session = await workers.open(uploadFolder, spoolPath, DEFAULT_INGEST_LIMITS, signal, {
        ...{ whose, restore },
      });
      return { uploadFolder, session, scan: await session.scan() };
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

test("small uploads at once are read by one process, and one that is done leaves it to the others", async () => {
  await using uploads = await createSmallUploads(
    tellingWorker(`return { ok: true, result: { studies: [] } };`),
  );
  const opened = await Promise.all(
    ["a", "b", "c"].map((account) => uploads.open(new Uint8Array(100), account)),
  );
  const [first, second] = opened.map(({ scan }) => scan.studies as unknown[]);
  expect(new Set(opened.map(({ scan }) => (scan.studies as unknown[])[0])).size).toBe(1);
  expect(second?.[1]).not.toBe(first?.[1]);
  await opened[0]?.session.dispose();
  expect(await opened[1]?.session.build({ studies: [] })).toEqual({ studies: [] });
  const next = await uploads.open(new Uint8Array(100));
  expect((next.scan.studies as unknown[])[0]).toBe(first?.[0]);
});

test("an upload that is larger, or whose bytes were not kept, has a process of its own", async () => {
  await using uploads = await createSmallUploads(
    tellingWorker(`return { ok: true, result: { studies: [] } };`),
  );
  const large = await uploads.open(new Uint8Array(MAX_SHARED_BYTES + 1));
  expect((large.scan.studies as unknown[])[1]).toBe(0);
});

test("small uploads whose process is killed after it rewrote a file are all built from the bytes received", async () => {
  await using uploads = await createSmallUploads(KILLED_BY_BUILDS);
  const zips = ["1.1", "1.2"].map((study) => {
    const same = slice([study, `${study}.1`, `${study}.1.1`]);
    const other = slice([study, `${study}.1`, `${study}.1.1`], 7);
    return zipSync({ [named("first")]: same, [named("other")]: other }, { level: 0 });
  });
  const opened = await Promise.all(zips.map((zip, at) => uploads.open(zip, String(at))));
  const built = await Promise.all(
    opened.map(async ({ session, scan, uploadFolder }) => {
      const done = await session.build(planFor(scan, uploadFolder));
      await session.dispose();
      return done;
    }),
  );
  for (const [at, upload] of built.entries()) {
    const study = `1.${at + 1}`;
    expect(upload.studies.map(({ studyInstanceUID }) => studyInstanceUID)).toEqual([study]);
    expect(upload.studies[0]?.conflicts.map(({ name }) => name)).toEqual([named("other")]);
    const shown = slice([study, `${study}.1`, `${study}.1.1`]);
    expect(await storedInstances(upload)).toEqual(new Map([[`${study}.1.1`, Buffer.from(shown)]]));
  }
});

test("an upload is begun again only once, and its account shares no process after that", async () => {
  await using uploads = await createSmallUploads(tellingWorker(`process.exit(1);`));
  const upload = await uploads.open(new Uint8Array(100), "a");
  expect((upload.scan.studies as unknown[])[1]).not.toBe(0);
  const failure = await upload.session.build({ studies: [] }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(IngestRefused);
  await upload.session.dispose();
  const next = await uploads.open(new Uint8Array(100), "a");
  expect((next.scan.studies as unknown[])[1]).toBe(0);
  const other = await uploads.open(new Uint8Array(100), "b");
  expect((other.scan.studies as unknown[])[1]).not.toBe(0);
});

test("the bytes of small uploads are kept whole, up to a bound for all of them", async () => {
  await using folder = createTempFolder();
  const path = join(folder.path, "spool");
  writeFileSync(path, "something longer that was there before");
  using small = new ReceivedBytes();
  small.add(Buffer.from("ab"));
  small.add(Buffer.from("cde"));
  expect(small.isWhole(5)).toBe(true);
  expect(small.isWhole(6)).toBe(false);
  await small.writeTo(path);
  expect(readFileSync(path, "utf8")).toBe("abcde");
  const most = Buffer.alloc(MAX_SHARED_BYTES);
  const fill = () =>
    Array.from({ length: 9 }, () => {
      const received = new ReceivedBytes();
      received.add(most);
      return received;
    });
  for (let round = 0; round < 2; round++) {
    const kept = fill();
    expect(kept.filter((received) => received.isWhole(MAX_SHARED_BYTES))).toHaveLength(7);
    for (const received of kept) received[Symbol.dispose]();
  }
  small.add(most);
  expect(small.isWhole(5 + MAX_SHARED_BYTES)).toBe(false);
  using dribbled = new ReceivedBytes();
  for (let sent = 0; sent < 10_000; sent++) dribbled.add(Buffer.from("a"));
  expect(dribbled.isWhole(10_000)).toBe(false);
});
