import { type StoreRefusal, StoreUnavailable } from "../object-store.ts";

const RETRYABLE_CODES = new Set([
  "InternalError",
  "OperationAborted",
  "RequestTimeout",
  "ServiceUnavailable",
  "SlowDown",
  "Throttling",
  "ThrottlingException",
  "TooManyRequests",
]);
const RETRYABLE_STATUSES = new Set([408, 429, 500, 502, 503, 504]);
const UNSUPPORTED_STATUSES = new Set([405, 501]);

const INSUFFICIENT_STORAGE = 507;
/** Answers of a full bucket or disk. AWS has none; Ceph and others have the first, MinIO the last two. */
const FULL_CODES = new Set([
  "QuotaExceeded",
  "StorageQuotaExceeded",
  "InsufficientStorage",
  "XMinioAdminBucketQuotaExceeded",
  "XMinioStorageFull",
]);
/** What a key without the right to write is answered. Some stores answer it past a quota, too. */
const READ_ONLY_CODES = new Set(["AccessDenied", "AllAccessDisabled"]);

/** An error that an S3 store answered. */
export class S3Failure extends StoreUnavailable {
  override name = "S3Failure";

  /**
   * @param status HTTP status; 200 if the body held an `<Error>`
   * @param code the `<Code>` of the answer; none in answers to HEAD or of a proxy
   * @param retryAfterMs how long the store asked to wait
   */
  constructor(
    readonly status: number,
    readonly code: string | undefined,
    readonly retryAfterMs = 0,
  ) {
    super(`S3 answered ${status} ${code ?? "without a code"}`);
  }

  override get isRetryable(): boolean {
    return RETRYABLE_STATUSES.has(this.status) || (this.code !== undefined && RETRYABLE_CODES.has(this.code));
  }

  /** Why the store takes no bytes, if this was the answer to some that were put. */
  get refusal(): StoreRefusal | undefined {
    if (this.status === INSUFFICIENT_STORAGE) return "full";
    if (this.code === undefined) return undefined;
    if (FULL_CODES.has(this.code)) return "full";
    return READ_ONLY_CODES.has(this.code) ? "read_only" : undefined;
  }

  /** The store doesn't have this operation (object versions, list of uploads). */
  get isUnsupported(): boolean {
    return UNSUPPORTED_STATUSES.has(this.status);
  }
}

/** The connection broke, an answer took too long or ended early. Asking again may help. */
export class S3ConnectionLost extends StoreUnavailable {
  override name = "S3ConnectionLost";

  override get isRetryable(): boolean {
    return true;
  }
}

/** An answer that no S3 store gives. */
export class S3Nonsense extends StoreUnavailable {
  override name = "S3Nonsense";
}
