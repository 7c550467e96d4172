import { isDeepStrictEqual } from "node:util";
import { sql as drizzleSql } from "drizzle-orm";
import {
  fromDrizzle,
  type JobResult,
  type JobWithMetadata,
  PgBoss,
  type QueueResult,
  type Schedule,
} from "pg-boss";
import type { Tx } from "../db/client.ts";
import type { Patience } from "../db/patience.ts";
import type { Sql } from "../db/postgres.ts";
import { withStartupLock } from "../db/startup-lock.ts";
import { describeError, type Logger } from "../runtime/log.ts";
import { withTimeout } from "../runtime/with-timeout.ts";
import { createFailureLog } from "./failure-log.ts";
import { openJobsPool, pgBossDatabase } from "./pg-boss-database.ts";
import { addWorkers } from "./pg-boss-workers.ts";
import { DEAD_LETTERS, kindOfQueue, type NamedQueue, type Queue } from "./queue.ts";
import { keepSchedulingShort } from "./scheduling-queue.ts";

export interface EnqueueOptions {
  /** The job exists only if this transaction commits. */
  tx?: Tx;
  runAfterSeconds?: number;
  /** For `exclusive` queues, and only for those. */
  singletonKey?: string;
  /** Whose job it is, for {@link WorkOptions.perGroup}. */
  group?: string;
  /** Waiting jobs with a higher number come first (default 0), and among equals the older ones. */
  priority?: number;
}

/** What a handler knows about its job besides the data. */
export interface JobRun {
  id: string;
  /** 1 for the first try. */
  attempt: number;
  enqueuedAt: Date;
  /** Aborts when the job has run too long, or when the process stops and the job was not done in time. */
  signal: AbortSignal;
}

export interface WorkOptions {
  /** How many jobs run at once (1). */
  concurrency?: number;
  /**
   * How many waiting jobs one query takes (1). They run one after the other. For short jobs that arrive in large numbers,
   * where fetching costs the database more than the work itself.
   */
  batchSize?: number;
  /** How many jobs of one group run at once in this process. Others go before those beyond. */
  perGroup?: number;
}

export type JobHandler<Data extends object> = (data: Data, run: JobRun) => Promise<void>;

/** Background work, kept in PostgreSQL. A job runs at least once: if its process dies, another one takes it up. */
export interface Jobs {
  /** Returns the job's id, or `undefined` if an exclusive queue already holds a job with that key. */
  enqueue<Data extends object>(
    queue: Queue<Data>,
    data: Data,
    options?: EnqueueOptions,
  ): Promise<string | undefined>;
  /** Handles jobs of a queue in this process. A job whose handler throws is retried. */
  work<Data extends object>(
    queue: Queue<Data>,
    handler: JobHandler<Data>,
    options?: WorkOptions,
  ): Promise<void>;
  /** Enqueues `data` by a cron expression (minutes, UTC), once for all processes together. Idempotent. */
  schedule<Data extends object>(queue: Queue<Data>, cron: string, data: Data): Promise<void>;
  /** Drops the waiting jobs and the schedule of a queue, and with `isDead` those of a process that is gone. Running jobs go on. */
  empty(queue: NamedQueue, options?: { isDead?: boolean }): Promise<void>;
  /** Drops the queue itself. A process that still works on it must {@link reopen} it. */
  remove(queue: NamedQueue): Promise<void>;
  /** Creates the queue again if another process has removed it. */
  reopen(queue: NamedQueue): Promise<void>;
  /**
   * Deletes every job enqueued since `since` whose data contains `part`, whether it waits, is done or dead, but not while
   * it runs. Takes effect if the transaction commits.
   */
  forget(part: object, since: Date, tx: Tx): Promise<void>;
  /** Returns dead letters to their queues, if the transaction commits; resolves to how many. Those of a removed queue stay. */
  retryDeadLetters(ids: string[], tx: Tx): Promise<number>;
  /** Deletes dead letters. Takes effect if the transaction commits. */
  dismissDeadLetters(ids: string[], tx: Tx): Promise<void>;
  /** Takes no new job, waits `timeoutMs` for the running ones, and returns the rest to their queues. */
  stop(timeoutMs: number): Promise<void>;
}

export interface JobsOptions {
  url: string;
  log: Logger;
  /** How often a worker looks for retries and delayed jobs; new jobs announce themselves. */
  pollIntervalSeconds?: number;
  /** How long statements wait for the database. */
  patience?: Patience | undefined;
  /** Besides the one that listens. */
  maxConnections?: number | undefined;
  /** The schema of this version of pg-boss is there, with the queue of dead letters. */
  isPrepared?: boolean | undefined;
}

