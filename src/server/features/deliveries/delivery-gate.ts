import { MAX_DELIVERY_UPLOADS } from "../../../shared/api/deliveries.ts";
import { addDays } from "../../../shared/rules/days.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { byVisitor } from "../../mail/mail-budget.ts";
import type { SettledUpload } from "../ingest/finished-upload.ts";
import { deliveryFull, requestNotFound } from "../ingest/resumable/delivery.errors.ts";
import type { DeliveryGate } from "../ingest/resumable/delivery-gate.ts";
import { instancesIn } from "../ingest/take-upload.ts";
import { isOwnerActive } from "../membership/is-owner-active.ts";
import { notify } from "../notifications/notify.ts";
import { countUpload, findDelivery, noteReceived } from "./deliveries.repo.ts";
import { isRequestOpen } from "./request-standing.ts";
import { countUse, lockRequest } from "./requests.repo.ts";

/** How long a delivery may add to what it brought. */
const DAYS_FOR_MORE = 1;
/** Studies, and volumes, that a delivery remembers. */
const MAX_IDS = 1_000;
/** An account may have many requests, but gets no more mails an hour about them than this. */
const MAILS_AN_HOUR = 20;

type GateDeps = Pick<Deps, "clock" | "config" | "jobs" | "mailSeal">;

/** Lets the uploads of deliveries in, as far as their requests allow, and tells the owner what came. */
export function createDeliveryGate(deps: GateDeps): DeliveryGate {
  return {
    admit: (tx, deliveryId) => admitUpload(deps, tx, deliveryId),
    settle: (tx, deliveryId, stored) => settleUpload(deps, tx, deliveryId, stored),
  };
}

/** @throws {AppError} `request.not_found` if its request is over, `delivery.full` */
async function admitUpload({ clock }: GateDeps, tx: Tx, deliveryId: string): Promise<void> {
  const now = clock.now();
  const { delivery, ...found } = await lockDelivery(tx, deliveryId);
  const { receivedAt, uploads } = delivery;
  const isOpen =
    receivedAt === null
      ? isRequestOpen(found, now)
      : found.request.endedAt === null && now < addDays(receivedAt, DAYS_FOR_MORE);
  if (!isOpen) throw new AppError(requestNotFound);
  if (uploads >= MAX_DELIVERY_UPLOADS) throw new AppError(deliveryFull);
  await countUpload(tx, deliveryId);
}

/**
 * Counts the delivery as a use of its request with the first study that it brings. Of deliveries at once, only as many as the request
 * serves come through; what the others brought is taken back.
 * @throws {AppError} `request.not_found` if its request was ended or used up meanwhile
 */
async function settleUpload(
  deps: GateDeps,
  tx: Tx,
  deliveryId: string,
  { studies, newStudyIds, built }: SettledUpload,
): Promise<void> {
  const at = deps.clock.now();
  const { delivery, request, owner } = await lockDelivery(tx, deliveryId);
  if (request.endedAt !== null || !isOwnerActive(owner, at)) throw new AppError(requestNotFound);
  if (delivery.receivedAt === null) {
    if (request.used >= request.uses) throw new AppError(requestNotFound);
    await countUse(tx, request.id);
  }
  const volumeIds = built.studies.flatMap(({ volume }) => volume?.id ?? []);
  const brought = { studyIds: newStudyIds, volumeIds, images: instancesIn(studies), at };
  await noteReceived(tx, delivery, brought, MAX_IDS);
  const [studyId = studies[0]?.id] = newStudyIds;
  const exams = new Set([...delivery.studyIds, ...newStudyIds]).size;
  const budget = { name: `deliveries to ${request.accountId}`, limit: MAILS_AN_HOUR };
  await notify(deps, tx, request.accountId, {
    event: "delivery.received",
    subjectId: delivery.id,
    ...(studyId !== undefined && { studyId }),
    details: { from: delivery.sender, ...(exams > 1 && { exams }) },
    isMailed: delivery.receivedAt === null,
    cause: byVisitor([budget], at),
  });
}

async function lockDelivery(tx: Tx, id: string) {
  const known = await findDelivery(tx, id);
  const found = known && (await lockRequest(tx, known.requestId));
  // Read again: only whoever holds the request changes its deliveries.
  const delivery = found && (await findDelivery(tx, id));
  if (!found || !delivery) throw new AppError(requestNotFound);
  return { ...found, delivery };
}
