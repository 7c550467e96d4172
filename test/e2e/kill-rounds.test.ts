import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createRandom, type Random, seedOf } from "../../src/shared/phantom/random.ts";
import { deleteStudy, Ledger } from "../support/program/kill-rounds.ts";
import { processesNaming, waitUntilEnded } from "../support/program/process-tree.ts";
import { type RunningProgram, resultOf, runProgram, startProgram } from "../support/program/run-program.ts";
import { makeUploads } from "../support/program/sent-uploads.ts";
import { connectTo, postZip, type ServerProcess, spawnServer } from "../support/program/server-process.ts";
import { bytesOnceSettled, compareBytes, NO_DISAGREEMENTS } from "../support/program/stored-bytes.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../support/store/faulty-s3-server.ts";
import { s3Environment } from "../support/store/s3-environment.ts";
import { createTempFolder } from "../support/temp-folder.ts";

/** The same seed gives the same studies and moments; only the machine's timing differs. */
const seed = process.env.KILL_SEED ?? String(Date.now());
const rounds = Number(process.env.KILL_ROUNDS ?? 2);
const stores = (process.env.KILL_STORES ?? "s3").split(",");
const ROUND_MS = 60_000;

const LANES = 4;
const UPLOADS_A_ROUND = 24;
/** Older studies are deleted until so many are left. */
const STUDIES_LEFT = 16;
const LATEST_BACKUP_MS = 500;
const LATEST_KILL_MS = 2_500;
const RESTORED_SHARE = 0.3;

interface Place {
  folder: string;
  dataDir: string;
  backup: string;
  env: Record<string, string>;
  store: FaultyS3Server | undefined;
}

async function preparePlace(folder: string, store: FaultyS3Server | undefined): Promise<Place> {
  // Root's PostgreSQL runs as another account, which has to pass through.
  chmodSync(folder, 0o711);
  const place = { folder, dataDir: join(folder, "data"), backup: join(folder, "backup"), store };
  await mkdir(place.dataDir);
  const env = { PATH: process.env.PATH ?? "", DATA_DIR: place.dataDir };
  return { ...place, env: store ? { ...env, ...s3Environment(store.options) } : env };
}

/** Runs every task in a few lanes until all are done or the server is killed. */
async function inLanes(server: ServerProcess, tasks: (() => Promise<void>)[]): Promise<void> {
  const waiting = tasks.values();
  const lane = async () => {
    for (const task of waiting) {
      try {
        await task();
      } catch (error) {
        if (!server.isKilled) throw error;
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Uploads of this round and deletions of older studies, mixed. */
function tasksOf(server: ServerProcess, token: string, ledger: Ledger, round: number) {
  const deletions = ledger
    .deletable()
    .slice(0, -STUDIES_LEFT)
    .map((uid) => async () => {
      ledger.fates.set(uid, "deletion asked for");
      const status = await deleteStudy(server, token, uid);
      if (status !== 200) throw new Error(`deletion: ${status}`);
      ledger.fates.set(uid, "deleted");
    });
  const uploads = makeUploads(`${seed}-${round}`, UPLOADS_A_ROUND).map((upload) => async () => {
    const notes = ledger.note(upload);
    const answer = await postZip(server, token, new Blob([Uint8Array.from(upload.zip)]));
    if (answer.status === 201) notes.acknowledge();
    const text = await answer.text();
    if (answer.status !== 201) throw new Error(`upload: ${answer.status} ${text}`);
  });
  return uploads.flatMap((upload, n) => [upload, ...deletions.slice(n, n + 1)]);
}

/** Everything is there that must be, nothing else, and each byte has its row. */
async function expectSound(server: ServerProcess, token: string, ledger: Ledger, place: Place) {
  await using database = await connectTo(place.dataDir);
  const settled = await bytesOnceSettled(() => {
    const archived = place.store
      ? [...place.store.bucket.objects].filter(([, [latest]]) => latest?.bytes).map(([key]) => key)
      : undefined;
    return compareBytes(database.sql, place.dataDir, archived);
  });
  expect(settled).toEqual(NO_DISAGREEMENTS);
  expect(await ledger.compare(server, token)).toEqual([]);
}

async function expectVerified({ env }: Place): Promise<void> {
  const verified = await runProgram(env, "verify", "--json");
  expect([verified.code, verified.complaint, JSON.parse(verified.output || "{}").findings]).toEqual([
    0,
    "",
    [],
  ]);
}

/** Loses the data directory and the store, and restores the newest state of the backup. */
async function loseAndRestore(place: Place): Promise<void> {
  expect(await waitUntilEnded(processesNaming(place.dataDir))).toEqual([]);
  await rm(place.dataDir, { recursive: true });
  place.store?.bucket.objects.clear();
  const restored = await runProgram(place.env, "restore", place.backup);
  expect([restored.code, restored.complaint]).toEqual([0, ""]);
  await expectVerified(place);
}

async function killOneOf(server: ServerProcess, backup: RunningProgram, random: Random): Promise<void> {
  const chance = random();
  if (chance < 0.4) await server.killApp();
  else if (chance < 0.7) await server.killAll();
  else backup.kill("SIGKILL");
}

for (const kind of stores) {
  test.skipIf(process.platform !== "linux")(
    `kill -9 of server or backup amid uploads, deletions and transfers loses nothing, on ${kind} or from the backup (${rounds} kills)`,
    async () => {
      await using folder = createTempFolder();
      await using stack = new AsyncDisposableStack();
      const store = kind === "s3" ? stack.use(await startFaultyS3Server()) : undefined;
      const place = await preparePlace(folder.path, store);
      const random = createRandom(seedOf(seed, kind));
      const ledger = new Ledger();
      let saved: Ledger | undefined;
      let restores = 0;
      for (let round = 0; round <= rounds; round++) {
        try {
          await using server = await spawnServer(place.dataDir, place.env);
          const token = await server.signIn();
          await expectSound(server, token, ledger, place);
          if (round === rounds) break;
          const working = inLanes(server, tasksOf(server, token, ledger, round));
          working.catch(() => {}); // awaited below
          await Bun.sleep(random() * LATEST_BACKUP_MS);
          const then = ledger.copy();
          const backup = startProgram(place.env, "backup", place.backup, "--keep", "3");
          await Bun.sleep(random() * LATEST_KILL_MS);
          await killOneOf(server, backup, random);
          await working;
          const made = await resultOf(backup);
          if (made.code === 0) saved = then;
          // 1: something was found damaged or missing.
          expect(made.code === 1 ? made.complaint + made.output : "").toBe("");
        } catch (error) {
          process.stderr.write(`KILL_SEED=${seed}, ${kind}, round ${round}\n`);
          throw error;
        }
        if (saved && (random() < RESTORED_SHARE || round === rounds - 1)) {
          await loseAndRestore(place);
          ledger.asRestored(saved);
          restores++;
        }
      }
      await expectVerified(place);
      process.stderr.write(`${kind}: ${rounds} kills, ${restores} restores\n`);
    },
    (rounds + 1) * ROUND_MS,
  );
}
