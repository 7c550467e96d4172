import { and, eq, inArray, isNotNull, sum } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { blank } from "./ended-resumables.repo.ts";
import { resumableUploads } from "./resumable-uploads.table.ts";

/** What is on its way in one delivery. */
export interface Arriving {
  receivedBytes: number;
  sizeBytes: number;
}

const isUnderWay = inArray(resumableUploads.state, ["receiving", "processing"]);

/** By delivery, what is on its way into an account. */
export async function measureDeliveries(db: DbOrTx, accountId: string): Promise<Map<string, Arriving>> {
  const { deliveryId, receivedBytes, sizeBytes } = resumableUploads;
  const rows = await db
    .select({
      deliveryId,
      receivedBytes: sum(receivedBytes).mapWith(Number),
      sizeBytes: sum(sizeBytes).mapWith(Number),
    })
    .from(resumableUploads)
    .where(and(eq(resumableUploads.accountId, accountId), isNotNull(deliveryId), isUnderWay))
    .groupBy(deliveryId);
  return new Map(rows.flatMap(({ deliveryId, ...one }) => (deliveryId ? [[deliveryId, one]] : [])));
}

/** Ends what is on its way in some deliveries. */
export async function endDeliveredUploads(tx: Tx, deliveryIds: readonly string[], at: Date): Promise<void> {
  if (deliveryIds.length === 0) return;
  await tx
    .update(resumableUploads)
    .set({ ...blank, endedAt: at })
    .where(and(inArray(resumableUploads.deliveryId, [...deliveryIds]), isUnderWay));
}
