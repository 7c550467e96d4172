import type { I18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Study } from "../../../shared/api/studies.ts";
import { failureText } from "../../calls/failure-text.ts";
import { showToast } from "../../ui/toast.tsx";
import type { ExamProps, VisorStudy } from "../../visor/view/visor-props.ts";
import { pdfName, saveFile } from "../pdf/save-file.ts";
import { reportsApi } from "../reports/reports-api.ts";
import { StudyIntegrity } from "../studies/study-integrity.tsx";
import { usePicture } from "../studies/use-picture.ts";
import { describeStudy } from "./describe-study.ts";
import { Laudo } from "./lazy-visor.tsx";

/** A study of the archive as the visor shows it. */
export function studyExam(i18n: I18n, study: Study): VisorStudy & ExamProps {
  return {
    ...describeStudy(i18n, study),
    seriesPicture: ({ seriesInstanceUID }) => (
      <StudySeriesPicture study={study} seriesInstanceUID={seriesInstanceUID} />
    ),
    laudo: study.laudo
      ? {
          render: () => <Laudo id={study.id} read={(signal) => reportsApi.read(study.id, signal)} />,
          onDownload: () => void saveLaudo(i18n, study),
        }
      : undefined,
    documentName: study.access.download ? [describeStudy(i18n, study).title, study.studyDate] : undefined,
    information: <StudyIntegrity study={study} />,
  };
}

async function saveLaudo(i18n: I18n, study: Study): Promise<void> {
  const title = i18n._(msg({ id: "report.title", message: "Report" }));
  try {
    const laudo = await reportsApi.read(study.id);
    saveFile(laudo, pdfName(title, describeStudy(i18n, study).title, study.studyDate));
  } catch (error) {
    showToast({
      tone: "bad",
      title: i18n._(msg({ id: "report.loadFailed", message: "Error loading report" })),
      text: failureText(error),
    });
  }
}

function StudySeriesPicture({ study, seriesInstanceUID }: { study: Study; seriesInstanceUID: string }) {
  const { imagesReceived } = study;
  const picture = usePicture({ study, seriesId: seriesInstanceUID, imagesReceived, isSeen: true });
  return picture ? <img src={picture} alt="" /> : null;
}
