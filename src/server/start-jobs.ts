import type { Deps } from "./deps.ts";
import { startAuthJobs } from "./features/accounts/accounts.jobs.ts";
import { startAuditJobs } from "./features/audit/audit.jobs.ts";
import { startDeliveryJobs } from "./features/deliveries/deliveries.jobs.ts";
import { createDeliveryGate } from "./features/deliveries/delivery-gate.ts";
import { startDerivativeJobs } from "./features/derivatives/derivatives.jobs.ts";
import { startDicomwebJobs } from "./features/dicomweb/dicomweb.jobs.ts";
import { startIngestJobs } from "./features/ingest/ingest.jobs.ts";
import { startLabJobs } from "./features/labs/labs.jobs.ts";
import { startLinkJobs } from "./features/links/links.jobs.ts";
import { startMonitoringJobs } from "./features/monitoring/monitoring.jobs.ts";
import { startPaymentJobs } from "./features/payments/payments.jobs.ts";
import { startReceiving } from "./features/receivers/receivers.jobs.ts";
import { startRemovalJobs } from "./features/removals/removals.jobs.ts";
import { startStudyJobs } from "./features/studies/studies.jobs.ts";
import { startSubscriptionJobs } from "./features/subscriptions/subscriptions.jobs.ts";
import { startSupportJobs } from "./features/support/support.jobs.ts";
import { startThumbnailJobs } from "./features/thumbnails/thumbnails.jobs.ts";
import { startHoldingJobs } from "./holdings/holdings.jobs.ts";
import { watchClock } from "./jobs/watch-clock.ts";
import { startMailJobs } from "./mail/mail.jobs.ts";
import { startBeating } from "./nodes/beat.ts";
import { reviveNode } from "./revive-node.ts";

/**
 * Removes what a previous run of this node left behind, then starts its background work. Once disposed, the node no
 * longer reports that it is alive; its jobs end with `deps`.
 */
export async function startJobs(deps: Deps): Promise<AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  // First, so that no other node takes this one for dead once it has begun to enqueue its own jobs.
  started.use(await startBeating(deps, () => reviveNode(deps)));
  started.use(await watchClock(deps));
  await startMailJobs(deps);
  await startAuthJobs(deps);
  await startHoldingJobs(deps);
  await startStudyJobs(deps);
  await startLabJobs(deps);
  await startThumbnailJobs(deps);
  await startDerivativeJobs(deps);
  await startDicomwebJobs(deps);
  await startIngestJobs({ ...deps, gate: createDeliveryGate(deps) });
  await startLinkJobs(deps);
  await startDeliveryJobs(deps);
  await startPaymentJobs(deps);
  await startSubscriptionJobs(deps);
  await startRemovalJobs(deps);
  await startSupportJobs(deps);
  await startAuditJobs(deps);
  await startMonitoringJobs(deps);
  started.use(await startReceiving(deps));
  const ending = started.move();
  return { [Symbol.asyncDispose]: () => ending.disposeAsync() };
}
