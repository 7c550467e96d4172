/** A charge at the PSP. Amounts are integer cents, times Dates. */
export interface Cob {
  txid: string;
  status: CobStatus;
  amountCents: number;
  /** "Pix copia e cola"; a charge that is no longer open may have none. */
  brCode: string | undefined;
  /** What was paid for it so far. */
  pix: ReceivedPix[];
}

/** API Pix `CobStatus`. An expired charge has none of its own: it stays ATIVA. */
export type CobStatus = "ATIVA" | "CONCLUIDA" | "REMOVIDA_PELO_USUARIO_RECEBEDOR" | "REMOVIDA_PELO_PSP";

export interface ReceivedPix {
  endToEndId: string;
  amountCents: number;
  paidAt: Date;
  /** What went back of it, whoever asked: the merchant, the PSP, or the payer's bank (MED). */
  devolucoes: ReceivedDevolucao[];
}

/** API Pix `Devolucao`. */
export interface Devolucao {
  id: string;
  status: "EM_PROCESSAMENTO" | "DEVOLVIDO" | "NAO_REALIZADO";
  amountCents: number;
}

/** A devolucao as it stands on the Pix that it gives back. */
export interface ReceivedDevolucao extends Devolucao {
  /** `ReturnIdentification` of the interbank message; undefined where the PSP tells none yet. */
  rtrId: string | undefined;
  /** API Pix `DevolucaoNatureza`; later versions may bring others. */
  natureza: string;
  requestedAt: Date | undefined;
  settledAt: Date | undefined;
}

/** How long a call may take, all its repetitions included: a person waits for some of them. */
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
 * The way to a Pix account. Every call may be repeated: charges are one a txid, refunds one an id. None is made
 * inside a database transaction. All end within {@link PIX_TIMEOUT_MS}; where `signal` aborts they throw its reason.
 */
export interface Pix {
  readonly provider: "local" | "bacen";
  /** Whether an admin says that a charge was paid, since the adapter can't know. */
  readonly isConfirmedByHand: boolean;
  newTxid(): string;
  /**
   * Makes the charge, or answers the one that is there under its txid, whatever its status; one that is still
   * `ATIVA` has a `brCode`. Another amount or key under that txid is `rejected`. @throws {PixError}
   */
  createCob(order: CobOrder, signal?: AbortSignal): Promise<Cob>;
  /** The charge as the PSP knows it; `undefined` where it knows none. @throws {PixError} */
  readCob(txid: string, signal?: AbortSignal): Promise<Cob | undefined>;
  /**
   * Gives money back for a received Pix, or answers the refund that is there under its id (1–35 of `[A-Za-z0-9]`);
   * another amount under that id is `rejected`. @throws {PixError}
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
  /** Sees to it that the PSP reports what is paid to `url` (it adds `/pix`). Nothing to do for `local`. @throws {PixError} */
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
 * Why a call failed: `unavailable` may work later (time-out, 429, 5xx, a token refused), and whether it was carried out
 * is not known; `rejected` won't work as long as the call is the same, and nothing was carried out. Reads are never
 * `rejected`.
 */
export class PixError extends Error {
  override name = "PixError";
  /** HTTP status of the PSP, where it answered. */
  readonly status: number | undefined;
  /** What the PSP asked to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** A word for the log: API Pix's type of error, such as `CobOperacaoInvalida`, or what the network said. */
  readonly code: string | undefined;

  constructor(
    readonly kind: "unavailable" | "rejected",
    /** For the log: what the PSP said, without data of persons. */
    detail: string,
    options: PixErrorOptions = {},
  ) {
    super(detail, { cause: options.cause });
    this.status = options.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.code = options.code;
  }
}
