import type { Family } from "../../metrics/open-metrics.ts";
import type { DiskSpace } from "../../storage/disk/disk-space.ts";

export function diskFamilies({ freeBytes, sizeBytes }: DiskSpace): Family[] {
  return [
    {
      name: "exameteca_disk_free_bytes",
      type: "gauge",
      unit: "bytes",
      help: "What is left on this node's disk that holds DATA_DIR.",
      samples: [{ value: freeBytes }],
    },
    {
      name: "exameteca_disk_size_bytes",
      type: "gauge",
      unit: "bytes",
      help: "Size of this node's disk that holds DATA_DIR.",
      samples: [{ value: sizeBytes }],
    },
  ];
}
