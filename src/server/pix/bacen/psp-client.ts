import type * as z from "zod/mini";
import type { BacenPixConfig } from "../../config.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createAccessToken } from "./access-token.ts";
import { exchange } from "./exchange.ts";
import type { Pace } from "./pace.ts";
import { connectionFailure, failureOf, invalidAnswer, type PspAnswer, PspFailure } from "./psp-failure.ts";
import type { CurrentIdentity } from "./tls-identity.ts";

/** A request to the PSP. Each may be sent again, because it is a read or a write under an id of ours. */
export interface PspRequest {
  method: "GET" | "PUT";
  /** Such as `/cob/{txid}`. `values` replace the placeholders in order, escaped. */
  path: string;
  values: readonly string[];
  json?: unknown;
}

/** The time that a call has for all its requests and retries. */
export interface Budget {
  /** The end, by {@link Pace.elapsedMs}. */
  endsAtMs: number;
  caller: AbortSignal | undefined;
}

export interface PspClient {
  begin(caller: AbortSignal | undefined): Budget;
  /** Sends until an answer matches `schema`. @throws {PspFailure} or the caller's reason to abort */
  call<T>(budget: Budget, request: PspRequest, schema: z.ZodMiniType<T>): Promise<T>;
  /** Aborts the running requests. */
  close(): void;
}

export interface PspClientOptions {
  config: Pick<BacenPixConfig, "apiUrl" | "tokenUrl" | "clientId" | "clientSecret">;
  identity: CurrentIdentity;
  clock: Clock;
  pace: Pace;
  /** The limit of a whole call. */
  timeoutMs: number;
  /** The limit of one request, which leaves time to retry if the PSP stays silent. */
  attemptTimeoutMs: number;
}

const RETRIES = 6;
/** The longest wait before the first retry. It doubles with each retry. */
const RETRY_DELAY_MS = 250;

export function createPspClient(options: PspClientOptions): PspClient {
  const { config, identity, clock, pace, timeoutMs, attemptTimeoutMs } = options;
  const closing = new AbortController();
  const token = createAccessToken({
    config,
    identity,
    clock,
    pace,
    newSignal: () => AbortSignal.any([closing.signal, pace.limit(attemptTimeoutMs)]),
  });

  /** Sends one request. If the token was withdrawn early, sends it once more at once with a new token. */
  async function attempt<T>(budget: Budget, request: PspRequest, schema: z.ZodMiniType<T>): Promise<T> {
    const name = nameOf(request);
    const limitMs = Math.min(attemptTimeoutMs, budget.endsAtMs - pace.elapsedMs());
    const signal = anyOf(pace.limit(Math.max(1, Math.ceil(limitMs))), closing.signal, budget.caller);
    let bearer = await unlessAborted(token.get(), signal, name);
    let answer = await send(request, bearer, signal);
    if (answer.status === 401) {
      token.drop(bearer);
      bearer = await unlessAborted(token.get(), signal, name);
      answer = await send(request, bearer, signal);
    }
    if (answer.status === 401) token.drop(bearer);
    if (answer.status < 200 || answer.status > 299) throw failureOf(name, answer, clock);
    const parsed = schema.safeParse(answer.json);
    if (!parsed.success) throw invalidAnswer(name, listInvalidKeys(parsed.error), answer.status);
    return parsed.data;
  }

  function send(request: PspRequest, bearer: string, signal: AbortSignal): Promise<PspAnswer> {
    const { method, json } = request;
    const headers = { authorization: `Bearer ${bearer}`, accept: "application/json" };
    const url = config.apiUrl + fillIn(request);
    const sent = { name: nameOf(request), method, url, headers, signal };
    if (json === undefined) return exchange(identity, sent);
    const body = JSON.stringify(json);
    return exchange(identity, { ...sent, headers: { ...headers, "content-type": "application/json" }, body });
  }

  async function pause(delayMs: number, budget: Budget, name: string): Promise<void> {
    try {
      await pace.sleep(delayMs, anyOf(closing.signal, budget.caller));
    } catch (error) {
      budget.caller?.throwIfAborted();
      throw connectionFailure(name, error);
    }
  }

  return {
    begin: (caller) => ({ endsAtMs: pace.elapsedMs() + timeoutMs, caller }),

    async call(budget, request, schema) {
      let mayBeDone = false;
      for (let retry = 0; ; retry++) {
        budget.caller?.throwIfAborted();
        try {
          return await attempt(budget, request, schema);
        } catch (error) {
          budget.caller?.throwIfAborted();
          if (!(error instanceof PspFailure)) throw error;
          error.followsLostAnswer = mayBeDone;
          // A request that the PSP refused with 401 or 429 was not carried out.
          mayBeDone ||= error.kind === "unavailable" && error.status !== 429 && error.status !== 401;
          const delayMs = delayBefore(retry, error, pace);
          const isTooLate = pace.elapsedMs() + delayMs >= budget.endsAtMs;
          if (!error.isRetryable || retry >= RETRIES || isTooLate || closing.signal.aborted) throw error;
          await pause(delayMs, budget, nameOf(request));
        }
      }
    },

    close: () => closing.abort(),
  };
}

function nameOf({ method, path }: PspRequest): string {
  return `${method} ${path}`;
}

function fillIn({ path, values }: PspRequest): string {
  let filled = 0;
  return path.replace(/\{\w+\}/g, () => encodeURIComponent(values[filled++] ?? ""));
}

/** Waits with full jitter, so that callers who failed together do not retry together. Never retries before the PSP allows. */
function delayBefore(retry: number, failure: PspFailure, pace: Pace): number {
  const jitteredMs = pace.random() * RETRY_DELAY_MS * 2 ** retry;
  return Math.max(jitteredMs, (failure.retryAfterSeconds ?? 0) * 1000);
}

/** The names of the invalid keys, never their values. */
function listInvalidKeys({ issues }: z.core.$ZodError): string {
  return `unexpected ${issues.map(({ path }) => path.join(".") || "body").join(", ")}`;
}

function anyOf(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/** Waits for shared work until `signal` aborts. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, name: string): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(connectionFailure(name, signal.reason));
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
