import type { BacenPixConfig } from "../../config.ts";
import type { Clock } from "../../runtime/clock.ts";
import { exchange } from "./exchange.ts";
import type { Pace } from "./pace.ts";
import { tokenErrorSchema, tokenSchema } from "./psp-answers.ts";
import { failureOf, invalidAnswer, PspFailure } from "./psp-failure.ts";
import type { CurrentIdentity } from "./tls-identity.ts";

export interface AccessToken {
  /** A token that is valid now. Concurrent callers share one request, which none of them can abort. @throws {PspFailure} */
  get(): Promise<string>;
  /** Forgets `token`, because the PSP refused it. */
  drop(token: string): void;
}

/** The scopes that the adapter needs, and no more. */
const SCOPE = "cob.write cob.read pix.write pix.read webhook.write webhook.read";
const REQUEST = "POST token";
/** A token is replaced this long before it expires, so that it does not expire during a request. */
const MARGIN_MS = 60_000;
/** The lifetime if the PSP gives none. A token that is refused earlier is dropped. */
const ASSUMED_LIFETIME_MS = 300_000;

export interface AccessTokenOptions {
  config: Pick<BacenPixConfig, "tokenUrl" | "clientId" | "clientSecret">;
  identity: CurrentIdentity;
  clock: Clock;
  pace: Pick<Pace, "elapsedMs">;
  /** Makes the signal of one request. */
  newSignal(): AbortSignal;
}

/** OAuth2 client credentials (RFC 6749 §4.4) over mutual TLS. */
export function createAccessToken({
  config,
  identity,
  clock,
  pace,
  newSignal,
}: AccessTokenOptions): AccessToken {
  let held: { value: string; goodUntilMs: number } | undefined;
  let pending: Promise<string> | undefined;
  // The credentials are not form-encoded first (RFC 6749 §2.3.1): PSPs issue plain words and do not decode them.
  const credentials = Buffer.from(`${config.clientId}:${config.clientSecret}`).toString("base64");

  async function request(): Promise<string> {
    // The PSP's clock may be wrong and its answer slow, so the lifetime counts from our request.
    const askedAtMs = pace.elapsedMs();
    const answer = await exchange(identity, {
      name: REQUEST,
      method: "POST",
      url: config.tokenUrl,
      headers: {
        authorization: `Basic ${credentials}`,
        "content-type": "application/x-www-form-urlencoded",
        accept: "application/json",
      },
      body: new URLSearchParams({ grant_type: "client_credentials", scope: SCOPE }).toString(),
      signal: newSignal(),
    });
    if (answer.status !== 200 && answer.status !== 201)
      throw refusalOf(failureOf(REQUEST, answer, clock), answer.json);
    const token = tokenSchema.safeParse(answer.json).data;
    if (!token) throw invalidAnswer(REQUEST, "no token", answer.status);
    const lifetimeMs = token.expires_in === undefined ? ASSUMED_LIFETIME_MS : token.expires_in * 1000;
    const goodUntilMs = askedAtMs + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 4);
    held = { value: token.access_token, goodUntilMs };
    return token.access_token;
  }

  return {
    get() {
      if (held && pace.elapsedMs() < held.goodUntilMs) return Promise.resolve(held.value);
      pending ??= request().finally(() => {
        pending = undefined;
      });
      return pending;
    },
    drop(token) {
      if (held?.value === token) held = undefined;
    },
  };
}

/** Refused credentials may work again later, whatever the status says. */
function refusalOf(failure: PspFailure, json: unknown): PspFailure {
  if (failure.isRetryable) return failure;
  const { status, message } = failure;
  const code = tokenErrorSchema.safeParse(json).data?.error ?? failure.code;
  return new PspFailure("unavailable", `${message} ${code ?? ""}`.trim(), { status, code });
}
