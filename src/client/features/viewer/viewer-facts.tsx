import { Trans, useLingui } from "@lingui/react/macro";
import type { Study } from "../../../shared/api/studies.ts";
import { StudyIntegrity } from "../studies/study-integrity.tsx";
import { dateText, patientText } from "../studies/study-text.ts";

/** Patient, date, and the warning that the images are not for diagnosis. */
export function ViewerFacts({ study }: { study: Study }) {
  const { i18n } = useLingui();
  return (
    <>
      <span>{patientText(i18n, study)}</span>
      <span>{dateText(i18n, study.studyDate)}</span>
      <StudyIntegrity study={study} />
      <span className="viewer-notice">
        <Trans id="viewer.notForDiagnosis">Not for primary diagnosis</Trans>
      </span>
    </>
  );
}
