import { version } from "../../../../package.json";
import type { Family } from "../../metrics/open-metrics.ts";

const startedAtSeconds = (Date.now() - performance.now()) / 1000;

export function processFamilies(): Family[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: "exameteca_build",
      type: "info",
      help: "The version this node runs, and the Bun in it.",
      samples: [{ labels: { version, bun: Bun.version }, value: 1 }],
    },
    {
      name: "process_resident_memory_bytes",
      type: "gauge",
      unit: "bytes",
      help: "Memory of this node's main process. Its workers and its PostgreSQL are not in it.",
      samples: [{ value: process.memoryUsage.rss() }],
    },
    {
      name: "process_cpu_seconds",
      type: "counter",
      unit: "seconds",
      help: "Processor time of this node's main process.",
      samples: [{ value: (user + system) / 1e6 }],
    },
    {
      name: "process_start_time_seconds",
      type: "gauge",
      unit: "seconds",
      help: "When this node's main process started, in Unix time.",
      samples: [{ value: startedAtSeconds }],
    },
  ];
}
