import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { type PixConfig, readConfig } from "../../../src/server/config.ts";
import { createTempFolder } from "../temp-folder.ts";
import {
  type Bank,
  type BankAnswer,
  type BankCall,
  type BankedDevolucao,
  type BankedPix,
  createBank,
  problem,
} from "./bank.ts";
import { type Authority, createAuthority } from "./certificates.ts";
import { loadOpenApi } from "./open-api.ts";

/** A fault of one call. */
export type Fault =
  /** Is never answered, nor carried out. */
  | "silence"
  /** Is carried out and never answered. */
  | "lostAnswer"
  /** The connection breaks: before it is carried out, or within the answer. */
  | "cut"
  | "cutAnswer"
  /** Is carried out, and answered with a page. */
  | "garbage"
  /** Is carried out, and answered without end. */
  | "endless"
  /** Is answered with an error, from the catalogue if `type` names one. */
  | ErrorFault
  /** Is carried out, and answered with something else. */
  | { amend: (body: never) => unknown; status?: number }
  /** Is answered once the promise resolves. */
  | { until: Promise<unknown> };

interface ErrorFault {
  status: number;
  type?: string;
  headers?: Record<string, string>;
  json?: unknown;
  page?: string;
}

export interface Psp extends AsyncDisposable {
  /** `PIX_*` of an app that has its account here. */
  env: Record<string, string>;
  config: Extract<PixConfig, { provider: "bacen" }>;
  authority: Authority;
  bank: Bank;
  /** Calls in the order in which they came, such as `PUT /cob/{txid}`; `POST /oauth/token` too. */
  calls: string[];
  /** The received requests as text: headers and body. */
  received: string[];
  clock: { now(): Date };
  tokenLifetimeSeconds: number;
  /** The next calls of that kind meet these, one each. */
  fail(call: string, ...faults: Fault[]): void;
  /** Resolves when the next call of that kind has come in. */
  nextCall(call: string): Promise<void>;
  /** Forgets faults, calls and tokens; charges stay. */
  reset(): void;
  /** Somebody pays a charge, its whole amount unless told otherwise. */
  pay(txid: string, how?: { amountCents?: number; at?: Date; times?: number }): BankedPix[];
  settleRefund(id: string, status: "DEVOLVIDO" | "NAO_REALIZADO"): void;
  /** The PSP or the payer's bank takes money back from a charge that was paid, all of it unless told otherwise. */
  takeBack(
    txid: string,
    how?: Partial<Pick<BankedDevolucao, "cents" | "natureza" | "status">>,
  ): BankedDevolucao;
  refunds(): BankedDevolucao[];
  /** Reports a charge's payments to the registered webhook, or `to` another. */
  notify(txid: string, how?: { times?: number; to?: string }): Promise<Response[]>;
  /** Reports a payment that never was. */
  forge(txid: string, how?: { amountCents?: number; to?: string }): Promise<Response>;
  /** How a report is sent; an app without a port takes it by hand. */
  deliver: (url: string, body: string) => Promise<Response>;
  /** Violations of the Central Bank's OpenAPI file by calls or answers, if `PIX_OPENAPI` names it. */
  breaches: string[];
}

const KEY = "7d9f0335-8dcc-4054-9bf9-0dbd61d36906";
const BASE = "/api/v2";
const ROUTES = ["/cob/{txid}", "/pix/{e2eid}/devolucao/{id}", "/webhook/{chave}"];
/** Scope a call needs, by its first word. */
const SCOPES: Record<string, string> = { cob: "cob", pix: "pix", webhook: "webhook" };

export interface PspOptions {
  /** The customer's chave Pix. */
  key?: string;
  clock?: { now(): Date };
  /** Told of each call that gets no answer. */
  onUnanswered?: () => void;
  /** Makes the server's certificate, if it should be a wrong one. */
  serverCertificate?: (authority: Authority) => { cert: string; key: string };
}

/**
 * A PSP on loopback that speaks API Pix with mutual TLS and OAuth2, has its own authority, and fails when told to.
 * Disposing fails if a call or an answer violated the Central Bank's OpenAPI file.
 */
