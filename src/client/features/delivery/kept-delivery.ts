import * as z from "zod/mini";
import { openedRequestSchema } from "../../../shared/api/deliveries.ts";
import { localStore } from "../../browser-storage.ts";

const keptSchema = z.object({ token: z.string(), from: z.string(), request: openedRequestSchema });

/** What the browser keeps of a delivery, so that it goes on after a reload. */
export type KeptDelivery = z.infer<typeof keptSchema>;

const keyOf = (requestId: string) => `delivery ${requestId}`;

export function readDelivery(requestId: string): KeptDelivery | undefined {
  const kept = keptSchema.safeParse(localStore.readJson(keyOf(requestId)));
  return kept.success ? kept.data : undefined;
}

export function keepDelivery(requestId: string, delivery: KeptDelivery | undefined): void {
  localStore.write(keyOf(requestId), delivery && JSON.stringify(delivery));
}
