import type { UploadElsewhere } from "./elsewhere.ts";
import { summarize, summarizeElsewhere } from "./tray-summary.tsx";
import type { UploadJob } from "./upload-job.ts";

export interface FirstUpload {
  /** The uploads of this page, unless others send. */
  jobs: readonly UploadJob[];
  /** Those that other pages send. */
  elsewhere: readonly UploadElsewhere[];
  /** Whether they arrive without the person. */
  isMoving: boolean;
}

/** How far the uploads are, as the tray says. */
export default function FirstUploadProgress({ jobs, elsewhere }: FirstUpload) {
  const { tone, title, detail, percent } =
    elsewhere.length > 0 ? summarizeElsewhere(elsewhere) : summarize(jobs);
  return (
    <div className="first-upload">
      <span>
        <b>{title}</b> <span>{detail}</span>
      </span>
      <span className={`progress-line is-${tone}`} style={{ "--percent": percent }} aria-hidden="true" />
    </div>
  );
}
