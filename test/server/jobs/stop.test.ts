import { expect, test } from "bun:test";
import { defineQueue } from "../../../src/server/jobs/queue.ts";
import { createLocalPix } from "../../../src/server/pix/local/local-pix.ts";
import { createTestApp } from "../../support/app/test-app.ts";

const queue = defineQueue("test.stop");

test("what jobs work with stays open until they had time to end, and no job begins without it", async () => {
  let isClosed = false;
  const local = createLocalPix({ key: "chave@example.com", merchantName: "Loja", merchantCity: "Recife" });
  const pix = {
    ...local,
    close: () => {
      isClosed = true;
    },
  };
  const t = await createTestApp({ overrides: { pix } });
  const begun = Promise.withResolvers<void>();
  const seen: boolean[] = [];
  await t.deps.jobs.work(queue, async () => {
    begun.resolve();
    seen.push(isClosed);
    await Bun.sleep(300);
    seen.push(isClosed);
  });
  for (let jobs = 0; jobs < 3; jobs++) await t.deps.jobs.enqueue(queue, {});
  await begun.promise;
  await t[Symbol.asyncDispose]();
  expect(isClosed).toBe(true);
  expect(seen).toEqual([false, false]);
});
