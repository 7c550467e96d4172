import { createReadStream } from "node:fs";
import { entryName, volumeFolder } from "../../../archive/volume-name.ts";
import { encodeLocalHeader } from "../../../archive/zip-encode.ts";
import type { Deps } from "../../../deps.ts";
import { areDeletionsHeld } from "../../../holdings/deletion-hold.repo.ts";
import { LandingRoom } from "./append-to-upload.ts";
import type { Landing } from "./arriving-bytes.ts";
import { enqueueFinish } from "./enqueue-finish.ts";
import {
  closeGrowing,
  heldFrom,
  listAbandonedGrowing,
  listWaiting,
  recordGrowth,
} from "./growing-uploads.repo.ts";
import { insertResumable } from "./resumable-uploads.repo.ts";
import type { ResumablePart, ResumableUpload } from "./resumable-uploads.table.ts";
import { expiryAfter } from "./upload-expiry.ts";
import { type Holder, renewHold } from "./upload-holds.repo.ts";

export type GrowingDeps = Pick<
  Deps,
  "arriving" | "db" | "jobs" | "node" | "clock" | "databaseClock" | "disk"
>;

/** Whose upload grows, and who sends it. */
export interface GrowingSender {
  accountId: string;
  receiverId: string;
  callingAETitle: string;
  address: string;
}

/** A file whose bytes are to be kept. */
export interface WholeFile {
  path: string;
  /** With its header, as `crc32`. */
  sizeBytes: number;
  crc32: number;
  /** What is added in place of the first bytes of the file. */
  header?: { bytes: Uint8Array; replacesBytes: number };
}

/** The upload was closed or taken away. */
export class GrowthRefused extends Error {
  override name = "GrowthRefused";
}

const CHUNK_BYTES = 1024 * 1024;
/** A hold that nobody renewed for so long is one of a node that is gone. */
const ABANDONED_MS = 5 * 60_000;
/** A large file may take longer than that to reach a slow disk or store. */
const RENEW_MS = 60_000;

/**
 * An upload that grows by whole files, each on stable storage before it counts: the entries of a ZIP that gets its directory when it is
 * taken in. Whatever ends the process, what counted is taken in by {@link closeAbandoned}. This process takes in none to which it may
 * still write, whatever the clock shows: what arrives as a file becomes the volume itself.
 */
export class GrowingUpload implements AsyncDisposable {
  files = 0;
  #isBroken = false;

  private constructor(
    private readonly deps: GrowingDeps,
    private readonly upload: ResumableUpload,
    private readonly holder: Holder,
    private readonly landing: Landing,
    private readonly opened: AsyncDisposable,
  ) {}

  static async open(
    deps: GrowingDeps,
    sender: GrowingSender,
    { renewMs = RENEW_MS } = {},
  ): Promise<GrowingUpload> {
    const { accountId, receiverId, callingAETitle, address } = sender;
    const { db, node } = deps;
    const holder = { nodeId: node.id, bootId: node.bootId, id: Bun.randomUUIDv7() };
    await using opened = new AsyncDisposableStack();
    const room = opened.use(await LandingRoom.open(deps, 0));
    const id = Bun.randomUUIDv7();
    opened.adopt(node.growingUploads.add(id), (growing) => void growing.delete(id));
    const now = deps.clock.now();
    const upload = await db.transaction((tx) =>
      insertResumable(tx, {
        id,
        accountId,
        receiverId,
        address,
        filename: callingAETitle,
        form: {},
        metadata: "",
        sizeBytes: 0,
        receivedBytes: 0,
        state: "receiving",
        createdAt: now,
        expiresAt: expiryAfter(now),
        ...heldFrom(holder, deps.databaseClock.now()),
      }),
    );
    const landing = opened.use(await deps.arriving.open(upload, room));
    // What can't be renewed now may be in a minute, and recording what was added tells whether it is still held.
    const renewing = setInterval(() => void renewHold(db, id, holder).catch(() => {}), renewMs);
    opened.adopt(renewing.unref(), clearInterval);
    return new GrowingUpload(deps, upload, holder, landing, opened.move());
  }

