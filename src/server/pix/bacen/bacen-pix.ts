import * as z from "zod/mini";
import { centsToDecimal, dynamicBrCode } from "../../../shared/rules/br-code.ts";
import type { BacenPixConfig } from "../../config.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/log.ts";
import { assertMerchant, type Merchant } from "../merchant.ts";
import {
  type Cob,
  type CobOrder,
  type Devolucao,
  PIX_TIMEOUT_MS,
  type Pix,
  PixError,
  type ReceivedDevolucao,
} from "../pix.ts";
import { type Pace, realPace } from "./pace.ts";
import {
  type CobAnswer,
  cobSchema,
  type DevolucaoAnswer,
  devolucaoSchema,
  type ReceivedDevolucaoAnswer,
  webhookSchema,
} from "./psp-answers.ts";
import { type Budget, createPspClient } from "./psp-client.ts";
import { asDoubtful, invalidAnswer, PspFailure } from "./psp-failure.ts";
import { followTlsIdentity } from "./tls-identity.ts";

export interface BacenPixOptions {
  pace?: Pace;
  timeoutMs?: number;
  attemptTimeoutMs?: number;
  /** Hears of PEM files that can't be used any more. */
  log?: Pick<Logger, "warn"> | undefined;
}

/**
 * The Central Bank's API Pix 2.9, as Brazilian PSPs implement it: OAuth2 client credentials over mutual TLS. No
 * personal data is sent, read or kept.
 * @throws {ConfigError} if the PEM files can't be used
 */
export async function createBacenPix(
  config: BacenPixConfig & Merchant,
  clock: Clock,
  { pace = realPace, timeoutMs = PIX_TIMEOUT_MS, attemptTimeoutMs = 4_000, log }: BacenPixOptions = {},
): Promise<Pix> {
  assertMerchant(config);
  const identity = await followTlsIdentity(config, log);
  const psp = createPspClient({ config, identity, clock, pace, timeoutMs, attemptTimeoutMs });

  function fetchCob(budget: Budget, txid: string): Promise<CobAnswer | undefined> {
    const request = { method: "GET", path: "/cob/{txid}", values: [txid] } as const;
    return undefinedIfNotFound(psp.call(budget, request, cobSchema));
  }

  function fetchDevolucao(budget: Budget, { endToEndId, id }: { endToEndId: string; id: string }) {
    const request = { method: "GET", path: "/pix/{e2eid}/devolucao/{id}", values: [endToEndId, id] } as const;
    return undefinedIfNotFound(psp.call(budget, request, devolucaoSchema));
  }

  return {
    provider: "bacen",
    isConfirmedByHand: false,
    certificateEndsAt: async () => (await identity()).validTo,
    newTxid: () => crypto.randomUUID().replaceAll("-", ""),

    async createCob(order, signal) {
      const budget = psp.begin(signal);
      const { txid, amountCents, expiresInSeconds, description } = order;
      const json = {
        calendario: { expiracao: expiresInSeconds },
        valor: { original: centsToDecimal(amountCents) },
        chave: config.key,
        solicitacaoPagador: description,
      };
      const request = { method: "PUT", path: "/cob/{txid}", values: [txid], json } as const;
      const cob = await orReadExisting(psp.call(budget, request, cobSchema), () => fetchCob(budget, txid));
      assertOrdered(cob, order, config.key);
      const charge = presentCob(cob, config);
      if (charge.status === "ATIVA" && charge.brCode === undefined)
        throw invalidAnswer("PUT /cob/{txid}", "a charge without a code");
      return charge;
    },

    async readCob(txid, signal) {
      const cob = await fetchCob(psp.begin(signal), txid);
      if (!cob) return undefined;
      if (cob.txid !== txid) throw invalidAnswer("GET /cob/{txid}", "another charge");
      return presentCob(cob, config);
    },

    async refund(refund, signal) {
      const budget = psp.begin(signal);
      const { endToEndId, id, amountCents } = refund;
      const json = { valor: centsToDecimal(amountCents) };
      const values = [endToEndId, id];
      const request = { method: "PUT", path: "/pix/{e2eid}/devolucao/{id}", values, json } as const;
      const asked = psp.call(budget, request, devolucaoSchema);
      const devolucao = presentDevolucao(
        await orReadExisting(asked, () => fetchDevolucao(budget, refund)),
        id,
      );
      if (devolucao.amountCents !== amountCents)
        throw new PixError("rejected", "PUT devolucao: another amount under this id", { code: "diverges" });
      return devolucao;
    },

    async readRefund(refund, signal) {
      const devolucao = await fetchDevolucao(psp.begin(signal), refund);
      return devolucao && presentDevolucao(devolucao, refund.id);
    },

    async registerWebhook(url, signal) {
      const budget = psp.begin(signal);
      const request = { path: "/webhook/{chave}", values: [config.key] } as const;
      const known = await undefinedIfNotFound(psp.call(budget, { ...request, method: "GET" }, webhookSchema));
      if (known?.webhookUrl === url) return;
      await psp.call(budget, { ...request, method: "PUT", json: { webhookUrl: url } }, z.unknown());
    },

    close: () => psp.close(),
  };
}

