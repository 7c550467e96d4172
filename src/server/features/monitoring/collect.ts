import type { Deps } from "../../deps.ts";
import type { HealthChecks } from "../../http/health-checks.ts";
import { createSharedReading } from "../../http/shared-reading.ts";
import { measureQueues } from "../../jobs/queue-depths.repo.ts";
import type { Family } from "../../metrics/open-metrics.ts";
import { measureClock } from "../../nodes/measure-clock.ts";
import { measureAllOpen } from "../ingest/resumable/resumable-uploads.repo.ts";
import { countStudyStates } from "../studies/study-states.repo.ts";
import { clockFamilies } from "./clock-families.ts";
import { diskFamilies } from "./disk-families.ts";
import { openUploadFamilies } from "./open-upload-families.ts";
import { partFamilies } from "./part-families.ts";
import { processFamilies } from "./process-families.ts";
import { queueFamilies } from "./queue-families.ts";
import { readScrubState, scrubFamilies } from "./scrub-families.ts";
import { studyFamilies } from "./study-families.ts";

/** A scrape waits no longer for a reading than this; then it goes without. */
const PATIENCE_MS = 2_000;
const TIMEOUT_MS = 10_000;
const waiting = { patienceMs: PATIENCE_MS, timeoutMs: TIMEOUT_MS };

/**
 * All that `GET /metrics` shows. A part of the node that does not answer has its families left out, and the rest is
 * shown. What is to be measured beside these is one more of `sources`.
 */
export function createCollector(
  { db, databaseClock, disk: room, meters }: Pick<Deps, "db" | "databaseClock" | "disk" | "meters">,
  checks: HealthChecks,
): () => Promise<Family[]> {
  const queues = createSharedReading(() => measureQueues(db), { ...waiting, freshMs: 5_000 });
  const studies = createSharedReading(() => countStudyStates(db), { ...waiting, freshMs: 30_000 });
  const openUploads = createSharedReading(() => measureAllOpen(db), { ...waiting, freshMs: 30_000 });
  const disk = createSharedReading(() => room.space(), { ...waiting, freshMs: 1_000 });
  const offset = createSharedReading(() => measureClock({ db, clock: databaseClock.machine }), {
    ...waiting,
    freshMs: 30_000,
  });
  const scrub = createSharedReading(() => readScrubState(db), { ...waiting, freshMs: 30_000 });
  const sources: (() => Family[] | Promise<Family[]>)[] = [
    processFamilies,
    () => partFamilies(checks),
    () => meters.requests.families(),
    () => meters.uploads.families(),
    async () => shown(await queues(), queueFamilies),
    async () => shown(await studies(), studyFamilies),
    async () => shown(await openUploads(), openUploadFamilies),
    async () => shown(await disk(), diskFamilies),
    async () => shown(await offset(), clockFamilies),
    async () => shown(await scrub(), scrubFamilies),
  ];
  return async () => (await Promise.all(sources.map((source) => source()))).flat();
}

function shown<Value>(value: Value | undefined, show: (value: Value) => Family[]): Family[] {
  return value === undefined ? [] : show(value);
}
