import { packedSizeBytes, packFolder } from "./pack-folder.ts";
import type { PackReport, PackRequest } from "./pack-messages.ts";
import { openPackTarget } from "./pack-sinks.ts";

const REPORT_EVERY_MS = 100;

const post = (report: PackReport) => self.postMessage(report);

self.addEventListener("message", ({ data }: MessageEvent<PackRequest>) => {
  pack(data).then(
    (zip) => post({ type: "done", zip }),
    (error: unknown) => {
      const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
      post({ type: "failed", message: String(error), isFull });
    },
  );
});

async function pack({ name, files }: PackRequest): Promise<Blob> {
  const target = await openPackTarget(name, packedSizeBytes(files));
  let reportedAt = 0;
  await packFolder(files, target.sink, (count) => {
    const now = performance.now();
    if (now - reportedAt < REPORT_EVERY_MS && count < files.length) return;
    reportedAt = now;
    post({ type: "packed", count });
  });
  return target.finish();
}
