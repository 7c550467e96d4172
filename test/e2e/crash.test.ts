import { expect, test } from "bun:test";
import { join } from "node:path";
import { findPostmaster } from "../../src/server/db/embedded/postmaster.ts";
import { createRandom, type Random, seedOf } from "../../src/shared/phantom/random.ts";
import { processesNaming, processTree, waitUntilEnded } from "../support/program/process-tree.ts";
import { compareWithServer, makeUploads, type SentUpload } from "../support/program/sent-uploads.ts";
import { connectTo, postZip, type ServerProcess, spawnServer } from "../support/program/server-process.ts";
import { bytesOnceSettled, compareBytes, NO_DISAGREEMENTS } from "../support/program/stored-bytes.ts";
import { startFaultyS3Server } from "../support/store/faulty-s3-server.ts";
import { s3Environment } from "../support/store/s3-environment.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { until } from "../support/until.ts";

/** The same seed gives the same studies and moments; only the machine's timing differs. */
const seed = process.env.CRASH_SEED ?? String(Date.now());
const rounds = Number(process.env.CRASH_ROUNDS ?? 4);
const ROUND_MS = 60_000;

const LANES = 5;
const UPLOADS_A_ROUND = 60;
const LATEST_KILL_MS = 1_500;

/** Says with which seed it failed. */
async function withSeed(part: string, run: (random: Random) => Promise<void>): Promise<void> {
  try {
    await run(createRandom(seedOf(seed, part)));
  } catch (error) {
    process.stderr.write(`CRASH_SEED=${seed}, ${part}\n`);
    throw error;
  }
}

