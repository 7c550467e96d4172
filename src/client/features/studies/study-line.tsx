import { useLingui } from "@lingui/react/macro";
import type { Study } from "../../../shared/api/studies.ts";
import { Film } from "../../ui/film.tsx";
import { WholeDates } from "../../ui/text/whole-dates.tsx";
import { dateText, descriptionText } from "./study-text.ts";
import { usePicture } from "./use-picture.ts";

/** Which study a dialog is about: its small picture, its description and its date. */
export function StudyLine({ study }: { study: Study }) {
  const { i18n } = useLingui();
  const picture = usePicture({ study, imagesReceived: study.imagesReceived, isSeen: true });
  return (
    <>
      <Film src={picture} />
      <span>
        <WholeDates>{`${descriptionText(i18n, study)} · ${dateText(i18n, study.studyDate)}`}</WholeDates>
      </span>
    </>
  );
}
