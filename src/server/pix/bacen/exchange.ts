import { readUpTo } from "../../runtime/read-up-to.ts";
import { connectionFailure, invalidAnswer, type PspAnswer } from "./psp-failure.ts";
import { type CurrentIdentity, outOfTime, type TlsIdentity } from "./tls-identity.ts";

/** A bound far above any answer about one charge. */
const MAX_ANSWER_BYTES = 256 << 10;

export interface Exchange {
  /** Method and pattern of the path, for the log, because the path itself names charges. */
  name: string;
  method: "GET" | "PUT" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
}

/** Sends one request over mutual TLS and reads its whole answer. @throws {PspFailure} if none comes */
export async function exchange(current: CurrentIdentity, request: Exchange): Promise<PspAnswer> {
  const { name, url, ...init } = request;
  const identity = await current();
  const outside = outOfTime(identity, new Date());
  const { status, headers, bytes } = await receive(identity, url, init).catch((error: unknown) => {
    throw connectionFailure(name, error, outside);
  });
  if (bytes === undefined) throw invalidAnswer(name, "an answer without end", status);
  return { status, headers, json: jsonIn(bytes), isEmpty: bytes.length === 0, outOfTime: outside };
}

async function receive({ tls }: TlsIdentity, url: string, init: Omit<Exchange, "name" | "url">) {
  // A redirect would carry the token to a host that nobody configured.
  const response = await fetch(url, { ...init, redirect: "manual", tls });
  const bytes = await readUpTo(response.body ?? [], MAX_ANSWER_BYTES);
  return { status: response.status, headers: response.headers, bytes };
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