/** Sends uploads in several lanes until the server is gone, noting which were acknowledged. */
async function sendAll(
  server: ServerProcess,
  token: string,
  uploads: SentUpload[],
  acknowledged = () => {},
): Promise<void> {
  const waiting = uploads.values();
  const lane = async () => {
    for (const upload of waiting) {
      try {
        const answer = await postZip(server, token, new Blob([Uint8Array.from(upload.zip)]));
        upload.isAcknowledged = answer.status === 201;
        if (upload.isAcknowledged) acknowledged();
        // Killed after the status, the server may still owe the body: acknowledged all the same.
        await answer.arrayBuffer();
        if (!upload.isAcknowledged && !server.isKilled) throw new Error(`upload: ${answer.status}`);
      } catch (error) {
        if (!server.isKilled) throw error;
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

test.skipIf(process.platform !== "linux")(
  `every acknowledged upload survives kill -9, whole and bit for bit (${rounds} kills)`,
  () =>
    withSeed("kills", async (random) => {
      await using folder = createTempFolder();
      const sent: SentUpload[] = [];
      let isKilledWhole = false;
      let orphans: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        await using server = await spawnServer(folder.path);
        const token = await server.signIn();
        expect(await waitUntilEnded(orphans)).toEqual([]);
        {
          await using database = await connectTo(folder.path);
          const settled = await bytesOnceSettled(() => compareBytes(database.sql, folder.path));
          expect(settled).toEqual(NO_DISAGREEMENTS);
        }
        expect(await compareWithServer(server, token, sent)).toMatchObject({
          lost: 0,
          halves: [],
          miscounted: [],
        });
        if (round === rounds) break;

        const uploads = makeUploads(`${seed}-${round}`, UPLOADS_A_ROUND);
        sent.push(...uploads);
        const first = Promise.withResolvers<void>();
        const sending = sendAll(server, token, uploads, first.resolve);
        // A slow machine must acknowledge something too.
        if (round === 0) await Promise.race([first.promise, sending]);
        await Bun.sleep(random() * LATEST_KILL_MS);
        isKilledWhole = random() < 0.4;
        orphans = processTree(server.pid);
        await (isKilledWhole ? server.killAll() : server.killApp());
        await sending;
      }
      expect(sent.filter(({ isAcknowledged }) => isAcknowledged).length).toBeGreaterThan(0);
      expect(await waitUntilEnded(processesNaming(folder.path))).toEqual([]);
    }),
  (rounds + 1) * ROUND_MS,
);

test.skipIf(process.platform !== "linux")(
  "a server whose own PostgreSQL is killed says so, starts it again and goes on, with all that it acknowledged",
  async () => {
    await using folder = createTempFolder();
    await using server = await spawnServer(folder.path);
    const token = await server.signIn();
    const [before, after] = makeUploads(seed, 2);
    const send = async (upload: SentUpload | undefined) => {
      const answer = await postZip(server, token, new Blob([Uint8Array.from(upload?.zip ?? [])]));
      return [answer.status, (await answer.json()) as { code?: string }] as const;
    };
    expect((await send(before))[0]).toBe(201);
    const postmaster = await findPostmaster(join(folder.path, "postgres/data"));
    process.kill(postmaster?.pid ?? 0, "SIGKILL");
    const met = new Set<string | undefined>();
    await until(async () => {
      const [status, { code }] = await send(after);
      if (status !== 201) met.add(code);
      return status === 201;
    });
    expect(met.difference(new Set(["database.unavailable"]))).toEqual(new Set());
    const sent = [before, after].flatMap((upload) => (upload ? [{ ...upload, isAcknowledged: true }] : []));
    expect(await compareWithServer(server, token, sent)).toMatchObject({ lost: 0, halves: [], studies: 2 });
    expect(await server.terminate()).toEqual({ code: 0 });
  },
  ROUND_MS,
);

test.skipIf(process.platform !== "linux")(
  "a transfer to a slow store goes on after kill -9, and leaves one copy",
  () =>
    withSeed("slow store", async (random) => {
      await using folder = createTempFolder();
      await using store = await startFaultyS3Server();
      store.pause = (request) => Bun.sleep(request.method === "PUT" || request.method === "GET" ? 40 : 0);
      const env = s3Environment(store.options);
      const uploads = makeUploads(`${seed}-slow`, 8);
      const archived = () =>
        [...store.bucket.objects].filter(([, [latest]]) => latest?.bytes).map(([key]) => key);
      for (let kill = 0; kill < 2; kill++) {
        await using server = await spawnServer(folder.path, env);
        const token = await server.signIn();
        const sending = kill === 0 ? sendAll(server, token, uploads) : undefined;
        await sending;
        await Bun.sleep(random() * 400);
        await server.killApp();
      }
      expect(uploads.every(({ isAcknowledged }) => isAcknowledged)).toBe(true);
      store.pause = async () => {};
      await using server = await spawnServer(folder.path, env);
      const token = await server.signIn();
      {
        await using database = await connectTo(folder.path);
        const settled = await bytesOnceSettled(() => compareBytes(database.sql, folder.path, archived()));
        expect(settled).toEqual(NO_DISAGREEMENTS);
      }
      expect(await compareWithServer(server, token, uploads)).toMatchObject({
        lost: 0,
        halves: [],
        miscounted: [],
      });
    }),
  2 * ROUND_MS,
);

test.skipIf(process.platform !== "linux")(
  "with ACK=store, an upload that kill -9 cuts before its answer is neither in the list nor in the store",
  () =>
    withSeed("ack store", async () => {
      await using folder = createTempFolder();
      await using store = await startFaultyS3Server();
      const env = { ...s3Environment(store.options), ACK: "store" };
      const copied = Promise.withResolvers<void>();
      // The copy is made; reading it back never ends.
      store.pause = async (request) => {
        if (request.method !== "GET" || !request.key) return;
        copied.resolve();
        await Promise.withResolvers<void>().promise;
      };
      {
        await using server = await spawnServer(folder.path, env);
        const token = await server.signIn();
        const sending = sendAll(server, token, makeUploads(`${seed}-ack`, 1));
        await copied.promise;
        expect(store.bucket.objects.size).toBeGreaterThan(0);
        await server.killApp();
        await sending;
      }
      store.pause = async () => {};
      await using server = await spawnServer(folder.path, env);
      const token = await server.signIn();
      await using database = await connectTo(folder.path);
      const settled = await bytesOnceSettled(() =>
        compareBytes(database.sql, folder.path, store.bucket.objects.keys()),
      );
      expect(settled).toEqual(NO_DISAGREEMENTS);
      expect(await compareWithServer(server, token, [])).toEqual({
        lost: 0,
        halves: [],
        miscounted: [],
        studies: 0,
      });
    }),
  ROUND_MS,
);
