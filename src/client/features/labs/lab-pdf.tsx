import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { LabExam } from "../../../shared/api/labs.ts";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { PdfPane } from "../pdf/pdf-pane.tsx";
import { LabDeletionText } from "./delete-lab-dialog.tsx";
import { labDate, labName } from "./lab-text.ts";
import { labsApi } from "./labs-api.ts";
import { useFailureToast, useLabDeletion, useLabDownload } from "./use-labs.ts";

/** One laboratory PDF. Viewing is free; a download counts as an action. */
export default function LabPdf({ exam, onBack }: { exam: LabExam; onBack: () => void }) {
  const { i18n, t } = useLingui();
  const download = useLabDownload();
  const deletion = useLabDeletion();
  // The PDF is dropped from memory when its view closes.
  const query = useQuery({
    queryKey: ["lab-pdf", exam.id],
    queryFn: ({ signal }) => labsApi.view(exam.id, signal),
    gcTime: 0,
  });
  const { data, refetch } = query;
  const failure = useFailure(query);
  useFailureToast(failure, t({ id: "labs.viewFailed", message: "Error loading exam" }));
  return (
    <PdfPane
      title={labName(i18n, exam)}
      subtitle={labDate(exam)}
      file={data}
      failure={
        failure
          ? {
              title: <Trans id="labs.viewFailed">Error loading exam</Trans>,
              text: failure.message,
              retry: () => void refetch(),
            }
          : undefined
      }
      onBack={onBack}
      onDownload={() => download.mutate(exam)}
      deletion={{
        question: <LabDeletionText />,
        label: t({ id: "labs.delete", message: "Delete exam" }),
        isPending: deletion.isPending,
        // Not after the person has left: another exam may be open by then.
        run: () => deletion.mutate(exam, { onSuccess: onBack }),
      }}
    />
  );
}
