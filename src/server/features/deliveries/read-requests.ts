import type { Request } from "../../../shared/api/deliveries.ts";
import type { Deps } from "../../deps.ts";
import { type Arriving, measureDeliveries } from "../ingest/resumable/delivered-uploads.repo.ts";
import { findVisibleStudies } from "../studies/studies.repo.ts";
import { listDeliveriesOf } from "./deliveries.repo.ts";
import type { DeliveryRow, RequestRow } from "./deliveries.table.ts";
import { listRequestRows } from "./requests.repo.ts";

const MAX_LISTED = 200;
const MAX_DELIVERIES = 2_000;
/** The studies that are looked for, of the newest deliveries. */
const MAX_STUDIES = 5_000;

/** The requests of an account with what they brought, newest first, those that are over included. */
export async function readRequests(deps: Pick<Deps, "db" | "clock">, accountId: string): Promise<Request[]> {
  const { db, clock } = deps;
  const now = clock.now();
  const requests = await listRequestRows(db, accountId, { now, limit: MAX_LISTED });
  const requestIds = requests.map(({ id }) => id);
  const deliveries = await listDeliveriesOf(db, requestIds, MAX_DELIVERIES);
  const arriving = await measureDeliveries(db, accountId);
  const brought = deliveries.flatMap((delivery) => delivery.studyIds).slice(0, MAX_STUDIES);
  const kept = await findVisibleStudies(db, { userId: accountId, role: "user" }, brought);
  const studyIds = new Set(kept.map(({ id }) => id));
  return requests.map((request) => {
    const own = deliveries.filter(({ requestId }) => requestId === request.id);
    return presentRequest(request, own, { now, arriving, studyIds });
  });
}

function presentRequest(
  request: RequestRow,
  deliveries: DeliveryRow[],
  { now, arriving, studyIds }: { now: Date; arriving: Map<string, Arriving>; studyIds: Set<string> },
): Request {
  const { id, label, shownName, uses, used, createdAt, expiresAt, endedAt, openedAt } = request;
  const moving = deliveries.flatMap((delivery) => arriving.get(delivery.id) ?? []);
  return {
    id,
    label,
    shownName,
    uses,
    used,
    state: stateOf(request, moving.length > 0, now),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    openedAt: openedAt?.toISOString() ?? null,
    percent: moving.length > 0 ? percentOf(moving) : null,
    // One that sent nothing is no delivery yet.
    deliveries: deliveries
      .filter(({ uploads }) => uploads > 0)
      .map((delivery) => ({
        id: delivery.id,
        from: delivery.sender,
        createdAt: delivery.createdAt.toISOString(),
        receivedAt: delivery.receivedAt?.toISOString() ?? null,
        studyIds: delivery.studyIds.filter((studyId) => studyIds.has(studyId)),
        images: delivery.images,
      })),
  };
}

function percentOf(moving: Arriving[]): number {
  const sum = (of: (one: Arriving) => number) => moving.reduce((total, one) => total + of(one), 0);
  return Math.floor(
    (100 * sum((one) => one.receivedBytes)) /
      Math.max(
        1,
        sum((one) => one.sizeBytes),
      ),
  );
}

function stateOf(
  { endedAt, expiresAt, uses, used }: RequestRow,
  isMoving: boolean,
  now: Date,
): Request["state"] {
  if (endedAt !== null) return used > 0 ? "received" : "ended";
  if (isMoving) return "sending";
  if (used >= uses || (used > 0 && expiresAt <= now)) return "received";
  return expiresAt <= now ? "expired" : "open";
}
