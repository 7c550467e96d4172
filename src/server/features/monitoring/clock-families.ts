import type { Family } from "../../metrics/open-metrics.ts";

export function clockFamilies(offsetSeconds: number): Family[] {
  return [
    {
      name: "exameteca_clock_offset_seconds",
      type: "gauge",
      unit: "seconds",
      help: "How far this node's clock is ahead of the database's.",
      samples: [{ value: offsetSeconds }],
    },
  ];
}
