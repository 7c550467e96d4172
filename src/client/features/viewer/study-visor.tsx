import { useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { Suspense, useCallback, useMemo } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { showToast } from "../../ui/toast.tsx";
import { useHis } from "../session/his-context.ts";
import { sharedStudyAtom } from "../sharing/share-state.ts";
import { StudyIntegrity } from "../studies/study-integrity.tsx";
import { dateText, descriptionText, patientText } from "../studies/study-text.ts";
import { useDownload } from "../studies/use-download.ts";
import { usePicture } from "../studies/use-picture.ts";
import { createStudySource } from "./study-source.ts";
import { ViewerChoiceField } from "./viewer-choice.tsx";

export const loadVisor = () => import("../../visor/view/visor.tsx");
const Visor = lazyChunk(loadVisor);
const LaudoPages = lazyChunk(() => import("./laudo-pages.tsx"));

interface StudyVisorProps {
  study: Study;
  onBack: () => void;
  onOpenOhif: () => void;
  /** Absent where there is no dialog to share with. */
  canShare?: boolean;
}

/** A study of the archive in our own viewer. */
export function StudyVisor({ study, onBack, onOpenOhif, canShare = false }: StudyVisorProps) {
  const { i18n, t } = useLingui();
  const { user } = useHis();
  const download = useDownload();
  const share = useSetAtom(sharedStudyAtom);
  const preview = usePicture({ study, imagesReceived: study.imagesReceived, isSeen: true });
  const source = useMemo(() => createStudySource(study.id, user.id), [study.id, user.id]);
  const SeriesPicture = useCallback(
    ({ seriesInstanceUID }: { seriesInstanceUID: string }) => (
      <StudySeriesPicture study={study} seriesInstanceUID={seriesInstanceUID} />
    ),
    [study],
  );
  const { access } = study;
  const shown = {
    studyInstanceUID: study.studyInstanceUID,
    title: descriptionText(i18n, study),
    detail: [patientText(i18n, study), dateText(i18n, study.studyDate), study.institutionName]
      .filter(Boolean)
      .join(" · "),
    date: dateText(i18n, study.studyDate),
  };
  return (
    <Suspense fallback={<Opening preview={preview} title={shown.title} />}>
      <Visor
        key={study.id}
        source={source}
        studies={[shown]}
        preview={preview}
        seriesPicture={SeriesPicture}
        laudo={study.laudo ? { render: () => <Laudo study={study} /> } : undefined}
        onDownload={access.download ? () => void download(study) : undefined}
        onShare={canShare && access.share ? () => share(study) : undefined}
        onOpenOhif={onOpenOhif}
        information={<StudyIntegrity study={study} />}
        menu={<ViewerChoiceField />}
        onBack={onBack}
        onEnded={() => {
          showToast({
            tone: "bad",
            title: t({ id: "viewer.authError", message: "Authentication error" }),
            text: t({ id: "viewer.noSession", message: "Access token not found. Please log in again." }),
          });
          onBack();
        }}
      />
    </Suspense>
  );
}

function Laudo({ study }: { study: Study }) {
  return (
    <Suspense>
      <LaudoPages study={study} />
    </Suspense>
  );
}

/** The list's picture in the place of the film, until the code of the visor has come. */
function Opening({ preview, title }: { preview: string | undefined; title: string }) {
  return (
    <div className="visor" data-theme="dark" aria-busy="true">
      {preview && <img className="visor-preview" src={preview} alt="" />}
      <p className="sr-only" role="status">
        {title}
      </p>
    </div>
  );
}

function StudySeriesPicture({ study, seriesInstanceUID }: { study: Study; seriesInstanceUID: string }) {
  const { imagesReceived } = study;
  const picture = usePicture({ study, seriesId: seriesInstanceUID, imagesReceived, isSeen: true });
  return picture ? <img src={picture} alt="" /> : null;
}
