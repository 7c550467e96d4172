import { useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { useCallback, useMemo } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { showToast } from "../../ui/toast.tsx";
import type { StackSource } from "../../visor/core/source.ts";
import { reportsApi } from "../reports/reports-api.ts";
import { useHis } from "../session/his-context.ts";
import { sharedStudyAtom } from "../sharing/share-state.ts";
import { StudyIntegrity } from "../studies/study-integrity.tsx";
import { dateText, descriptionText, patientText } from "../studies/study-text.ts";
import { useDownload } from "../studies/use-download.ts";
import { usePicture } from "../studies/use-picture.ts";
import { Laudo, LazyVisor } from "./lazy-visor.tsx";
import { takeStudySource } from "./study-source.ts";
import { ViewerChoiceField } from "./viewer-choice.tsx";

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
  const pictured = { study, imagesReceived: study.imagesReceived, isSeen: true };
  const small = usePicture(pictured);
  const preview = usePicture({ ...pictured, isLarge: true }) ?? small;
  const source = useSource(study, user.id);
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
    <LazyVisor
      key={study.id}
      source={source}
      studies={[shown]}
      preview={preview}
      seriesPicture={SeriesPicture}
      laudo={
        study.laudo
          ? { render: () => <Laudo id={study.id} read={(signal) => reportsApi.read(study.id, signal)} /> }
          : undefined
      }
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
  );
}

/** One source for each study, however often its row is read again. */
function useSource({ id, studyInstanceUID }: Study, userId: string): StackSource {
  return useMemo(() => takeStudySource({ id, studyInstanceUID }, userId), [id, studyInstanceUID, userId]);
}

function StudySeriesPicture({ study, seriesInstanceUID }: { study: Study; seriesInstanceUID: string }) {
  const { imagesReceived } = study;
  const picture = usePicture({ study, seriesId: seriesInstanceUID, imagesReceived, isSeen: true });
  return picture ? <img src={picture} alt="" /> : null;
}
