import type { HealthChecks } from "../../http/health-checks.ts";
import type { Family } from "../../metrics/open-metrics.ts";

/** What `GET /api/health` says, and how long it took: the same checks, shared with whoever asks there. */
export async function partFamilies(checks: HealthChecks): Promise<Family[]> {
  const parts = Object.entries(checks);
  const states = await Promise.all(
    parts.map(async ([part, check]) => ({ part, isUp: await check.isUp(), check })),
  );
  return [
    {
      name: "exameteca_up",
      type: "gauge",
      help: "Whether each part answers this node: the database, the archive store, the disk with room on it, and whether disk and store take uploads.",
      samples: states.map(({ part, isUp }) => ({ labels: { part }, value: isUp ? 1 : 0 })),
    },
    {
      name: "exameteca_latency_seconds",
      type: "gauge",
      unit: "seconds",
      help: "How long the last small request of this node to each part took; none where it failed.",
      samples: states.flatMap(({ part, isUp, check }) => {
        const seconds = check.tookSeconds();
        return isUp && seconds !== undefined ? [{ labels: { part }, value: seconds }] : [];
      }),
    },
  ];
}
