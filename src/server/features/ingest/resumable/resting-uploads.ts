import type { ResumableUpload } from "./resumable-uploads.table.ts";
import type { Holder, WantedUpload } from "./upload-holds.repo.ts";

/** One sender sends few uploads at once, and a row has some kilobytes at most. */
const MAX_RESTING = 64;

/** An upload between two of its requests, and the name under which its row was written last. */
export interface RestingUpload {
  upload: ResumableUpload;
  holder: Holder;
}

/**
 * Uploads whose last request ended well in this process, so that the next one need not ask the database to hold them. Their rows
 * are free: whoever takes or ends one removes the holder's name, and nothing can be recorded under it any more.
 */
export class RestingUploads {
  readonly #byId = new Map<string, RestingUpload>();

  /** Keeps the newest. */
  add(resting: RestingUpload): void {
    const [oldest] = this.#byId.keys();
    if (oldest !== undefined && this.#byId.size >= MAX_RESTING) this.#byId.delete(oldest);
    this.#byId.set(resting.upload.id, resting);
  }

  /** Forgets an upload, and returns it if its caller sees it, more may come, and it stands where they believe it to be. */
  take({ id, accountId, deliveryId, offset, now }: WantedUpload): RestingUpload | undefined {
    const resting = this.#byId.get(id);
    if (!resting) return undefined;
    const { upload } = resting;
    // A stranger must not make others ask the database.
    if (upload.accountId !== accountId || upload.deliveryId !== deliveryId) return undefined;
    this.#byId.delete(id);
    return upload.receivedBytes === offset && upload.expiresAt > now ? resting : undefined;
  }

  forget(id: string): void {
    this.#byId.delete(id);
  }
}