const DEAD_LETTER_DAYS = 90;
const SECONDS_A_DAY = 86_400;

/** With these, another process takes up the job of a killed one within half a minute. */
const HEARTBEAT_SECONDS = 10;
const SUPERVISE_SECONDS = 10;
/** How often old jobs are deleted, and those are looked for that wait for another one: none does, and each look is a write. */
const MAINTENANCE_SECONDS = 3600;

/** Connects, and creates or upgrades the schema `pgboss` while no other process does. */
export async function createJobs(options: JobsOptions): Promise<Jobs> {
  const { url, log, pollIntervalSeconds = 5, patience } = options;
  const pool = openJobsPool(url, patience, options.maxConnections);
  const boss = new PgBoss({
    db: pgBossDatabase(pool),
    useListenNotify: true,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
    flowIntervalSeconds: MAINTENANCE_SECONDS,
  });
  boss.on("error", createFailureLog(log));
  boss.on("warning", ({ data }) => log.warn("jobs.warning", { type: String(Object(data).type) }));
  try {
    if (options.isPrepared) await boss.start();
    else await withStartupLock(url, () => startFirst(boss));
    const [queues, schedules] = await Promise.all([boss.getQueues(), boss.getSchedules()]);
    await keepSchedulingShort(boss, queues);
    return new PgBossJobs({ boss, pool, log, pollIntervalSeconds, queues, schedules });
  } catch (error) {
    await boss.stop({ graceful: false });
    await pool.end({ timeout: 1 });
    throw error;
  }
}

async function startFirst(boss: PgBoss): Promise<void> {
  await boss.start();
  await boss.createQueue(DEAD_LETTERS, {
    retentionSeconds: DEAD_LETTER_DAYS * SECONDS_A_DAY,
    deleteAfterSeconds: DEAD_LETTER_DAYS * SECONDS_A_DAY,
  });
}

interface Started {
  boss: PgBoss;
  pool: Sql;
  log: Logger;
  pollIntervalSeconds: number;
  /** What earlier starts made. */
  queues: readonly QueueResult[];
  schedules: readonly Schedule[];
}

class PgBossJobs implements Jobs {
  readonly #ready = new Map<string, Promise<void>>();
  readonly #worked = new Set<string>();

  readonly #boss: PgBoss;
  readonly #pool: Sql;
  readonly #log: Logger;
  readonly #pollIntervalSeconds: number;
  /** What need not be made again. Another node may remove a node's queues and schedules, so none of those are here. */
  readonly #foundQueues: Map<string, QueueResult>;
  readonly #foundSchedules: Map<string, Schedule>;

  constructor({ boss, pool, log, pollIntervalSeconds, queues, schedules }: Started) {
    this.#boss = boss;
    this.#pool = pool;
    this.#log = log;
    this.#pollIntervalSeconds = pollIntervalSeconds;
    const isShared = ({ name }: { name: string }) => kindOfQueue(name) === name;
    this.#foundQueues = new Map(queues.filter(isShared).map((queue) => [queue.name, queue]));
    this.#foundSchedules = new Map(schedules.filter(isShared).map((schedule) => [schedule.name, schedule]));
  }

