import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  createInstanceJudge,
  type Party,
} from "../../../src/server/features/receivers/worker/instance-judge.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleInstance } from "../../support/zip/sample-zip.ts";

const folder = createTempFolder();
const judge = createInstanceJudge({ log: createLogger({ level: "error" }) });
afterAll(async () => {
  await judge.close();
  await folder[Symbol.asyncDispose]();
});

const instance = sampleInstance({ study: "81" });
const file = { path: join(folder.path, "1.part"), sizeBytes: instance.length };
await Bun.write(file.path, instance);

describe("files that several accounts send", () => {
  test("are judged by turns, and trial accounts have one turn together", async () => {
    const judged: string[] = [];
    const ask = async (accountId: string, sharer = accountId) => {
      const party: Party = { accountId, sharer };
      expect(await judge.judge(file, () => party)).toMatchObject({ ok: true });
      judged.push(accountId);
    };
    const many = ["t", "t", "t", "u", "v"].map((trial) => ask(trial, "trial"));
    await Promise.all([...many, ask("clinic"), ask("clinic")]);
    expect(judged).toEqual(["t", "clinic", "u", "clinic", "v", "t", "t"]);
  });

  test("are not judged once their sender has left", async () => {
    let party: Party | undefined = { accountId: "a", sharer: "a" };
    const first = judge.judge(file, () => ({ accountId: "b", sharer: "b" }));
    const second = judge.judge(file, () => party);
    party = undefined;
    expect(await first).toMatchObject({ ok: true });
    expect(await second).toEqual({ ok: false, reason: "instance.too_complex" });
  });
});
