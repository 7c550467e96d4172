import type { FilmGreys } from "./contents.ts";
import { lookInside } from "./look-inside.ts";
import type { LookReport, LookRequest } from "./look-messages.ts";

const REPORT_EVERY_MS = 100;

const post = (report: LookReport) => self.postMessage(report);

post({ type: "loaded" });

self.addEventListener("message", ({ data: { files } }: MessageEvent<LookRequest>) => {
  let reportedAt = 0;
  const onRead = (count: number, studies: number) => {
    const now = performance.now();
    if (now - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = now;
    post({ type: "read", files: count, studies });
  };
  const onFilm = (frame: number, film: FilmGreys) => post({ type: "film", frame, film });
  lookInside(files, onRead, onFilm).then(
    (insight) => post({ type: "done", insight }),
    (error: unknown) => {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      post({ type: "failed", name, message });
    },
  );
});
