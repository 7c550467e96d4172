import { Plural } from "@lingui/react/macro";
import { baseName } from "../../../../shared/rules/skipped-names.ts";
import { FileTextIcon } from "../../../ui/icons.tsx";
import type { ExamSource } from "../draft/merge-exams.ts";

const MAX_NAMED = 3;

/** The PDFs beside the images. A disc often holds the report, which is attached to its exam by itself. */
export function LeftPdfs({ sources }: { sources: readonly ExamSource[] }) {
  const pdfs = sources.flatMap(({ read }) => read.pdfs ?? []);
  if (pdfs.length === 0) return null;
  const named = pdfs.slice(0, MAX_NAMED).map(baseName).join(", ");
  const names = pdfs.length > MAX_NAMED ? `${named}…` : named;
  return (
    <p className="notice" role="status">
      <FileTextIcon />
      <span className="wrap-anywhere">
        <Plural
          id="contents.pdfs"
          value={pdfs.length}
          one={`${names} is a PDF and does not go with the images. If it is the report, attach it to its exam in My exams after the upload.`}
          other={`# PDFs do not go with the images: ${names}. If one is the report, attach it to its exam in My exams after the upload.`}
        />
      </span>
    </p>
  );
}
