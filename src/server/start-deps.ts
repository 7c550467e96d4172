import { access, chmod, constants, mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { readAuthSecret } from "./auth-secret.ts";
import type { Config } from "./config.ts";
import { assertOwnSessions } from "./db/assert-own-sessions.ts";
import { connectDatabase } from "./db/client.ts";
import type { PostgresBinaries } from "./db/embedded/binaries.ts";
import { keepPostgresRunning } from "./db/embedded/keep-running.ts";
import { migrate } from "./db/migrate.ts";
import { migrations } from "./db/migrations.ts";
import type { Patience } from "./db/patience.ts";
import { takesChanges } from "./db/renew-sessions.ts";
import { tellWeakSettings } from "./db/weak-settings.ts";
import type { Deps } from "./deps.ts";
import { createTokens } from "./features/accounts/sessions/tokens.ts";
import { createFrameEncoder } from "./features/derivatives/worker/frame-encoder.ts";
import { createElementFinder } from "./features/dicomweb/bulk-data/worker/element-finder.ts";
import { createSeriesReader } from "./features/dicomweb/catalogue/create-series-reader.ts";
import { createReadingTurns } from "./features/dicomweb/turns/reading-turns.ts";
import { createSearchTurns } from "./features/dicomweb/turns/search-turns.ts";
import { createArrivingFiles } from "./features/ingest/resumable/arriving-file.ts";
import { createArrivingParts } from "./features/ingest/resumable/arriving-parts.ts";
import { SideSums } from "./features/ingest/resumable/side-sums.ts";
import { createIngestWorkers, type IngestWorkers } from "./features/ingest/worker/ingest-workers.ts";
import { createLabExamOwner } from "./features/labs/lab-exam-owner.ts";
import type { NotifyDeps } from "./features/notifications/notify.ts";
import { createReceiptDesk } from "./features/receipts/receipt-desk.ts";
import { createReceiptKeys, RECEIPT_KEY, RECEIPTS_SEAL } from "./features/receipts/receipt-keys.ts";
import { createDimseProcess } from "./features/receivers/dimse-process.ts";
import { createInstanceJudge } from "./features/receivers/worker/instance-judge.ts";
import { assertRestored } from "./features/safekeeping/restore/assert-restored.ts";
import { createStudyOwner } from "./features/studies/study-owner.ts";
import { seedPlans } from "./features/subscriptions/seed-plans.ts";
import { createStorageClaims } from "./features/subscriptions/storage-claims.ts";
import { thumbnailQueue } from "./features/thumbnails/thumbnail-queues.ts";
import { createPictureMaker, type PictureMaker } from "./features/thumbnails/worker/picture-maker.ts";
import { createStudyWarmer } from "./features/viewer/create-study-warmer.ts";
import { KnownSums } from "./holdings/checking/known-sums.ts";
import { derivativeQueue } from "./holdings/holding-queues.ts";
import type { ObjectOwners, StudyOwner } from "./holdings/object-owners.ts";
import { createJobs, type Jobs } from "./jobs/jobs.ts";
import { openMailer } from "./mail/open-mailer.ts";
import { createMeters } from "./metrics/meters.ts";
import { DatabaseClock } from "./nodes/database-clock.ts";
import { type Holding, keepNode } from "./nodes/hold-node.ts";
import { createNode } from "./nodes/node.ts";
import { createBacenPix } from "./pix/bacen/bacen-pix.ts";
import { createLocalPix } from "./pix/local/local-pix.ts";
import type { Pix } from "./pix/pix.ts";
import { createScratch } from "./processes/scratch.ts";
import { Bursts } from "./runtime/bursts.ts";
import { type Clock, type ElapsedMs, systemClock, systemElapsedMs } from "./runtime/clock.ts";
import { createLogger, type Logger } from "./runtime/log.ts";
import { createSeal } from "./runtime/seal.ts";
import { Turns } from "./runtime/turns.ts";
import { type CachedStore, createCachedStore } from "./storage/cache/cached-store.ts";
import { createDiskRoom, type DiskRoom } from "./storage/disk/disk-room.ts";
import { SPARE_BYTES, spaceOf } from "./storage/disk/disk-space.ts";
import { createDiskStore } from "./storage/disk/disk-store.ts";
import type { ObjectStore } from "./storage/object-store.ts";
import { createS3Store } from "./storage/s3/s3-store.ts";

export interface DepsOverrides {
  /** How the server makes sure that it alone has its node. With a PostgreSQL of its own, no second server can start anyway. */
  holding?: Holding;
  clock?: Clock;
  elapsedMs?: ElapsedMs;
  log?: Logger;
  /** The source of PostgreSQL's programs; by default, what npm installed. */
  postgresBinaries?: PostgresBinaries;
  store?: ObjectStore;
  /** Replaces the probe of `DATABASE_URL`, which finds poolers. */
  databaseProbe?: (url: string) => Promise<void>;
  /** The database has all that a start of this version makes; no other process starts on it meanwhile. */
  isDatabasePrepared?: boolean;
  /** How long statements wait for the database. */
  databasePatience?: Patience;
  /** How long statements of the jobs' own pool wait, and the most connections of that pool. */
  jobsPatience?: Patience;
  jobsConnections?: number;
  /** Replaces the file system of DATA_DIR. */
  disk?: DiskRoom;
  pix?: Pix;
  /** Processes that others use too, and that stay when these dependencies are disposed. */
  workers?: SharedWorkers;
  /** Resumable uploads of at least so many bytes are summed by a process beside, which waits so long for the next ones. */
  minSummedBytes?: number;
  sumPatienceMs?: number;
  /** How the compiled executable starts itself as an ingest worker. */
  ingestWorkerCommand?: readonly string[];
  /** How it starts itself to decode pixels. */
  pictureWorkerCommand?: readonly string[];
  /** How it starts itself to make lossless copies of frames. */
  encodeWorkerCommand?: readonly string[];
  /** How it starts itself to find elements. */
  elementWorkerCommand?: readonly string[];
  /** How it starts itself to speak to DICOM senders. */
  dimseWorkerCommand?: readonly string[];
  /** How it starts itself to judge what they send. */
  judgeWorkerCommand?: readonly string[];
}

export interface SharedWorkers {
  ingest: IngestWorkers;
  pictures: PictureMaker;
}

/** At least three: one may be busy with a huge upload for long, another with a large one, while the rest serve small ones. */
const INGEST_WORKERS = Math.min(4, Math.max(3, availableParallelism()));
/** More processes than processors gain nothing for small uploads: each has to start and to compile the same code. */
const SMALL_AT_ONCE = Math.min(INGEST_WORKERS, Math.max(2, availableParallelism()));

/**
 * The composition root: starts or reaches the database, migrates it, and opens the stores, jobs and workers. If a step
 * fails, everything started before it is closed again.
 */
export async function createDeps(config: Config, overrides: DepsOverrides = {}): Promise<Deps> {
  await using started = new AsyncDisposableStack();
  const clock = new DatabaseClock(overrides.clock ?? systemClock);
  const log = overrides.log ?? createLogger({ level: config.logLevel });
  await assertRestored(config.dataDir);
  await makePrivateFolder(config.dataDir);
  const database = await reachDatabase(config, log, overrides);
  started.defer(database.stop);
  if (!overrides.isDatabasePrepared) await migrate(database.url, migrations);
  const pool = connectDatabase({
    url: database.url,
    maxConnections: 16,
    patience: overrides.databasePatience,
  });
  started.defer(() => pool.close());
  if (config.databaseUrl) await tellWeakSettings(pool.db, log);
  await seedPlans(pool.db);
  await clock.follow(pool.db);
  const node = await createNode(config.dataDir);
  const hold =
    config.databaseUrl && overrides.holding
      ? started.use(await keepNode(config.databaseUrl, node.id, log, overrides.holding))
      : undefined;
  const disk =
    overrides.disk ??
    createDiskRoom({
      spareBytes: SPARE_BYTES,
      readSpace: () => spaceOf(config.dataDir),
      assertWritable: () => access(config.dataDir, constants.W_OK),
    });
  const { store, cache } = overrides.store
    ? { store: overrides.store, cache: undefined }
    : await openArchive(config, disk);
  const ingestWorkers = overrides.workers?.ingest ?? openIngestWorkers(log, overrides.ingestWorkerCommand);
  if (!overrides.workers) started.defer(() => ingestWorkers.close());
  // Only one of them works at a time, so that their largest requests never add up.
  const turns = new Turns();
  const pictures =
    overrides.workers?.pictures ??
    createPictureMaker({ log, command: overrides.pictureWorkerCommand, turns });
  if (!overrides.workers) started.defer(() => pictures.close());
  const elements = createElementFinder({ log, command: overrides.elementWorkerCommand, turns });
  started.defer(() => elements.close());
  const encoder = createFrameEncoder({ log, command: overrides.encodeWorkerCommand });
  started.defer(() => encoder.close());
  const judge = createInstanceJudge({ log, command: overrides.judgeWorkerCommand });
  started.defer(() => judge.close());
  const dimse = createDimseProcess({
    config,
    log,
    folder: join(config.dataDir, "receiving"),
    command: overrides.dimseWorkerCommand,
    judge,
  });
  started.defer(() => dimse.close());
  const scratch = await createScratch(join(config.dataDir, "scratch"));
  const secret = await readAuthSecret(config);
  const mailer = openMailer(config, log);
  started.defer(() => mailer.close());
  const pix = overrides.pix ?? (await openPix(config, clock, log));
  started.defer(() => pix?.close());
  const jobs = await openJobs(database.url, log, overrides);
  started.defer(() => jobs.stop(1_500)); // ends before what jobs work with: one that began without it would fail
  const staging = createDiskStore({ root: node.stagingDir });
  const sums = new KnownSums();
  const mailSeal = createSeal(secret, "mail");
  const owners = createOwners({ jobs, clock, config, mailSeal });
  const receiptKeys = createReceiptKeys({
    db: pool.db,
    clock,
    log,
    seal: createSeal(secret, RECEIPTS_SEAL),
    path: join(config.dataDir, RECEIPT_KEY),
  });
  const receiptDesk = started.use(createReceiptDesk());
  const reading = { config, db: pool.db, store, staging, node, cache, jobs, clock, log, owners, sums };
  const series = createSeriesReader(reading);
  const ending = started.move();
  return {
    config,
    log,
    clock,
    elapsedMs: overrides.elapsedMs ?? systemElapsedMs,
    meters: createMeters(),
    db: pool.db,
    jobs,
    databaseClock: clock,
    tokens: createTokens(secret, () => clock.now()),
    mailer,
    mailSeal,
    factorSeal: createSeal(secret, "factors"),
    receiptKeys,
    receiptDesk,
    node,
    staging,
    arriving:
      store.kind === "disk"
        ? createArrivingFiles(
            { node },
            new SideSums(ingestWorkers, overrides.minSummedBytes, overrides.sumPatienceMs),
          )
        : createArrivingParts({ db: pool.db, node, store }),
    disk,
    bursts: new Bursts(),
    storageClaims: createStorageClaims(),
    store,
    series,
    owners,
    cache,
    warmer: createStudyWarmer({ ...reading, series }),
    sums,
    pix,
    ingestWorkers,
    readingTurns: createReadingTurns(),
    searchTurns: createSearchTurns(),
    scratch,
    elements,
    pictures,
    encoder,
    dimse,
    lost: Promise.race([
      database.lost.then(() => "database" as const),
      ...(hold ? [hold.taken.then(() => "node" as const)] : []),
    ]),
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

/** What people wait for goes first: pictures, the transfer of the rest of an upload, the first look. */
const DERIVATIVE_AFTER_SECONDS = 10;

function createOwners(deps: NotifyDeps): ObjectOwners {
  const { jobs, config } = deps;
  const makePictures: StudyOwner["archived"] = async (tx, studyId) => {
    await jobs.enqueue(thumbnailQueue, { studyId }, { tx });
    if (config.hasDerivatives)
      await jobs.enqueue(
        derivativeQueue,
        { studyId },
        { tx, singletonKey: studyId, runAfterSeconds: DERIVATIVE_AFTER_SECONDS },
      );
  };
  return {
    studies: createStudyOwner(deps, { archived: makePictures }),
    labExams: createLabExamOwner({ jobs }),
  };
}

export function openIngestWorkers(log: Logger, command?: readonly string[]): IngestWorkers {
  return createIngestWorkers({ size: INGEST_WORKERS, smallAtOnce: SMALL_AT_ONCE, log, command });
}

function openJobs(url: string, log: Logger, given: DepsOverrides): Promise<Jobs> {
  const { jobsPatience: patience, jobsConnections: maxConnections, isDatabasePrepared: isPrepared } = given;
  return createJobs({ url, log, patience, maxConnections, isPrepared });
}

interface ReachedDatabase {
  url: string;
  lost: Promise<void>;
  stop(): Promise<void>;
}

async function reachDatabase(
  config: Config,
  log: Logger,
  { postgresBinaries: binaries, databaseProbe = assertOwnSessions }: DepsOverrides,
): Promise<ReachedDatabase> {
  if (config.databaseUrl) {
    await databaseProbe(config.databaseUrl);
    await takesChanges(config.databaseUrl);
    return { url: config.databaseUrl, lost: Promise.withResolvers<void>().promise, stop: async () => {} };
  }
  const { url, taken, stop } = await keepPostgresRunning({ dataDir: config.dataDir, log, binaries });
  return { url, lost: taken, stop };
}

async function openArchive(
  config: Config,
  disk: DiskRoom,
): Promise<{ store: ObjectStore; cache: CachedStore | undefined }> {
  if (!config.s3)
    return { store: createDiskStore({ root: join(config.dataDir, "objects") }), cache: undefined };
  const cache = await createCachedStore({
    store: createS3Store(config.s3),
    dir: join(config.dataDir, "cache"),
    maxBytes: config.cacheMaxBytes,
    disk,
  });
  return { store: cache, cache };
}

async function openPix({ pix }: Config, clock: Clock, log: Logger): Promise<Pix | undefined> {
  if (pix?.provider === "bacen") return await createBacenPix(pix, clock, { log });
  return pix && createLocalPix(pix);
}

async function makePrivateFolder(path: string): Promise<void> {
  // Only this folder is private: PostgreSQL's account has to pass through those above.
  await mkdir(dirname(path), { recursive: true });
  if (await mkdir(path, { recursive: true, mode: 0o700 })) await chmod(path, 0o700);
}
