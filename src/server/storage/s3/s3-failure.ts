import { StoreUnavailable } from "../object-store.ts";

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
