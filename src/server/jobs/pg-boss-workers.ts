import type { JobResult, JobWithMetadata, PgBoss } from "pg-boss";

export interface WorkerOptions {
  concurrency: number;
  batchSize: number;
  perGroup: number | undefined;
  pollSeconds: number;
}

/** Has `run` do the jobs of a queue. */
export async function addWorkers<Data extends object>(
  boss: PgBoss,
  name: string,
  { concurrency, batchSize, perGroup, pollSeconds }: WorkerOptions,
  run: (job: JobWithMetadata<Data>) => Promise<JobResult>,
): Promise<void> {
  const options = {
    batchSize,
    includeMetadata: true,
    perJobResults: true,
    pollingIntervalSeconds: Math.min(2, pollSeconds),
    notifyPollingIntervalSeconds: pollSeconds,
  } as const;
  const runAll = async (jobs: JobWithMetadata<Data>[]) => {
    const results: JobResult[] = [];
    for (const job of jobs) results.push(await run(job));
    return results;
  };
  if (perGroup !== undefined) {
    const grouped = { ...options, localConcurrency: concurrency, localGroupConcurrency: perGroup };
    await boss.work<Data, JobResult[], typeof grouped>(name, grouped, async (jobs) => {
      const results = await runAll(jobs);
      notifyBusy(boss, name);
      return results;
    });
    return;
  }
  // Each slot is a pg-boss worker: a worker takes its next job only when its last one is done.
  for (let worker = 0; worker < concurrency; worker++) {
    const workerId = Promise.withResolvers<string>();
    const added = boss.work<Data, JobResult[], typeof options>(name, options, async (jobs) => {
      const results = await runAll(jobs);
      // Without this, a worker sleeps after each batch even if more jobs wait.
      boss.notifyWorker(await workerId.promise);
      return results;
    });
    workerId.resolve(await added);
  }
}

/** As above, where nobody knows which worker has a job: those that have one look for the next when they are done. */
function notifyBusy(boss: PgBoss, name: string): void {
  for (const worker of boss.getWipData())
    if (worker.name === name && worker.count > 0) boss.notifyWorker(worker.id);
}
