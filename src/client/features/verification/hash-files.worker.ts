import { hashFiles } from "./hash-files.ts";
import { HashFailed, type HashReport, type HashRequest } from "./hash-messages.ts";

const REPORT_EVERY_MS = 100;

const post = (report: HashReport) => self.postMessage(report);

self.addEventListener("message", ({ data: { files, known } }: MessageEvent<HashRequest>) => {
  let reportedAt = 0;
  const onHashed = (count: number, total: number) => {
    const now = performance.now();
    if (now - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = now;
    post({ type: "hashed", files: count, total });
  };
  hashFiles(files, known && new Set(known), onHashed).then(
    (hashed) => post({ type: "done", files: hashed }),
    (error: unknown) => {
      // A file that is gone fails with the browser's own error.
      const isGone = error instanceof DOMException;
      post({
        type: "failed",
        reason: error instanceof HashFailed ? error.reason : isGone ? "gone" : "unreadable",
      });
    },
  );
});
