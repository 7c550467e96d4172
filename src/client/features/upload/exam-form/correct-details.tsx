import { Trans } from "@lingui/react/macro";
import { useId, useState } from "react";
import { isDateOrEmpty } from "../../../ui/text/date-text.ts";
import { type ExamFieldsProps, MainFields, MoreFields } from "./exam-fields.tsx";

interface CorrectDetailsProps extends ExamFieldsProps {
  /** Whether all fields are shown from the beginning. */
  isWhole?: boolean;
}

/** The values under which an exam is filed, in place: three fields, and the others behind a link. */
export function CorrectDetails({ isWhole = false, ...fields }: CorrectDetailsProps) {
  const isWrongBelow = !isDateOrEmpty(fields.values.patientBirthDate, "date");
  const [isOpened, setOpened] = useState(isWhole || isWrongBelow);
  const moreId = useId();
  return (
    <div className="correct-details">
      <MainFields {...fields} />
      <div id={moreId}>{isOpened && <MoreFields {...fields} />}</div>
      <div className="correct-foot">
        <p className="field-hint">
          <Trans id="upload.correct.hint">The images don't change. Only what your list shows.</Trans>
        </p>
        <button
          type="button"
          className="text-action"
          aria-expanded={isOpened}
          aria-controls={moreId}
          onClick={() => setOpened(!isOpened)}
        >
          {isOpened ? (
            <Trans id="upload.correct.less">Fewer details</Trans>
          ) : (
            <Trans id="upload.correct.more">Patient, accession number and more</Trans>
          )}
        </button>
      </div>
    </div>
  );
}
