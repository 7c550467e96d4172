import { expect, test } from "bun:test";
import {
  type HostileAccount,
  readEverything,
  storeBombs,
  watchHealth,
} from "../support/program/hostile-readers.ts";
import { memoryOf, processTree, sampleMemory } from "../support/program/process-tree.ts";
import { spawnServer } from "../support/program/server-process.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const MIB = 1024 * 1024;
const READING_MS = 5_000;
/** What no answer may take on a slow machine beside other tests; by itself it takes half a second. */
const LONGEST_HEALTH_MS = 12_000;

test.skipIf(process.platform !== "linux")(
  "eight clients that read every accepted upload at once take neither memory nor anybody's time, and a killed server comes back",
  async () => {
    await using dataDir = createTempFolder();
    let account: HostileAccount;
    {
      await using server = await spawnServer(dataDir.path);
      account = await storeBombs(server, dataDir.path);
      const idle = memoryOf(processTree(server.pid)).pssBytes;
      const sampler = sampleMemory(server.pid);
      const health = await watchHealth(server);
      const statuses = await readEverything(server, account, READING_MS);
      const longestMs = await health.stop();
      const grownMiB = Math.round((sampler.stop().pssBytes - idle) / MIB);
      process.stderr.write(
        `grown ${grownMiB} MB, health ${Math.round(longestMs)} ms, ${JSON.stringify([...statuses])}\n`,
      );
      expect(grownMiB).toBeLessThan(400);
      expect(longestMs).toBeLessThan(LONGEST_HEALTH_MS);
      expect([...statuses.keys()].filter((status) => status === 500)).toEqual([]);
      const reading = readEverything(server, account, 1_000);
      await Bun.sleep(500);
      await server.killApp();
      await reading;
    }
    await using again = await spawnServer(dataDir.path);
    const health = await watchHealth(again);
    await readEverything(again, account, 2_000);
    expect(await health.stop()).toBeLessThan(LONGEST_HEALTH_MS);
    expect((await again.terminate()).code).toBe(0);
  },
  240_000,
);
