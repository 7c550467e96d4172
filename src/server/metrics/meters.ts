import { RequestMeter } from "./request-meter.ts";
import { UploadMeter } from "./upload-meter.ts";

/** What this process counts; `GET /metrics` shows it. */
export interface Meters {
  requests: RequestMeter;
  uploads: UploadMeter;
}

export function createMeters(): Meters {
  return { requests: new RequestMeter(), uploads: new UploadMeter() };
}
