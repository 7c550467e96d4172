import { useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { useMemo } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { sizeText } from "../../ui/text/size-text.ts";
import { showToast } from "../../ui/toast.tsx";
import type { StackSource } from "../../visor/core/source.ts";
import type { ComparedExam } from "../../visor/view/visor-props.ts";
import { useHis } from "../session/his-context.ts";
import { sharedStudyAtom } from "../sharing/share-state.ts";
import { useAccessEnd } from "../sharing/use-access-end.ts";
import { useDownload } from "../studies/use-download.ts";
import { usePicture } from "../studies/use-picture.ts";
import { LazyVisor } from "./lazy-visor.tsx";
import { listComparable } from "./list-comparable.ts";
import { studyExam } from "./study-exam.tsx";
import { createStudySource, takeStudySource } from "./study-source.ts";
import { type OpenedSeries, ViewerChoiceField } from "./viewer-choice.tsx";

interface StudyVisorProps {
  study: Study;
  /** Undefined for the series that the server names. */
  beginWith?: OpenedSeries | undefined;
  onBack: () => void;
  onOpenOhif: () => void;
  /** Absent where there is no dialog to share with. */
  canShare?: boolean;
}

/** A study of the archive in our own viewer. */
export function StudyVisor({ study, beginWith, onBack, onOpenOhif, canShare = false }: StudyVisorProps) {
  const { i18n, t } = useLingui();
  const { user } = useHis();
  const download = useDownload();
  const share = useSetAtom(sharedStudyAtom);
  const { imagesReceived } = study;
  // Beside a document the film shows what it shows without one.
  const seriesId = beginWith?.isOfDocuments ? undefined : beginWith?.seriesInstanceUID;
  const isWhole = seriesId === undefined;
  const small = usePicture({ study, ...(!isWhole && { seriesId }), imagesReceived, isSeen: true });
  const large = usePicture({ study, imagesReceived, isLarge: true, isSeen: isWhole });
  // The list may have read that of the whole study ahead.
  const preview = (isWhole ? large : undefined) ?? small;
  const source = useSource(study, { userId: user.id, beginWith: beginWith?.seriesInstanceUID });
  const exam = useMemo(() => studyExam(i18n, study), [i18n, study]);
  useAccessEnd(study.id, onBack);
  const { access } = study;

  async function findOthers(signal: AbortSignal): Promise<ComparedExam[]> {
    const others = await listComparable(study, signal);
    return others.map((other) => ({
      ...studyExam(i18n, other),
      open: () => createStudySource(other.id, user.id),
    }));
  }

  return (
    <LazyVisor
      key={study.id}
      {...exam}
      source={source}
      studies={[exam]}
      preview={preview}
      findOthers={findOthers}
      onDownload={access.download ? () => void download(study) : undefined}
      downloadSize={sizeText(i18n, study.sizeBytes)}
      onShare={canShare && access.share ? () => share(study) : undefined}
      onOpenOhif={onOpenOhif}
      menu={<ViewerChoiceField />}
      onBack={onBack}
      onEnded={() => {
        showToast({ tone: "bad", title: t({ id: "visor.ended", message: "Access to this exam has ended" }) });
        onBack();
      }}
    />
  );
}

/** One source for each study, however often its row is read again. */
function useSource(
  { id, studyInstanceUID }: Study,
  { userId, beginWith }: { userId: string; beginWith: string | undefined },
): StackSource {
  return useMemo(
    () => takeStudySource({ id, studyInstanceUID }, userId, beginWith),
    [id, studyInstanceUID, userId, beginWith],
  );
}
