import type { Config } from "./config.ts";
import type { Db } from "./db/client.ts";
import type { Tokens } from "./features/accounts/sessions/tokens.ts";
import type { FrameEncoder } from "./features/derivatives/worker/frame-encoder.ts";
import type { ElementFinder } from "./features/dicomweb/bulk-data/worker/element-finder.ts";
import type { SeriesReader } from "./features/dicomweb/catalogue/series-reader.ts";
import type { ReadingTurns } from "./features/dicomweb/turns/reading-turns.ts";
import type { SearchTurns } from "./features/dicomweb/turns/search-turns.ts";
import type { ArrivingBytes } from "./features/ingest/resumable/arriving-bytes.ts";
import type { IngestWorkers } from "./features/ingest/worker/ingest-workers.ts";
import type { ReceiptDesk } from "./features/receipts/receipt-desk.ts";
import type { ReceiptKeys } from "./features/receipts/receipt-keys.ts";
import type { DimseProcess } from "./features/receivers/dimse-process.ts";
import type { StorageClaims } from "./features/subscriptions/storage-claims.ts";
import type { PictureMaker } from "./features/thumbnails/worker/picture-maker.ts";
import type { StudyWarmer } from "./features/viewer/study-warmer.ts";
import type { KnownSums } from "./holdings/checking/known-sums.ts";
import type { ObjectOwners } from "./holdings/object-owners.ts";
import type { Jobs } from "./jobs/jobs.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { Meters } from "./metrics/meters.ts";
import type { DatabaseClock } from "./nodes/database-clock.ts";
import type { Node } from "./nodes/node.ts";
import type { Pix } from "./pix/pix.ts";
import type { Scratch } from "./processes/scratch.ts";
import type { Bursts } from "./runtime/bursts.ts";
import type { Clock, ElapsedMs } from "./runtime/clock.ts";
import type { Logger } from "./runtime/log.ts";
import type { Seal } from "./runtime/seal.ts";
import type { CachedStore } from "./storage/cache/cached-store.ts";
import type { DiskRoom } from "./storage/disk/disk-room.ts";
import type { ObjectStore } from "./storage/object-store.ts";

/** The dependencies of all use cases; each use case takes a `Pick` of them. Disposing closes all of them, newest first. */
export interface Deps extends AsyncDisposable {
  config: Config;
  log: Logger;
  /** The database's time, so that all nodes agree on what has ended. It is {@link databaseClock}. */
  clock: Clock;
  /** Measures how long something takes; {@link clock} may jump meanwhile. */
  elapsedMs: ElapsedMs;
  meters: Meters;
  db: Db;
  jobs: Jobs;
  /** Also tells this machine's time, and what of both may delete something for good. */
  databaseClock: DatabaseClock;
  tokens: Tokens;
  mailer: Mailer;
  /** Seals mails that wait as jobs. */
  mailSeal: Seal;
  /** Seals secrets of authenticator apps and challenges for passkeys. */
  factorSeal: Seal;
  /** Signs receipts. */
  receiptKeys: ReceiptKeys;
  /** Makes receipts, a few at once. */
  receiptDesk: ReceiptDesk;
  node: Node;
  /** This node's own disk, which holds uploads until they are transferred. */
  staging: ObjectStore;
  /** The bytes of resumable uploads that are not whole yet. */
  arriving: ArrivingBytes;
  /** Free room on that disk. */
  disk: DiskRoom;
  /** Small uploads under way, for which transfers wait a little. */
  bursts: Bursts;
  /** The bytes that uploads under way may add to each account. */
  storageClaims: StorageClaims;
  /** The archive: `DATA_DIR/objects`, or S3. */
  store: ObjectStore;
  /** The content of the stores, as series and instances. */
  series: SeriesReader;
  /** The local copy of objects that are being viewed, if the archive is S3. */
  cache: CachedStore | undefined;
  /** Fills that copy when a viewer opens. */
  warmer: StudyWarmer;
  /** Records the result of each check of the bytes at rest. */
  owners: ObjectOwners;
  /** The checksums of objects that were read lately. */
  sums: KnownSums;
  ingestWorkers: IngestWorkers;
  /** How much is inflated while it is sent, by caller. */
  readingTurns: ReadingTurns;
  /** How many searches read the metadata of instances, by caller. */
  searchTurns: SearchTurns;
  scratch: Scratch;
  /** Finds elements in files, in a separate process. */
  elements: ElementFinder;
  /** Undefined if plans cannot be paid for here. */
  pix: Pix | undefined;
  /** Decodes pixels, in a separate process. */
  pictures: PictureMaker;
  /** Makes lossless copies of frames, in a separate process. */
  encoder: FrameEncoder;
  dimse: DimseProcess;
  /** Resolves when the process can't go on: another one has the data of its own PostgreSQL, or its node. */
  lost: Promise<"database" | "node">;
}
