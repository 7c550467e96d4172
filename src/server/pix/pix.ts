/** A charge at the PSP. Amounts are integer cents, times Dates. */
export interface Cob {
  txid: string;
  status: CobStatus;
  amountCents: number;
  /** "Pix copia e cola". A charge that is no longer open may have none. */
  brCode: string | undefined;
  /** The Pix that paid for it so far. */
  pix: ReceivedPix[];
}

/** API Pix `CobStatus`. There is none for an expired charge, which stays ATIVA. */
export type CobStatus = "ATIVA" | "CONCLUIDA" | "REMOVIDA_PELO_USUARIO_RECEBEDOR" | "REMOVIDA_PELO_PSP";

export interface ReceivedPix {
  endToEndId: string;
  amountCents: number;
  paidAt: Date;
  /** Its devoluções, whoever asked for them: the merchant, the PSP, or the payer's bank (MED). */
  devolucoes: ReceivedDevolucao[];
}

/** API Pix `Devolucao`. */
export interface Devolucao {
  id: string;
  status: "EM_PROCESSAMENTO" | "DEVOLVIDO" | "NAO_REALIZADO";
  amountCents: number;
}

/** A devolucao as it appears in the Pix that it returns. */
export interface ReceivedDevolucao extends Devolucao {
  /** `ReturnIdentification` of the interbank message; undefined if the PSP gives none yet. */
  rtrId: string | undefined;
  /** API Pix `DevolucaoNatureza`; later versions may bring others. */
  natureza: string;
  requestedAt: Date | undefined;
  settledAt: Date | undefined;
}

/** How long a call may take, with all its retries: a person waits for some calls. */
export const PIX_TIMEOUT_MS = 10_000;

export interface CobOrder {
  /** From {@link Pix.newTxid}. The same txid again is the same charge. */
  txid: string;
  amountCents: number;
  expiresInSeconds: number;
  /** Shown to the payer, at most 140 characters. */
  description: string;
}

/**
 * Access to a Pix account. Every call may be repeated: there is one charge for each txid and one refund for each id. No call
 * is made inside a database transaction. Each ends within {@link PIX_TIMEOUT_MS}, or throws the reason of `signal`.
 */
export interface Pix {
  readonly provider: "local" | "bacen";
  /** Whether an admin confirms payments, because the adapter can't know of them. */
  readonly isConfirmedByHand: boolean;
  /** When the certificate ends by which the PSP knows us. */
  certificateEndsAt?(): Promise<Date>;
  newTxid(): string;
  /**
   * Creates the charge, or returns the existing one under its txid in any status; an `ATIVA` one has a `brCode`. If the
   * existing charge has another amount or key, the call is `rejected`. @throws {PixError}
   */
  createCob(order: CobOrder, signal?: AbortSignal): Promise<Cob>;
  /** The charge as the PSP knows it, or `undefined`. @throws {PixError} */
  readCob(txid: string, signal?: AbortSignal): Promise<Cob | undefined>;
  /**
   * Refunds a received Pix, or returns the existing refund under this id (1–35 of `[A-Za-z0-9]`). If the existing refund has
   * another amount, the call is `rejected`. @throws {PixError}
   */
  refund(
    refund: { endToEndId: string; id: string; amountCents: number },
    signal?: AbortSignal,
  ): Promise<Devolucao>;
  /** @throws {PixError} */
  readRefund(
    refund: { endToEndId: string; id: string },
    signal?: AbortSignal,
  ): Promise<Devolucao | undefined>;
  /** Makes the PSP report payments to `url`, to which it adds `/pix`. Does nothing for `local`. @throws {PixError} */
  registerWebhook(url: string, signal?: AbortSignal): Promise<void>;
  close(): void;
}

interface PixErrorOptions {
  cause?: unknown;
  status?: number;
  retryAfterSeconds?: number;
  code?: string;
}

/**
 * Why a call failed. An `unavailable` call (time-out, 429, 5xx, refused token) may work later, and may have been carried out.
 * A `rejected` call never works unchanged, and was not carried out. Reads are never `rejected`.
 */
export class PixError extends Error {
  override name = "PixError";
  /** HTTP status of the PSP, if it answered. */
  readonly status: number | undefined;
  /** How long the PSP asked to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** A word for the log: API Pix's type of error, such as `CobOperacaoInvalida`, or what the network said. */
  readonly code: string | undefined;

  constructor(
    readonly kind: "unavailable" | "rejected",
    /** For the log: what the PSP said, without personal data. */
    detail: string,
    options: PixErrorOptions = {},
  ) {
    super(detail, { cause: options.cause });
    this.status = options.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.code = options.code;
  }
}
