import type { Family } from "../../metrics/open-metrics.ts";
import type { measureAllOpen } from "../ingest/resumable/resumable-uploads.repo.ts";

/** Of all nodes together. */
export function openUploadFamilies({
  receiving,
  processing,
  reservedBytes,
  receivedBytes,
}: Awaited<ReturnType<typeof measureAllOpen>>): Family[] {
  return [
    {
      name: "exameteca_open_uploads",
      type: "gauge",
      help: "Resumable uploads of all nodes that are not taken in yet. Up to 30 s old.",
      samples: [
        { labels: { state: "receiving" }, value: receiving },
        { labels: { state: "processing" }, value: processing },
      ],
    },
    {
      name: "exameteca_open_upload_bytes",
      type: "gauge",
      unit: "bytes",
      help: "Bytes of resumable uploads of all nodes that are still arriving: all that is reserved, and what came of it. Up to 30 s old.",
      samples: [
        { labels: { of: "reserved" }, value: reservedBytes },
        { labels: { of: "received" }, value: receivedBytes },
      ],
    },
  ];
}
