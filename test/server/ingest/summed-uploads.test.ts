import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { guessVolume } from "../../../src/server/features/ingest/worker/guess-volume.ts";
import { DEFAULT_INGEST_LIMITS } from "../../../src/server/features/ingest/worker/ingest-limits.ts";
import type { GuessedVolume } from "../../../src/server/features/ingest/worker/worker-messages.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { tusChecksum, tusHeaders, tusOf } from "../../support/app/tus.ts";
import { sha256 } from "../../support/program/stored-bytes.ts";
import { until } from "../../support/until.ts";
import { sampleInstance } from "../../support/zip/sample-zip.ts";

/* Uploads that a process beside sums while they come: otherwise only large ones are. */

/** The sender is as slow here as the machine. */
const PATIENT_MS = 240_000;

let t: TestApp;
let person: Person;
let tus: ReturnType<typeof tusOf>;
/** What was found of each whole upload. */
const volumes: (GuessedVolume | undefined)[] = [];
beforeAll(async () => {
  t = await createTestApp({ overrides: { minSummedBytes: 0, sumPatienceMs: PATIENT_MS } });
  person = await t.addPerson("Envia Aos Poucos", { plan: "clinica" });
  tus = tusOf(t, person);
  const { ingestWorkers } = t.deps;
  const sumArriving = ingestWorkers.sumArriving.bind(ingestWorkers);
  spyOn(ingestWorkers, "sumArriving").mockImplementation((path, limits) => {
    const sums = sumArriving(path, limits);
    const finish = sums?.finish.bind(sums);
    if (sums && finish)
      sums.finish = async () => {
        volumes.push(await finish());
        return volumes.at(-1);
      };
    return sums;
  });
});
afterAll(() => t[Symbol.asyncDispose]());

const MIB = 1024 * 1024;
/** So many that some are written before the line breaks. */
const PIECES = 1_500;

/** Sends the bytes of `zip` from `start` on in pieces; the line breaks at `end`, unless that is where they end. */
function send(url: string, zip: Uint8Array, [start, end]: [number, number], isChecked: boolean) {
  let at = start;
  const pieceBytes = Math.ceil(zip.length / PIECES);
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at === zip.length) return controller.close();
      if (at === end) return controller.error(new Error("cut"));
      const piece = zip.slice(at, Math.min(at + pieceBytes, end));
      at += piece.length;
      controller.enqueue(piece);
    },
  });
  return t.call("PATCH", url, {
    as: person,
    body,
    headers: {
      ...tusHeaders,
      "content-type": "application/offset+octet-stream",
      "upload-offset": String(start),
      ...(isChecked && { "upload-checksum": tusChecksum(zip.subarray(start)) }),
    },
  });
}

function examOf(study: string): { zip: Uint8Array; hashes: string[] } {
  const instances = ["1", "2", "3", "4", "5", "6"].map((sop) => sampleInstance({ study, sop }));
  const names = instances.map((_, i) => `PACIENTE/EXAMES/CT/IM${String(i).padStart(10, "0")}`);
  const zip = zipSync(Object.fromEntries(instances.map((bytes, i) => [names[i], bytes])), { level: 0 });
  return { zip, hashes: instances.map(sha256).sort() };
}

/** The volume that a ZIP becomes, by its directory. */
async function volumeOf(zip: Uint8Array, volumeId: string) {
  const spoolPath = join(t.deps.config.dataDir, `${volumeId}.zip`);
  writeFileSync(spoolPath, zip);
  return await guessVolume({ spoolPath, volumeId, limits: DEFAULT_INGEST_LIMITS });
}

async function storedHashes(studyId: string | undefined): Promise<string[]> {
  const download = await t.call("GET", `/api/studies/${studyId}/download`, { as: person });
  return Object.values(unzipSync(new Uint8Array(await download.arrayBuffer())))
    .map(sha256)
    .sort();
}

const offsetOf = async (url: string) => Number((await tus.head(url)).headers.get("upload-offset"));

describe("an upload that is summed beside, whose line breaks", () => {
  const ways = { "bytes without a checksum": [false, true], "chunks with one": [true, false] } as const;

  test.each(Object.keys(ways) as (keyof typeof ways)[])("becomes what was sent: %s", async (way) => {
    const [isChecked, isSummed] = ways[way];
    const { zip, hashes } = examOf(isChecked ? "201" : "202");
    const url = await tus.begin(zip.length);
    const third = Math.floor(zip.length / 3);
    expect((await tus.patch(url, 0, zip.subarray(0, 100))).status).toBe(204);
    expect((await send(url, zip, [100, third], isChecked)).status).toBe(400);
    const kept = isChecked ? 100 : third;
    expect(await offsetOf(url)).toBe(kept);
    const more = zip.subarray(kept, 2 * third);
    expect((await tus.patch(url, kept, more, { "upload-checksum": tusChecksum(more) })).status).toBe(204);
    volumes.length = 0;
    expect((await send(url, zip, [2 * third, zip.length], false)).status).toBe(204);
    const { result } = await tus.outcome(url);
    expect(result).toMatchObject({ instancesReceived: hashes.length, skipped: [] });
    const volumeId = volumes[0]?.volumeId ?? "";
    // What came of the chunk that was cut off is in no sum, so the ZIP is summed anew.
    expect(volumes).toEqual(isSummed ? [await volumeOf(zip, volumeId)] : []);
    await t.settle();
    expect(await storedHashes(result?.studies[0]?.id)).toEqual(hashes);
  });
});

describe("a long request without a checksum", () => {
  test("counts while more of it comes, and what came counts when its line breaks", async () => {
    const sizeBytes = 48 * MIB;
    const url = await tus.begin(sizeBytes);
    const cut = Promise.withResolvers<void>();
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent === 40) {
          await cut.promise;
          return controller.error(new Error("cut"));
        }
        controller.enqueue(new Uint8Array(MIB).fill(sent++));
      },
    });
    const sending = t.call("PATCH", url, {
      as: person,
      body,
      headers: { ...tusHeaders, "content-type": "application/offset+octet-stream", "upload-offset": "0" },
    });
    const recorded = async () => (await tus.read(url)).offset;
    await until(async () => (await recorded()) >= 32 * MIB);
    cut.resolve();
    expect((await sending).status).toBe(400);
    expect(await offsetOf(url)).toBe(40 * MIB);
    const bytes = Bun.file(join(t.deps.config.dataDir, "arriving", url.split("/").at(-1) ?? "", "bytes"));
    for (let n = 0; n < 40; n++) expect((await bytes.slice(n * MIB, n * MIB + 1).bytes())[0]).toBe(n);
    await tus.end(url);
  });
});
