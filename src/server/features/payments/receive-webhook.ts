import { timingSafeEqual } from "node:crypto";
import * as z from "zod/mini";
import type { Deps } from "../../deps.ts";
import { enqueueCheck } from "./payment-queues.ts";
import { listWatchedCharges } from "./payments.repo.ts";

const MAX_PIX = 1_000;

/**
 * The body that API Pix posts to `{webhookUrl}/pix`. Only the txids are read; the rest is not trusted. A Pix without a txid,
 * such as another payment to the same key, does not invalidate the others.
 */
export const pixWebhookSchema = z.object({
  pix: z.array(z.object({ txid: z.catch(z.optional(z.string()), undefined) })).check(z.maxLength(MAX_PIX)),
});
export type PixWebhook = z.infer<typeof pixWebhookSchema>;

/** Compares in constant time. */
export function isWebhookSecret({ config }: Pick<Deps, "config">, secret: string): boolean {
  const expected = config.pix?.provider === "bacen" ? config.pix.webhookSecret : undefined;
  if (expected === undefined) return false;
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(secret)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}

/**
 * Enqueues a look-up of each reported charge that exists here and can still be paid or returned. Safe with any content, any
 * number of times.
 */
export async function receiveWebhook(
  deps: Pick<Deps, "db" | "jobs" | "clock">,
  webhook: PixWebhook,
): Promise<void> {
  const txids = webhook.pix.flatMap(({ txid }) => (txid && /^[a-zA-Z0-9]{26,35}$/.test(txid) ? [txid] : []));
  for (const payment of await listWatchedCharges(deps.db, [...new Set(txids)]))
    await enqueueCheck(deps, payment);
}
