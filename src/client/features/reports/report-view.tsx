import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useAtom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { failureText } from "../../calls/failure-text.ts";
import { STUDIES } from "../../calls/query-keys.ts";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { showToast } from "../../ui/toast.tsx";
import { PdfPane } from "../pdf/pdf-pane.tsx";
import { pdfName, saveFile } from "../pdf/save-file.ts";
import { dateText, descriptionText } from "../studies/study-text.ts";
import { StudyUnread } from "../studies/study-unread.tsx";
import { useFoundStudy } from "../studies/use-found-study.ts";
import { shownReportSubject } from "./report-state.ts";
import { reportsApi } from "./reports-api.ts";

const REPORT = "report";

/** The report of the study that was chosen in the list. */
export default function ReportView() {
  const [study, setStudy] = useAtom(shownReportSubject.valueAtom);
  const unread = useFoundStudy(shownReportSubject);
  if (study) return <Report key={study.id} study={study} onBack={() => setStudy(undefined)} />;
  return unread ? <StudyUnread {...unread} /> : null;
}

function Report({ study, onBack }: { study: Study; onBack: () => void }) {
  const { i18n, t } = useLingui();
  // The PDF is dropped from memory when its view closes.
  const query = useQuery({
    queryKey: [REPORT, study.id],
    queryFn: ({ signal }) => reportsApi.read(study.id, signal),
    gcTime: 0,
  });
  const { data, refetch } = query;
  const failure = useFailure(query);
  const deletion = useDeletion(study);
  const description = descriptionText(i18n, study);
  const date = dateText(i18n, study.studyDate);
  return (
    <PdfPane
      title={<Trans id="report.title">Report</Trans>}
      subtitle={`${description}, ${date}`}
      file={data}
      failure={
        failure
          ? {
              title: <Trans id="report.loadFailed">Error loading report</Trans>,
              text: failure.message,
              retry: () => void refetch(),
            }
          : undefined
      }
      onBack={onBack}
      onDownload={() => {
        if (!data) return;
        saveFile(data, pdfName(t({ id: "report.title", message: "Report" }), description, study.studyDate));
        showToast({ tone: "ok", title: t({ id: "download.done", message: "Download complete" }) });
      }}
      deletion={
        study.access.deleteReport
          ? {
              question: (
                <Trans id="report.delete.text">
                  Are you sure you want to delete this report? This action cannot be undone.
                </Trans>
              ),
              label: t({ id: "report.delete", message: "Delete report" }),
              isPending: deletion.isPending,
              // Not after the person has left: another report may be open by then.
              run: () => deletion.mutate(undefined, { onSuccess: onBack }),
            }
          : undefined
      }
    />
  );
}

function useDeletion(study: Study) {
  const { t } = useLingui();
  return useMutation({
    meta: { changes: [[STUDIES]] },
    mutationFn: () => reportsApi.remove(study.id),
    onSuccess: () =>
      showToast({
        tone: "ok",
        title: t({ id: "report.deleted", message: "PDF deleted" }),
        text: t({ id: "report.deleted.text", message: "The report was deleted successfully" }),
      }),
    onError: (error) =>
      showToast({
        tone: "bad",
        title: t({ id: "report.deleteFailed", message: "Error deleting PDF" }),
        text: failureText(error),
      }),
  });
}
