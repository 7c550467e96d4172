import type { I18n } from "@lingui/core";
import type { Study } from "../../../shared/api/studies.ts";
import type { VisorStudy } from "../../visor/view/visor-props.ts";
import { dateText, descriptionText, patientText } from "../studies/study-text.ts";

type Described = Pick<
  Study,
  "studyInstanceUID" | "studyDescription" | "patientName" | "studyDate" | "institutionName"
>;

/** What the visor's header says of a study. */
export function describeStudy(i18n: I18n, study: Described): VisorStudy {
  const date = dateText(i18n, study.studyDate);
  return {
    studyInstanceUID: study.studyInstanceUID,
    title: descriptionText(i18n, study),
    detail: [patientText(i18n, study), date, study.institutionName].filter(Boolean).join(" · "),
    date,
  };
}
