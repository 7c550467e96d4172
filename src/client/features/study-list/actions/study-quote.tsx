import { useLingui } from "@lingui/react/macro";
import type { Study } from "../../../../shared/api/studies.ts";
import { shortPersonName } from "../../../../shared/dicom/person-name.ts";
import { dateText, descriptionText } from "../../studies/study-text.ts";
import { StudyFilm } from "../show-images/study-film.tsx";

/** Names the study that a question is about: its picture, patient, description and date. */
export function StudyQuote({ study }: { study: Study }) {
  const { i18n, t } = useLingui();
  const patient =
    (study.patientName && shortPersonName(study.patientName)) ||
    t({ id: "study.delete.noPatient", message: "unidentified patient" });
  return (
    <div className="quote">
      <StudyFilm study={study} />
      <div className="study-quote">
        <b>{patient}</b>
        <span>
          {descriptionText(i18n, study)},{" "}
          <span className="whitespace-nowrap">{dateText(i18n, study.studyDate)}</span>
        </span>
      </div>
    </div>
  );
}
