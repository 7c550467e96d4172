import type { FirstUpload } from "./first-upload.tsx";
import { summarize, summarizeElsewhere } from "./tray-summary.tsx";

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
