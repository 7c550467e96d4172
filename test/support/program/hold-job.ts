import { createJobs } from "../../../src/server/jobs/jobs.ts";
import { defineQueue } from "../../../src/server/jobs/queue.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";

/** Takes the one job of the queue `held` and never finishes it: for a test to kill. Prints a line once it has it. */
const [url] = process.argv.slice(2);
if (!url) throw new Error("usage: hold-job.ts URL");
const jobs = await createJobs({ url, log: createLogger({ level: "error" }) });
const queue = defineQueue<{ n: number }>("held", { retryDelaySeconds: 1, retryDelayMaxSeconds: 1 });
await jobs.enqueue(queue, { n: 1 });
await jobs.work(queue, async () => {
  console.log("held");
  await Promise.withResolvers<void>().promise;
});