/**
 * A PSP may reject a write because an earlier attempt succeeded and its answer was lost. PSPs use different statuses and
 * types for that, so what exists under the id decides.
 */
async function orReadExisting<T>(asked: Promise<T>, look: () => Promise<T | undefined>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof PspFailure) || error.kind !== "rejected") throw error;
    const present = await look();
    if (present !== undefined) return present;
    // A write that was accepted a moment ago may not be readable yet.
    throw error.followsLostAnswer ? asDoubtful(error) : error;
  }
}

/** Returns undefined if the PSP does not know what is read. A rejected read says nothing about what exists. */
async function undefinedIfNotFound<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof PspFailure)) throw error;
    if (error.isNotFound) return undefined;
    throw error.kind === "rejected" ? asDoubtful(error) : error;
  }
}

/** @throws {PixError} if the charge differs from the ordered one */
function assertOrdered(cob: CobAnswer, { txid, amountCents }: CobOrder, chave: string): void {
  if (cob.txid !== txid) throw invalidAnswer("PUT /cob/{txid}", "another charge");
  const isSame = cob.valor.original === amountCents && cob.chave.toLowerCase() === chave.toLowerCase();
  if (!isSame)
    throw new PixError("rejected", "PUT /cob/{txid}: another amount or key under this txid", {
      code: "diverges",
    });
}

function presentCob(cob: CobAnswer, { merchantName, merchantCity }: Merchant): Cob {
  const location = cob.location ?? cob.loc?.location;
  const drawn = location ? dynamicBrCode({ location, merchantName, merchantCity }) : undefined;
  return {
    txid: cob.txid,
    status: cob.status,
    amountCents: cob.valor.original,
    brCode: cob.pixCopiaECola ?? drawn,
    pix: (cob.pix ?? []).map(({ endToEndId, valor, horario, devolucoes }) => ({
      endToEndId,
      amountCents: valor,
      paidAt: horario,
      devolucoes: (devolucoes ?? []).map(presentReceivedDevolucao),
    })),
  };
}

function presentReceivedDevolucao(devolucao: ReceivedDevolucaoAnswer): ReceivedDevolucao {
  const { id, rtrId, valor, natureza, horario, status } = devolucao;
  return {
    id,
    rtrId,
    amountCents: valor,
    natureza,
    status,
    requestedAt: horario?.solicitacao,
    settledAt: horario?.liquidacao,
  };
}

function presentDevolucao({ id, valor, status }: DevolucaoAnswer, askedId: string): Devolucao {
  if (id !== askedId) throw invalidAnswer("devolucao", "another refund");
  return { id, status, amountCents: valor };
}
