import type { Db } from "../../db/client.ts";
import { countOpenFindings } from "../../holdings/checking/findings.repo.ts";
import { findLastRound } from "../../holdings/scrubbing/scrub-rounds.repo.ts";
import type { Family } from "../../metrics/open-metrics.ts";

export interface ScrubState {
  round: Awaited<ReturnType<typeof findLastRound>>;
  openFindings: Awaited<ReturnType<typeof countOpenFindings>>;
}

export async function readScrubState(db: Db): Promise<ScrubState> {
  return { round: await findLastRound(db), openFindings: await countOpenFindings(db) };
}

/** Of all nodes together; without a round there are only findings. */
export function scrubFamilies({ round, openFindings }: ScrubState): Family[] {
  const gauge = (name: string, help: string, value: number): Family => ({
    name,
    help,
    type: "gauge",
    samples: [{ value }],
    ...(name.endsWith("_bytes") && { unit: "bytes" }),
    ...(name.endsWith("_seconds") && { unit: "seconds" }),
  });
  const ofRound = round
    ? [
        gauge("exameteca_scrub_objects", "Objects there were when this round began.", round.objectsTotal),
        gauge("exameteca_scrub_read_objects", "Objects this round has read.", round.objectsRead),
        gauge("exameteca_scrub_size_bytes", "Bytes there were when this round began.", round.bytesTotal),
        gauge("exameteca_scrub_read_bytes", "Bytes this round has read.", round.bytesRead),
        gauge(
          "exameteca_scrub_started_timestamp_seconds",
          "When the newest round began to read the archive again.",
          round.startedAt.getTime() / 1000,
        ),
        gauge(
          "exameteca_scrub_moved_timestamp_seconds",
          "When the newest round last read an object, or ended.",
          round.movedAt.getTime() / 1000,
        ),
      ]
    : [];
  return [
    ...ofRound,
    {
      name: "exameteca_integrity_findings",
      type: "gauge",
      help: "Objects whose bytes were found damaged or missing and are not sound again. Up to 30 s old.",
      samples: Object.entries(openFindings).map(([found, value]) => ({ labels: { found }, value })),
    },
  ];
}
