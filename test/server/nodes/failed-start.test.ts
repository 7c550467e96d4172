import { expect, spyOn, test } from "bun:test";
import { systemClock } from "../../../src/server/runtime/clock.ts";
import { startJobs } from "../../../src/server/start-jobs.ts";
import { createTestApp } from "../../support/app/test-app.ts";

/** Longer than the pause between two looks at the machine's clock, which a node takes while it beats. */
const TWO_LOOKS_MS = 1_300;

test("a node whose start fails behind its first beat beats no more", async () => {
  await using t = await createTestApp({ jobs: false });
  const failure = new Error("the database went away");
  const jobs = new Proxy(t.deps.jobs, { get: () => () => Promise.reject(failure) });
  await expect(startJobs({ ...t.deps, jobs })).rejects.toBe(failure);
  const looks = spyOn(systemClock, "now");
  try {
    await Bun.sleep(TWO_LOOKS_MS);
    expect(looks).not.toHaveBeenCalled();
  } finally {
    looks.mockRestore();
  }
});
