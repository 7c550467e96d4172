import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { FileTextIcon } from "../../ui/icons.tsx";
import { dateText, descriptionText } from "../studies/study-text.ts";
import { usePicture } from "../studies/use-picture.ts";
import { useOpenStudy } from "./use-open-study.ts";

interface FilmCardProps {
  study: Study;
  /** Marked with a dot. */
  isNew: boolean;
  /** Below the description: whose it is, or where it was made. */
  children?: ReactNode;
}

/** An exam as a film: one press opens the images. */
export function FilmCard({ study, isNew, children }: FilmCardProps) {
  const { i18n } = useLingui();
  const open = useOpenStudy();
  const picture = usePicture({ study, imagesReceived: study.imagesReceived, isSeen: true });
  return (
    <li className="film-card">
      <button type="button" onClick={() => open(study)}>
        <span className="film-frame">
          {picture && <img src={picture} alt="" decoding="async" />}
          <span className="film-top">
            <span>{dateText(i18n, study.studyDate)}</span>
            {isNew && (
              <span className="film-new">
                <span className="sr-only">
                  <Trans id="study.new">New</Trans>
                </span>
              </span>
            )}
          </span>
          <span className="film-foot">
            <span>
              {study.laudo && (
                <>
                  <FileTextIcon small />
                  <span className="sr-only">
                    <Trans id="home.hasReport">With report</Trans>
                  </span>
                </>
              )}
            </span>
            <span>{i18n.number(study.imagesReceived)}</span>
          </span>
        </span>
        <b className="film-title">{descriptionText(i18n, study)}</b>
      </button>
      <span className="film-line">{children}</span>
    </li>
  );
}
