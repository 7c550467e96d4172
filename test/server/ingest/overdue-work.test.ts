import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_INGEST_LIMITS } from "../../../src/server/features/ingest/worker/ingest-limits.ts";
import {
  createIngestWorkers,
  type IngestWorkers,
} from "../../../src/server/features/ingest/worker/ingest-workers.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

/*
 * Workers of the test's own: a spool that says `spin` is read endlessly as small work, one that says `heavy` is more than
 * small, and all others are read at once.
 */
const SERVE = join(import.meta.dir, "../../../src/server/processes/serve-requests.ts");
const WORKER = `
  import { readFileSync, writeFileSync } from "node:fs";
  const { serveRequests } = await import(${JSON.stringify(SERVE)});
  let open;
  serveRequests(async ({ beat, body }) => {
    if (beat === "open") open = body;
    if (beat === "open") return { ok: true, result: { inflatedBytes: 0 } };
    if (beat !== "scan") return { ok: true, result: undefined };
    const says = readFileSync(open.spoolPath, "utf8");
    const isSmall = body.maxWeightBytes <= 64 * 1024 * 1024;
    if (isSmall) writeFileSync(open.uploadFolder + "/inflated-0", "half", { flag: "wx" });
    if (isSmall && says === "heavy") return { ok: false, failure: "upload.heavy", detail: String(100 * 1024 * 1024) };
    while (isSmall && says === "spin");
    return { ok: true, result: { studies: [], instanceCount: 0, instanceBytes: 0, skipped: [], skippedCount: 0 } };
  });`;

const held = new AsyncDisposableStack();
const never = new AbortController().signal;
let folder: string;
let workers: IngestWorkers;
const warned: string[] = [];
let uploads = 0;

beforeAll(() => {
  folder = held.use(createTempFolder()).path;
  workers = createIngestWorkers({
    size: 2,
    log: { info() {}, warn: (event) => warned.push(event) },
    command: [process.execPath, "-e", WORKER],
  });
  held.defer(() => workers.close());
});
afterAll(() => held.disposeAsync());

async function scanAs(account: string, says: string) {
  const uploadFolder = join(folder, String(uploads++));
  mkdirSync(uploadFolder);
  const spoolPath = join(uploadFolder, "spool.zip");
  writeFileSync(spoolPath, says);
  const whose = { account, kind: account };
  const session = await workers.open(uploadFolder, spoolPath, DEFAULT_INGEST_LIMITS, never, { whose });
  const scan = session.scan();
  return { scan, [Symbol.asyncDispose]: () => session.dispose() };
}

test("an upload that turns out heavy starts again as large work, and a small one proceeds beside it", async () => {
  await using heavy = await scanAs("a", "heavy");
  await using quick = await scanAs("b", "quick");
  expect((await heavy.scan).skippedCount).toBe(0);
  expect((await quick.scan).skippedCount).toBe(0);
}, 240_000);

test("a small upload that takes long starts again as large work once others wait, and those are served at once", async () => {
  const sessions = [await scanAs("a", "spin"), await scanAs("b", "spin")];
  const order: string[] = [];
  const [one, other] = sessions.map(async (session) => {
    await session.scan;
    order.push("spin");
    await session[Symbol.asyncDispose]();
  });
  await using third = await scanAs("c", "quick");
  await third.scan;
  order.push("quick");
  // One freed place was enough; the other upload keeps its place, since none waits for it.
  await Promise.race([one, other]);
  expect(order.length).toBe(2);
  await workers.close();
  expect((await Promise.allSettled([one, other])).map(({ status }) => status).sort()).toEqual([
    "fulfilled",
    "rejected",
  ]);
  // What was stopped on purpose is no lost process.
  expect(warned).toEqual([]);
}, 240_000);