  get id(): string {
    return this.upload.id;
  }

  get sizeBytes(): number {
    return this.upload.sizeBytes;
  }

  /**
   * Adds a file; its bytes are on stable storage when this resolves. After a failure nothing can be added.
   * @throws {DiskFull | GrowthRefused}
   */
  async add({ path, sizeBytes, crc32, header: ofFile }: WholeFile): Promise<void> {
    if (this.#isBroken) throw new GrowthRefused("an earlier file failed");
    const { upload, landing, deps } = this;
    this.#isBroken = true;
    const name = entryName(volumeFolder(upload.id), this.files + 1);
    const header = encodeLocalHeader({ name, method: 0, crc32, storedBytes: sizeBytes, sizeBytes });
    await landing.add(header);
    let copied = ofFile?.bytes.length ?? 0;
    if (ofFile) await landing.add(ofFile.bytes);
    const start = ofFile?.replacesBytes ?? 0;
    for await (const chunk of createReadStream(path, { start, highWaterMark: CHUNK_BYTES })) {
      copied += (chunk as Buffer).length;
      await landing.add(chunk as Buffer);
    }
    if (copied !== sizeBytes) throw new GrowthRefused("the file changed");
    const { added, replaced } = await landing.save();
    const newSize = upload.sizeBytes + header.length + sizeBytes;
    const growth = { sizeBytes: newSize, expiresAt: expiryAfter(deps.clock.now()), added };
    const isRecorded = await deps.db.transaction((tx) =>
      recordGrowth(tx, upload.id, this.holder, { ...growth, replaced: replaced.map(({ id }) => id) }),
    );
    if (!isRecorded) {
      await deps.arriving.drop(added).catch(() => {}); // removed with the upload, unless that was removed long ago
      throw new GrowthRefused("it was closed");
    }
    upload.sizeBytes = upload.receivedBytes = newSize;
    this.files++;
    await this.#drop(replaced).catch(() => {}); // removed with the upload at the latest
    this.#isBroken = false;
  }

  async #drop(replaced: readonly ResumablePart[]): Promise<void> {
    const { arriving, db } = this.deps;
    // A backup may be about to read them.
    if (replaced.length > 0 && !(await areDeletionsHeld(db))) await arriving.drop(replaced);
  }

  /** Has what was added taken in. Bytes of a failed file are ignored. */
  async close(): Promise<void> {
    await this[Symbol.asyncDispose]();
    await closeUpload(this.deps, this.upload.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.opened[Symbol.asyncDispose]();
  }
}

/** Has a grown upload taken in to which nobody writes any more; does nothing if it was closed before. */
export async function closeUpload(
  { db, jobs, clock }: Pick<Deps, "db" | "jobs" | "clock">,
  uploadId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await closeGrowing(tx, uploadId, clock.now()))) return;
    await enqueueFinish(jobs, tx, uploadId);
  });
}

/** Takes in what a former run of this node, or a lost node, had acknowledged or a restore brought, and tries again what waits for room. */
export async function closeAbandoned(
  deps: Pick<Deps, "db" | "jobs" | "node" | "clock" | "databaseClock">,
): Promise<void> {
  const { db, jobs, node, databaseClock } = deps;
  const { id: nodeId, bootId, growingUploads: growing } = node;
  // The holds of all nodes are told by the database's clock.
  const quietSince = new Date(databaseClock.now().getTime() - ABANDONED_MS);
  for (const uploadId of await listAbandonedGrowing(db, { nodeId, bootId, growing }, quietSince))
    await closeUpload(deps, uploadId);
  for (const uploadId of await listWaiting(db))
    await db.transaction((tx) => enqueueFinish(jobs, tx, uploadId));
}
