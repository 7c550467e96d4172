import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { memoryOf, processTree, sampleMemory } from "../support/program/process-tree.ts";
import { listStudies } from "../support/program/sent-uploads.ts";
import { beginUpload, connectTo, spawnServer } from "../support/program/server-process.ts";
import { bytesOnceSettled, compareBytes, NO_DISAGREEMENTS } from "../support/program/stored-bytes.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const MIB = 1024 * 1024;
const BIG = new Uint8Array(60 * MIB);
const isLinux = process.platform === "linux";

function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

test.skipIf(!isLinux)(
  "an upload broken off half-way leaves no bytes, no open file and no memory behind",
  async () => {
    await using folder = createTempFolder();
    await using server = await spawnServer(folder.path);
    const token = await server.signIn();
    await using database = await connectTo(folder.path);
    const abortOne = async () => {
      const upload = await beginUpload(server, token, BIG, BIG.length / 2);
      upload.abort();
      await upload.closed;
    };
    const settled = () => bytesOnceSettled(() => compareBytes(database.sql, folder.path));
    // Once to warm up: code, connections and buffers stay.
    await abortOne();
    expect(await settled()).toEqual(NO_DISAGREEMENTS);
    const before = { files: openFiles(server.pid), memory: memoryOf(processTree(server.pid)).pssBytes };

    const sampler = sampleMemory(server.pid);
    for (let n = 0; n < 4; n++) await abortOne();
    expect(await settled()).toEqual(NO_DISAGREEMENTS);
    expect(sampler.stop().pssBytes - before.memory).toBeLessThan(100 * MIB);
    expect(openFiles(server.pid)).toBeLessThanOrEqual(before.files + 3);
    const states = await database.sql`select state, count(*)::int as uploads from uploads group by state`;
    expect([...states]).toEqual([{ state: "failed", uploads: 5 }]);
    expect(await listStudies(server, token)).toEqual([]);
  },
  240_000,
);

test.skipIf(!isLinux)(
  "SIGTERM in the middle of an upload ends the server cleanly, and nothing of it is left",
  async () => {
    await using folder = createTempFolder();
    {
      await using server = await spawnServer(folder.path);
      const upload = await beginUpload(server, await server.signIn(), BIG, BIG.length / 2);
      // The upload itself never ends: a server that waited for it would not either.
      expect((await server.terminate()).code).toBe(0);
      await upload.closed;
    }
    await using server = await spawnServer(folder.path);
    await using database = await connectTo(folder.path);
    expect(await bytesOnceSettled(() => compareBytes(database.sql, folder.path))).toEqual(NO_DISAGREEMENTS);
    expect(await listStudies(server, await server.signIn())).toEqual([]);
  },
  240_000,
);