export async function startPsp(options: PspOptions = {}): Promise<Psp> {
  const { key = KEY, onUnanswered = () => {} } = options;
  const openApi = loadOpenApi();
  const folder = createTempFolder();
  const authority = createAuthority("Autoridade de teste");
  const server = options.serverCertificate?.(authority) ?? authority.certify("psp");
  const sockets = new Set<Socket>();
  const faults = new Map<string, Fault[]>();
  const awaited = new Map<string, PromiseWithResolvers<void>>();
  const tokens = new Map<string, { scopes: string[]; endsAt: number }>();
  const http = createServer(
    { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      respond(request, response).catch((error: unknown) => {
        psp.breaches.push(`the PSP failed: ${error}`);
        request.socket.destroy();
      });
    },
  );
  http.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const origin = `https://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const env = await writeEnvironment(folder.path, authority, origin, key);
  const { pix: config } = readConfig(env);
  if (config?.provider !== "bacen") throw new Error("PIX_PROVIDER");

  function grant(request: IncomingMessage, body: string): BankAnswer {
    const { clientId, clientSecret } = psp.config;
    const form = new URLSearchParams(body);
    const expected = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
    if (request.headers.authorization !== expected || form.get("grant_type") !== "client_credentials")
      return { status: 401, type: "application/json", body: { error: "invalid_client" } };
    const token = randomBytes(24).toString("base64url");
    const seconds = psp.tokenLifetimeSeconds;
    const scope = form.get("scope") ?? "";
    tokens.set(token, { scopes: scope.split(" "), endsAt: psp.clock.now().getTime() + seconds * 1000 });
    const granted = { access_token: token, token_type: "Bearer", expires_in: seconds, scope };
    return { status: 200, type: "application/json", body: granted };
  }

  /** Why the call may not be made, or undefined. */
  function refuse(request: IncomingMessage, { method, route }: BankCall): BankAnswer | undefined {
    const token = tokens.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "");
    if (!token || psp.clock.now().getTime() >= token.endsAt)
      return { status: 401, type: "application/json", body: { title: "Unauthorized", status: 401 } };
    const scope = `${SCOPES[route.split("/")[1] ?? ""]}.${method === "GET" ? "read" : "write"}`;
    if (openApi && !openApi.scopes({ method, route }).includes(scope)) psp.breaches.push(`scope ${scope}`);
    return token.scopes.includes(scope) ? undefined : problem(403, "AcessoNegado");
  }

  function carryOut(request: IncomingMessage, call: BankCall): BankAnswer {
    const refusal = refuse(request, call);
    if (refusal) return refusal;
    psp.breaches.push(...(openApi?.request(call) ?? []));
    const answer = psp.bank.handle(call);
    const { method, route } = call;
    // 409 and 422 replace the file's 400: real PSPs do so, and this one on purpose.
    const status = answer.status === 409 || answer.status === 422 ? 400 : answer.status;
    psp.breaches.push(...(openApi?.answer({ method, route, ...answer, status }) ?? []));
    return answer;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Uint8Array[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    const call = callOf(request, body);
    const name = `${request.method} ${call?.route ?? request.url}`;
    psp.calls.push(name);
    awaited.get(name)?.resolve();
    awaited.delete(name);
    psp.received.push(`${name} ${JSON.stringify(request.headers)} ${body}`);
    const fault = faults.get(name)?.shift();
    if (fault === "silence") return onUnanswered();
    if (fault === "cut") return void request.socket.destroy();
    if (typeof fault === "object" && "status" in fault && !("amend" in fault)) return fail(response, fault);
    if (typeof fault === "object" && "until" in fault) await fault.until;
    const answer = call ? carryOut(request, call) : grant(request, body);
    if (fault === "lostAnswer") return onUnanswered();
    send(response, answer, fault, psp.clock.now());
  }

  async function report(url: string, entries: object[]): Promise<Response> {
    const body = { pix: entries };
    psp.breaches.push(...(openApi?.webhook(JSON.parse(JSON.stringify(body))) ?? []));
    return await psp.deliver(`${url}/pix`, JSON.stringify(body));
  }

  const webhook = (to: string | undefined) => {
    const url = to ?? psp.bank.webhookUrl;
    if (!url) throw new Error("no webhook is registered");
    return url;
  };

  const psp: Psp = {
    ...{ env, config, authority, calls: [], received: [], breaches: [], tokenLifetimeSeconds: 3600 },
    clock: options.clock ?? { now: () => new Date() },
    bank: createBank(key, () => psp.clock.now()),
    fail: (call, ...more) => void faults.set(call, [...(faults.get(call) ?? []), ...more]),
    nextCall(call) {
      const arrival = awaited.get(call) ?? Promise.withResolvers<void>();
      awaited.set(call, arrival);
      return arrival.promise;
    },
    reset() {
      faults.clear();
      tokens.clear();
      psp.calls.length = 0;
      psp.received.length = 0;
    },
    pay(txid, { amountCents, at = psp.clock.now(), times = 1 } = {}) {
      const cob = psp.bank.cobs.get(txid);
      if (!cob) throw new Error("nobody can pay a charge that is not there");
      const paid = Array.from({ length: times }, () => newPix(amountCents ?? cob.cents, at));
      cob.pix.push(...paid);
      cob.status = "CONCLUIDA";
      return paid;
    },
    refunds: () =>
      [...psp.bank.cobs.values()]
        .flatMap(({ pix }) => pix)
        .flatMap(({ devolucoes }) => [...devolucoes.values()]),
    settleRefund(id, status) {
      const devolucao = psp.refunds().find((refund) => refund.id === id);
      if (!devolucao) throw new Error("no such refund");
      devolucao.status = status;
      if (status === "DEVOLVIDO") devolucao.settledAt = psp.clock.now();
    },
    takeBack(txid, { cents, natureza = "MED_FRAUDE", status = "DEVOLVIDO" } = {}) {
      const paid = psp.bank.cobs.get(txid)?.pix[0];
      if (!paid) throw new Error("nothing was paid that could go back");
      const id = randomBytes(16).toString("hex");
      const now = psp.clock.now();
      const devolucao: BankedDevolucao = {
        ...{ id, cents: cents ?? paid.cents, natureza, status, askedAt: now },
        rtrId: `D${randomBytes(16).toString("hex").slice(1)}`,
        ...(status === "DEVOLVIDO" && { settledAt: now }),
      };
      paid.devolucoes.set(id, devolucao);
      return devolucao;
    },
    async notify(txid, { times = 1, to } = {}) {
      const entries = psp.bank.cobs.get(txid)?.pix.map((pix) => psp.bank.pix(pix, txid)) ?? [];
      const answers: Response[] = [];
      for (let sent = 0; sent < times; sent++) answers.push(await report(webhook(to), entries));
      return answers;
    },
    forge: (txid, { amountCents = 100, to } = {}) =>
      report(webhook(to), [psp.bank.pix(newPix(amountCents, psp.clock.now()), txid)]),
    deliver: (url, body) =>
      fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body }),
    async [Symbol.asyncDispose]() {
      http.close();
      for (const socket of sockets) socket.destroy();
      await folder[Symbol.asyncDispose]();
      if (psp.breaches.length > 0) throw new Error(`not API Pix:\n${psp.breaches.join("\n")}`);
    },
  };
  return psp;
}

function newPix(cents: number, at: Date): BankedPix {
  const day = at.toISOString().replace(/\D/g, "").slice(0, 12);
  const endToEndId = `E12345678${day}${randomBytes(8).toString("hex").slice(0, 11)}`;
  return { endToEndId, cents, at, devolucoes: new Map() };
}

/** Undefined: the token endpoint. */
function callOf(request: IncomingMessage, body: string): BankCall | undefined {
  const { pathname } = new URL(request.url ?? "", "https://localhost");
  const method = request.method ?? "";
  if (method === "POST" && pathname === "/oauth/token") return undefined;
  const parts = pathname.slice(BASE.length).split("/");
  for (const route of ROUTES) {
    const names = route.split("/");
    const isRoute =
      names.length === parts.length && names.every((name, at) => name.startsWith("{") || name === parts[at]);
    if (!pathname.startsWith(`${BASE}/`) || !isRoute) continue;
    const values = names.map((name, at) => [name.slice(1, -1), decodeURIComponent(parts[at] ?? "")] as const);
    const parameters = Object.fromEntries(values.filter((_, at) => names[at]?.startsWith("{")));
    return { method, route, parameters, body: body === "" ? undefined : JSON.parse(body) };
  }
  return { method, route: pathname, parameters: {}, body: undefined };
}

function fail(response: ServerResponse, { status, type, headers, json, page }: ErrorFault): void {
  const body = type ? problem(status, type).body : json;
  const contentType = page ? "text/html" : "application/problem+json";
  response.writeHead(status, { "content-type": contentType, ...headers }).end(page ?? JSON.stringify(body));
}

function send(response: ServerResponse, answer: BankAnswer, fault: Fault | undefined, now: Date): void {
  const amended = typeof fault === "object" && "amend" in fault;
  const body = amended ? fault.amend(answer.body as never) : answer.body;
  const text =
    fault === "garbage" ? "<html>Em manutenção</html>" : body === undefined ? "" : JSON.stringify(body);
  const status = (amended && fault.status) || answer.status;
  response.writeHead(status, { "content-type": answer.type, date: now.toUTCString() });
  if (fault === "cutAnswer")
    return void response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
  if (fault !== "endless") return void response.end(text);
  const more = () => {
    if (!response.destroyed) response.write(" ".repeat(65_536), more);
  };
  response.once("close", () => response.destroy());
  more();
}

async function writeEnvironment(
  folder: string,
  authority: Authority,
  origin: string,
  key: string,
): Promise<Record<string, string>> {
  const client = authority.certify("exameteca");
  const files = { PIX_CERT: client.cert, PIX_CERT_KEY: client.key, PIX_CA: authority.cert };
  for (const [name, pem] of Object.entries(files)) await writeFile(join(folder, name), pem, { mode: 0o600 });
  return {
    ...Object.fromEntries(Object.keys(files).map((name) => [name, join(folder, name)])),
    PIX_PROVIDER: "bacen",
    PIX_KEY: key,
    PIX_MERCHANT_NAME: "Clínica São João",
    PIX_MERCHANT_CITY: "São Paulo",
    PIX_API_URL: `${origin}${BASE}`,
    PIX_TOKEN_URL: `${origin}/oauth/token`,
    PIX_CLIENT_ID: "exameteca",
    PIX_CLIENT_SECRET: randomBytes(24).toString("base64url"),
    PIX_WEBHOOK_SECRET: randomBytes(24).toString("base64url"),
  };
}
