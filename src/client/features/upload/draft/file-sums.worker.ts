import { type SumReport, type SumRequest, sumFiles } from "./file-sums.ts";

const post = (report: SumReport) => self.postMessage(report);

self.addEventListener("message", ({ data: { files } }: MessageEvent<SumRequest>) => {
  sumFiles(files).then(
    (sums) => post({ type: "done", sums }),
    (error: unknown) => post({ type: "failed", message: String(error) }),
  );
});
