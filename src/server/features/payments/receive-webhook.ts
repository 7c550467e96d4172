import { timingSafeEqual } from "node:crypto";
import * as z from "zod/mini";
import type { Deps } from "../../deps.ts";
import { enqueueCheck } from "./payment-jobs.ts";
import { listWatchedCharges } from "./payments.repo.ts";

const MAX_PIX = 1_000;

/**
 * What API Pix posts to `{webhookUrl}/pix`. Only the txids are read: nothing else in it is believed. A Pix without one,
 * as any other on the same key, doesn't spoil the rest.
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
 * Has the PSP asked about those charges that are ours and open, or whose money can go back. May be told of anything, any
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
