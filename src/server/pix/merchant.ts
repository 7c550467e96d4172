import { staticBrCode } from "../../shared/rules/br-code.ts";
import { ConfigError } from "../config.ts";

export interface Merchant {
  /** The chave Pix. */
  key: string;
  merchantName: string;
  merchantCity: string;
}

/** Fails at the start instead of at the first payment. @throws {ConfigError} if no BR Code can hold the merchant */
export function assertMerchant({ key, merchantName, merchantCity }: Merchant): void {
  try {
    staticBrCode({ chave: key, merchantName, merchantCity });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigError([
      "PIX_KEY, PIX_MERCHANT_NAME and PIX_MERCHANT_CITY don't fit into a BR Code: the key may have up to 77 " +
        "characters, name and city need at least one letter without its accent",
    ]);
  }
}
