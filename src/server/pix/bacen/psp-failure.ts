import type { Clock } from "../../runtime/clock.ts";
import { PixError } from "../pix.ts";
import { problemSchema } from "./psp-answers.ts";

/** A complete answer of the PSP. */
export interface PspAnswer {
  status: number;
  headers: Headers;
  /** Undefined if the body is empty or not JSON. */
  json: unknown;
  isEmpty: boolean;
  /** That our certificate is outside its time, which may be why the PSP refuses. */
  outOfTime?: string | undefined;
}

interface PspFailureOptions {
  status?: number;
  code?: string;
  cause?: unknown;
  retryAfterSeconds?: number;
  isRetryable?: boolean;
  isNotFound?: boolean;
}

/** A {@link PixError} with details that only the adapter needs. */
export class PspFailure extends PixError {
  /** Whether the same request may work within seconds. */
  readonly isRetryable: boolean;
  /** Whether the PSP knows nothing under that address. */
  readonly isNotFound: boolean;
  /** Whether an earlier try of the same call may have been carried out, because its answer was lost. */
  followsLostAnswer = false;

  constructor(kind: PixError["kind"], detail: string, options: PspFailureOptions = {}) {
    super(kind, detail, options);
    this.isRetryable = options.isRetryable ?? false;
    this.isNotFound = options.isNotFound ?? false;
  }
}

/** The same failure as a doubtful one: the request may have been carried out nevertheless. */
export function asDoubtful(failure: PspFailure): PspFailure {
  const { message, status, code, retryAfterSeconds } = failure;
  return new PspFailure("unavailable", message, { status, code, retryAfterSeconds, cause: failure });
}

const RETRYABLE_STATUSES = new Set([408, 429, 500, 502, 503, 504]);
/** Longer waits are taken for a mistake of the PSP. */
const MAX_RETRY_AFTER_SECONDS = 3600;

type Meaning = "outage" | "refusal" | "notFound" | "invalid";

/**
 * Interprets an answer that is not a success. The problem's free text is ignored, because it may quote personal data.
 * @param request its method and the pattern of its path
 */
export function failureOf(request: string, answer: PspAnswer, clock: Clock): PspFailure {
  const { status } = answer;
  const problem = problemSchema.safeParse(answer.json).data;
  const code = /\/([A-Za-z]{1,60})$/.exec(problem?.type ?? "")?.[1];
  const detail = joined(describe(request, status, code, problem), answer.outOfTime);
  const options = { status, code, retryAfterSeconds: retryAfterOf(answer, clock) };
  const meaning = meaningOfType(problem?.type) ?? meaningOfStatus(status);
  // An HTML page comes from a wrong address. It does not mean that the charge is missing.
  const isElsewhere = meaning === "notFound" && answer.json === undefined && !answer.isEmpty;
  if (isElsewhere) return new PspFailure("unavailable", `${detail}: no API Pix at this address`, options);
  if (status === 429 || meaning === "outage") {
    const isRetryable = RETRYABLE_STATUSES.has(status) || status < 500;
    return new PspFailure("unavailable", detail, { ...options, isRetryable });
  }
  if (meaning === "refusal") return new PspFailure("unavailable", detail, options);
  return new PspFailure("rejected", detail, { ...options, isNotFound: meaning === "notFound" });
}

/** The type of the problem counts more than the HTTP status, which gateways change (API Pix, "Tratamento de erros"). */
function meaningOfType(type: string | undefined): Meaning | undefined {
  const name = /^https:\/\/pix\.bcb\.gov\.br\/.*\/(\w+)$/.exec(type ?? "")?.[1];
  if (name === undefined) return undefined;
  if (["ErroInternoDoServidor", "ServicoIndisponivel", "IndisponibilidadePorTempoEsgotado"].includes(name))
    return "outage";
  if (/NaoEncontrad[oa]$/.test(name) || name === "PermanentementeRemovido") return "notFound";
  return /Invalida$/.test(name) || name === "AcessoNegado" ? "invalid" : undefined;
}

function meaningOfStatus(status: number): Meaning {
  if (RETRYABLE_STATUSES.has(status) || status >= 500) return "outage";
  // A redirect would carry the token to a host that nobody configured. A refused token may be granted again.
  if (status < 400 || status === 401) return "refusal";
  return status === 404 || status === 410 ? "notFound" : "invalid";
}

function describe(
  request: string,
  status: number,
  code: string | undefined,
  problem: ReturnType<typeof problemSchema.safeParse>["data"],
): string {
  const named = problem?.violacoes?.map(({ propriedade }) => propriedade) ?? [];
  const properties = named.filter((name) => name !== undefined && /^[\w.[\]]{1,60}$/.test(name)).slice(0, 10);
  const correlation = /^[\w-]{1,64}$/.exec(problem?.correlationId ?? "")?.[0];
  return [
    `${request}: ${status}`,
    code,
    properties.length > 0 && `(${properties.join(", ")})`,
    correlation && `correlationId ${correlation}`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Reads seconds or a date (RFC 9110 §10.2.3), within bounds. */
function retryAfterOf({ headers }: PspAnswer, clock: Clock): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - clock.now().getTime()) / 1000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_SECONDS) : undefined;
}

/** The connection failed or timed out. The request may have been carried out. */
export function connectionFailure(request: string, cause: unknown, outOfTime?: string): PspFailure {
  const code = networkCodeOf(cause);
  return new PspFailure("unavailable", joined(`${request}: ${code}`, outOfTime), {
    cause,
    code,
    isRetryable: !isUntrusted(code),
  });
}

/** An answer that does not follow API Pix. */
export function invalidAnswer(request: string, what: string, status?: number): PspFailure {
  return new PspFailure("unavailable", `${request}: ${what}`, {
    status,
    code: "nonsense",
    isRetryable: true,
  });
}

function joined(detail: string, outOfTime: string | undefined): string {
  return outOfTime === undefined ? detail : `${detail}; ${outOfTime}`;
}

function networkCodeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "failed";
  if ("code" in cause && typeof cause.code === "string") return cause.code;
  return cause.name;
}

/** OpenSSL's codes for an untrusted certificate. A retry changes nothing. */
function isUntrusted(code: string): boolean {
  return /CERT|SIGNATURE|ALTNAME/.test(code);
}