  async enqueue<Data extends object>(queue: Queue<Data>, data: Data, options: EnqueueOptions = {}) {
    const { tx, runAfterSeconds, singletonKey, group, priority } = options;
    if (queue.rules.exclusive !== (singletonKey !== undefined)) {
      throw new TypeError(`queue ${queue.name}: a singletonKey goes with an exclusive queue, and only there`);
    }
    await this.#ensureQueue(queue);
    const id = await this.#boss.send(queue.name, data, {
      ...(tx && { db: fromDrizzle(tx, drizzleSql) }),
      ...(runAfterSeconds !== undefined && { startAfter: runAfterSeconds }),
      ...(singletonKey !== undefined && { singletonKey }),
      ...(group !== undefined && { group: { id: group } }),
      ...(priority !== undefined && { priority }),
    });
    return id ?? undefined;
  }

  async work<Data extends object>(
    queue: Queue<Data>,
    handler: JobHandler<Data>,
    { concurrency = 1, batchSize = 1, perGroup }: WorkOptions = {},
  ) {
    await this.#ensureQueue(queue);
    this.#worked.add(queue.name);
    const run = (job: JobWithMetadata<Data>) => this.#run(queue, handler, job);
    const pollSeconds = this.#pollIntervalSeconds;
    await addWorkers(this.#boss, queue.name, { concurrency, batchSize, perGroup, pollSeconds }, run);
  }

  async schedule<Data extends object>(queue: Queue<Data>, cron: string, data: Data) {
    await this.#ensureQueue(queue);
    const options = { tz: "UTC", ...(queue.rules.exclusive && { singletonKey: "schedule" }) };
    const found = this.#foundSchedules.get(queue.name);
    this.#foundSchedules.delete(queue.name);
    const wanted = { cron, data, options };
    if (found && isDeepStrictEqual({ cron: found.cron, data: found.data, options: found.options }, wanted))
      return;
    await this.#boss.schedule(queue.name, cron, data, options);
  }

  async empty({ name }: NamedQueue, { isDead = false } = {}) {
    this.#foundSchedules.delete(name);
    if (!(await this.#boss.getQueue(name))) return;
    await this.#boss.unschedule(name);
    await (isDead ? this.#boss.deleteAllJobs(name) : this.#boss.deleteQueuedJobs(name));
  }

  async remove(queue: NamedQueue) {
    await this.empty(queue);
    await this.#boss.deleteQueue(queue.name);
    this.#forgetQueue(queue.name);
  }

  async reopen(queue: NamedQueue) {
    this.#forgetQueue(queue.name);
    await this.#ensureQueue(queue);
  }

  async forget(part: object, since: Date, tx: Tx) {
    await tx.execute(drizzleSql`delete from pgboss.job
      where state <> 'active' and created_on >= ${since.toISOString()}::timestamptz
        and data @> ${JSON.stringify(part)}::jsonb`);
  }

  retryDeadLetters(ids: string[], tx: Tx) {
    const db = fromDrizzle(tx, drizzleSql);
    return this.#boss.redrive(DEAD_LETTERS, { ids, limit: ids.length, db });
  }

  async dismissDeadLetters(ids: string[], tx: Tx) {
    const db = fromDrizzle(tx, drizzleSql);
    await this.#boss.deleteJob(DEAD_LETTERS, ids, { db });
  }

  async stop(timeoutMs: number) {
    const idle = Promise.all([...this.#worked].map((name) => this.#boss.offWork(name, { wait: true })));
    if (!(await withTimeout(idle, timeoutMs))) this.#log.warn("jobs.abandoned", { timeoutMs });
    await this.#boss.stop({ graceful: false });
    await this.#pool.end({ timeout: 1 });
  }

  async #run<Data extends object>(
    queue: NamedQueue,
    handler: JobHandler<Data>,
    job: JobWithMetadata<Data>,
  ): Promise<JobResult> {
    const run = { id: job.id, attempt: job.retryCount + 1, enqueuedAt: job.createdOn, signal: job.signal };
    try {
      await handler(job.data, run);
      return { id: job.id, status: "completed" };
    } catch (error) {
      this.#logFailure(queue, run, error);
      return { id: job.id, status: "failed", output: error };
    }
  }

  #logFailure(queue: NamedQueue, run: JobRun, error: unknown) {
    const fields = { queue: queue.name, jobId: run.id, attempt: run.attempt, ...describeError(error) };
    if (run.attempt > queue.rules.retryLimit) this.#log.error("job.dead", fields);
    else this.#log.warn("job.failed", fields);
  }

  /** Creates the queue, or updates an existing one to the rules of this version of the program. */
  #ensureQueue(queue: NamedQueue): Promise<void> {
    const known = this.#ready.get(queue.name);
    if (known) return known;
    const ready = this.#createQueue(queue);
    this.#ready.set(queue.name, ready);
    ready.catch(() => this.#ready.delete(queue.name)); // the caller sees the error; the next one tries again
    return ready;
  }

  #forgetQueue(name: string) {
    this.#ready.delete(name);
    this.#foundQueues.delete(name);
  }

  async #createQueue({ name, rules }: NamedQueue) {
    const options: Partial<QueueResult> = {
      retryLimit: rules.retryLimit,
      retryDelay: rules.retryDelaySeconds,
      retryBackoff: true,
      retryDelayMax: rules.retryDelayMaxSeconds,
      expireInSeconds: rules.expireInSeconds,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      deleteAfterSeconds: rules.keepDoneSeconds,
      deadLetter: DEAD_LETTERS,
      notify: true,
    };
    const found = this.#foundQueues.get(name);
    if (found && (Object.keys(options) as (keyof QueueResult)[]).every((key) => found[key] === options[key]))
      return;
    await this.#boss.createQueue(name, { ...options, policy: rules.exclusive ? "exclusive" : "standard" });
    await this.#boss.updateQueue(name, options);
  }
}
