import { setTimeout } from "node:timers/promises";
import type { DicomJson } from "../../../shared/dicom/reading/instance.ts";
import { keptAttributes } from "../../../shared/dicom/reading/kept-attributes.ts";
import type { Deps } from "../../deps.ts";
import { describeError } from "../../runtime/log.ts";
import {
  describeSeries,
  listUndescribedSeries,
  type SeriesToDescribe,
} from "../studies/study-attributes.repo.ts";
import { readFirstMetadata } from "./first-metadata.ts";

/** Series of one run; the next run goes on behind them. */
export const SERIES_A_RUN = 500;
const SERIES_AT_ONCE = 50;
/** Between two series, so that requests go first. */
const PAUSE_MS = 10;

type DescribeDeps = Pick<Deps, "db" | "series" | "log">;

/**
 * Reads the attributes for searches of series that an older release stored, from the metadata of the first instance of each. A series
 * whose metadata are too long counts as one that says nothing; one that can't be read now is passed over until the next start.
 * @returns where the next run begins; `undefined` after the last series
 */
export async function describeOlderSeries(
  deps: DescribeDeps,
  afterId: string | null,
  signal: AbortSignal,
): Promise<string | undefined> {
  let after = afterId;
  const counts = { described: 0, failed: 0 };
  for (let seen = 0; seen < SERIES_A_RUN; seen += SERIES_AT_ONCE) {
    const page = await listUndescribedSeries(deps.db, after, SERIES_AT_ONCE);
    for (const found of page) {
      await setTimeout(PAUSE_MS, undefined, { signal });
      try {
        await describeSeries(deps.db, found, await readAttributes(deps, found));
        counts.described++;
      } catch (error) {
        counts.failed++;
        deps.log.warn("attributes.failed", describeError(error));
      }
    }
    after = page.at(-1)?.seriesId ?? after;
    if (page.length < SERIES_AT_ONCE) {
      report(deps, counts);
      return undefined;
    }
  }
  report(deps, counts);
  return after ?? undefined;
}

function report({ log }: Pick<Deps, "log">, counts: { described: number; failed: number }): void {
  if (counts.described + counts.failed > 0) log.info("attributes.filled", counts);
}

async function readAttributes(
  deps: Pick<Deps, "series">,
  { manifest }: SeriesToDescribe,
): Promise<{ study: DicomJson; series: DicomJson }> {
  const kept = keptAttributes((await readFirstMetadata(deps, manifest)) ?? {});
  return { study: kept.study ?? {}, series: kept.series ?? {} };
}
