import type { Config } from "./config.ts";
import type { Db } from "./db/client.ts";
import type { Tokens } from "./features/accounts/sessions/tokens.ts";
import type { ReadingTurns } from "./features/dicomweb/reading-turns.ts";
import type { SeriesReader } from "./features/dicomweb/series-reader.ts";
import type { ElementFinder } from "./features/dicomweb/worker/element-finder.ts";
import type { IngestWorkers } from "./features/ingest/worker/ingest-workers.ts";
import type { StorageClaims } from "./features/subscriptions/storage-claims.ts";
import type { PictureMaker } from "./features/thumbnails/worker/picture-maker.ts";
import type { KnownSums } from "./holdings/checking/known-sums.ts";
import type { ObjectOwners } from "./holdings/object-owners.ts";
import type { Jobs } from "./jobs/jobs.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { Meters } from "./metrics/meters.ts";
import type { Node } from "./nodes/node.ts";
import type { Pix } from "./pix/pix.ts";
import type { Scratch } from "./processes/scratch.ts";
import type { Clock } from "./runtime/clock.ts";
import type { Logger } from "./runtime/log.ts";
import type { Seal } from "./runtime/seal.ts";
import type { CachedStore } from "./storage/cache/cached-store.ts";
import type { DiskRoom } from "./storage/disk/disk-room.ts";
import type { ObjectStore } from "./storage/object-store.ts";

/** Everything a use case may ask for; each takes a `Pick` of it. Disposing ends it all, newest first. */
export interface Deps extends AsyncDisposable {
  config: Config;
  log: Logger;
  clock: Clock;
  meters: Meters;
  db: Db;
  jobs: Jobs;
  tokens: Tokens;
  mailer: Mailer;
  /** Mails that wait as jobs are sealed. */
  mailSeal: Seal;
  /** Secrets of authenticator apps, and challenges for passkeys, are sealed. */
  factorSeal: Seal;
  node: Node;
  /** This node's own disk, where uploads lie until they are transferred. */
  staging: ObjectStore;
  /** Room on that disk. */
  disk: DiskRoom;
  /** What uploads under way may bring each account. */
  storageClaims: StorageClaims;
  /** The archive: `DATA_DIR/objects`, or S3. */
  store: ObjectStore;
  /** What lies in the stores, as series and instances. */
  series: SeriesReader;
  /** The local copy of what is being viewed, where the archive is S3. */
  cache: CachedStore | undefined;
  /** Who notes what the bytes of exams are found to be. */
  owners: ObjectOwners;
  /** What the bytes of objects that were read lately must be. */
  sums: KnownSums;
  ingestWorkers: IngestWorkers;
  /** How much is inflated while it is sent, by whom. */
  readingTurns: ReadingTurns;
  scratch: Scratch;
  /** Finds elements in files, apart from everything else. */
  elements: ElementFinder;
  /** Undefined: plans can't be paid for here. */
  pix: Pix | undefined;
  /** Decodes pixels, apart from everything else. */
  pictures: PictureMaker;
  /** Resolves when the database ended by itself: the process can't go on. */
  databaseLost: Promise<void>;
}
