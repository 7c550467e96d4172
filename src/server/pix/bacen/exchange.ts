import { connectionFailure, nonsense, type PspAnswer } from "./psp-failure.ts";
import type { TlsIdentity } from "./tls-identity.ts";

/** Far above any answer about one charge. */
const MAX_ANSWER_BYTES = 256 << 10;

export interface Exchange {
  /** Method and pattern of the path, for the log: the path itself names charges. */
  name: string;
  method: "GET" | "PUT" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
}

/** Sends one request over mutual TLS and reads its answer whole. @throws {PspFailure} where none comes */
export async function exchange(identity: TlsIdentity, request: Exchange): Promise<PspAnswer> {
  const { name, url, ...init } = request;
  const { status, headers, bytes } = await receive(identity, url, init).catch((error: unknown) => {
    throw connectionFailure(name, error);
  });
  if (bytes === undefined) throw nonsense(name, "an answer without end", status);
  return { status, headers, json: jsonIn(bytes), isEmpty: bytes.length === 0 };
}

async function receive(identity: TlsIdentity, url: string, init: Omit<Exchange, "name" | "url">) {
  // A redirect would carry the token to a host that nobody configured.
  const response = await fetch(url, { ...init, redirect: "manual", tls: identity });
  return { status: response.status, headers: response.headers, bytes: await readUpTo(response) };
}

/** Undefined where the body goes on past the limit. */
async function readUpTo(response: Response): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of response.body ?? []) {
    sizeBytes += piece.length;
    if (sizeBytes > MAX_ANSWER_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
