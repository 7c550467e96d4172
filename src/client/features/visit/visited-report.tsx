import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Visit, VisitedStudy } from "../../../shared/api/links.ts";
import { ApiError } from "../../calls/api.ts";
import { useBackCloses } from "../../ui/hooks/use-back-closes.ts";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { PdfPane } from "../pdf/pdf-pane.tsx";
import { pdfName, saveFile } from "../pdf/save-file.ts";
import { dateText, descriptionText } from "../studies/study-text.ts";
import { visitApi } from "./visit-api.ts";

interface VisitedReportProps {
  visit: Visit;
  study: VisitedStudy;
  onBack: () => void;
  /** The link was ended meanwhile. */
  onClosed: () => void;
}

/** The report of an exam, in the place of the exams; the browser's way back closes it, and Escape. */
export default function VisitedReport({ visit, study, onBack, onClosed }: VisitedReportProps) {
  const { i18n, t } = useLingui();
  const query = useQuery({
    queryKey: ["visited-report", study.id],
    queryFn: () => visitApi.report(visit.token, study.id),
    gcTime: 0,
  });
  const { data, refetch } = query;
  const error = useFailure(query);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    window.scrollTo(0, 0);
    place.current?.focus({ preventScroll: true });
  }, []);
  const back = useBackCloses(onBack);
  const retry = () => void refetch();
  const download = () => data && saveFile(data, pdfName(title, description, study.studyDate));
  const isOver = error instanceof ApiError && error.status === 401;
  useEffect(() => {
    if (isOver) onClosed();
  }, [isOver, onClosed]);
  const failure = error
    ? { title: t({ id: "report.loadFailed", message: "Error loading report" }), text: error.message, retry }
    : undefined;
  const title = t({ id: "report.title", message: "Report" });
  const description = descriptionText(i18n, study);
  return (
    <div className="visit-report" ref={place} tabIndex={-1}>
      <PdfPane
        title={title}
        subtitle={`${description}, ${dateText(i18n, study.studyDate)}`}
        file={data}
        failure={failure}
        backLabel={<Trans id="visit.back">Back to the exams</Trans>}
        onBack={back}
        onDownload={visit.download ? download : undefined}
        deletion={undefined}
      />
    </div>
  );
}
