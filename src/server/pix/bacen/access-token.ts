import type { BacenPixConfig } from "../../config.ts";
import type { Clock } from "../../runtime/clock.ts";
import { exchange } from "./exchange.ts";
import { tokenErrorSchema, tokenSchema } from "./psp-answers.ts";
import { failureOf, nonsense, PspFailure } from "./psp-failure.ts";
import type { TlsIdentity } from "./tls-identity.ts";

export interface AccessToken {
  /** A token that is good for now. Callers at the same time share one request; none of them ends it. @throws {PspFailure} */
  get(): Promise<string>;
  /** Forgets `token`: the PSP refused it. */
  drop(token: string): void;
}

/** What the adapter does, and nothing more. */
const SCOPE = "cob.write cob.read pix.write pix.read webhook.write webhook.read";
const REQUEST = "POST token";
/** Given up before it ends, so that it doesn't end on the way. */
const MARGIN_MS = 60_000;
/** Where the PSP doesn't say; one that is refused earlier is dropped. */
const ASSUMED_LIFETIME_MS = 300_000;

export interface AccessTokenOptions {
  config: Pick<BacenPixConfig, "tokenUrl" | "clientId" | "clientSecret">;
  identity: TlsIdentity;
  clock: Clock;
  /** A signal for one request. */
  newSignal(): AbortSignal;
}

/** OAuth2 client credentials (RFC 6749 §4.4) over mutual TLS. */
export function createAccessToken({ config, identity, clock, newSignal }: AccessTokenOptions): AccessToken {
  let held: { value: string; goodUntil: number } | undefined;
  let pending: Promise<string> | undefined;
  // As it is, not form-encoded first (RFC 6749 §2.3.1): PSPs give plain words and don't decode.
  const credentials = Buffer.from(`${config.clientId}:${config.clientSecret}`).toString("base64");

  async function request(): Promise<string> {
    // The PSP's clock may be wrong, and its answer slow: the lifetime counts from our own at the request.
    const askedAt = clock.now().getTime();
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
    if (!token) throw nonsense(REQUEST, "no token", answer.status);
    const lifetimeMs = token.expires_in === undefined ? ASSUMED_LIFETIME_MS : token.expires_in * 1000;
    const goodUntil = askedAt + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 4);
    held = { value: token.access_token, goodUntil };
    return token.access_token;
  }

  return {
    get() {
      if (held && clock.now().getTime() < held.goodUntil) return Promise.resolve(held.value);
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

/** Credentials that are refused may be granted again, whatever the status says. */
function refusalOf(failure: PspFailure, json: unknown): PspFailure {
  if (failure.isRetryable) return failure;
  const { status, message } = failure;
  const code = tokenErrorSchema.safeParse(json).data?.error ?? failure.code;
  return new PspFailure("unavailable", `${message} ${code ?? ""}`.trim(), { status, code });
}
