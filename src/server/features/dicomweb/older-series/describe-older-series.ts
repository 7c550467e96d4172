import { setTimeout } from "node:timers/promises";
import type { DicomJson } from "../../../../shared/dicom/reading/instance.ts";
import { keptAttributes } from "../../../../shared/dicom/reading/kept-attributes.ts";
import type { Deps } from "../../../deps.ts";
import { describeError } from "../../../runtime/log.ts";
import {
  describeSeries,
  listUndescribedSeries,
  type SeriesToDescribe,
} from "../../studies/study-attributes.repo.ts";
import { readFirstMetadata } from "./first-metadata.ts";
import { PAUSE_MS, readInPages } from "./read-in-pages.ts";

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
  const counts = { described: 0, failed: 0 };
  const next = await readInPages(afterId, {
    list: (after, limit) => listUndescribedSeries(deps.db, after, limit),
    idOf: ({ seriesId }) => seriesId,
    async read(page) {
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
    },
  });
  report(deps, counts);
  return next;
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
