import { staticBrCode } from "../../../shared/rules/br-code.ts";
import { assertMerchant, type Merchant } from "../merchant.ts";
import type { Pix } from "../pix.ts";

/**
 * Pix without a PSP: a static BR Code with the merchant's own key. Nothing reports a payment, so an admin who sees the bank
 * account confirms it. Refunds are made by hand at the bank too.
 * @throws {ConfigError}
 */
export function createLocalPix(merchant: Merchant): Pix {
  assertMerchant(merchant);
  const { key, merchantName, merchantCity } = merchant;
  return {
    provider: "local",
    isConfirmedByHand: true,
    // A static BR Code holds at most 25 characters. These are 24, from 96 random bits.
    newTxid: () => crypto.getRandomValues(new Uint8Array(12)).toHex(),
    async createCob({ txid, amountCents }, signal) {
      signal?.throwIfAborted();
      const brCode = staticBrCode({ chave: key, merchantName, merchantCity, amountCents, txid });
      return { txid, status: "ATIVA", amountCents, brCode, pix: [] };
    },
    async readCob(_txid, signal) {
      signal?.throwIfAborted();
      return undefined;
    },
    async refund({ id, amountCents }, signal) {
      signal?.throwIfAborted();
      return { id, status: "DEVOLVIDO", amountCents };
    },
    async readRefund(_refund, signal) {
      signal?.throwIfAborted();
      return undefined;
    },
    async registerWebhook(_url, signal) {
      signal?.throwIfAborted();
    },
    close() {},
  };
}
