import { drawSample } from "./draw-sample.ts";
import type { SampleSlice } from "./sample-exam.ts";

self.addEventListener("message", ({ data }: MessageEvent<SampleSlice>) => {
  const bytes = drawSample(data);
  self.postMessage(bytes, { transfer: [bytes.buffer] });
});
