import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useAtom, useSetAtom } from "jotai";
import { useState } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { ApiError } from "../../calls/api.ts";
import { STUDIES } from "../../calls/query-keys.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { FileTextIcon } from "../../ui/icons.tsx";
import { showToast } from "../../ui/toast.tsx";
import { PdfPicker } from "../pdf/pdf-picker.tsx";
import { UploadMeter } from "../pdf/upload-meter.tsx";
import { useStoppableUpload } from "../pdf/use-stoppable-upload.ts";
import { useOwnClose } from "../places/use-own-close.ts";
import { leftByAtom } from "../studies/list-openers.ts";
import { dateText, descriptionText } from "../studies/study-text.ts";
import { useFoundStudy } from "../studies/use-found-study.ts";
import { reportAskedSubject, shownReportAtom } from "./report-state.ts";
import { reportsApi } from "./reports-api.ts";

/** A study's report: opens the existing one, or takes a new one. */
export function ReportDialog() {
  const { i18n } = useLingui();
  const [study, setStudy] = useAtom(reportAskedSubject.valueAtom);
  useFoundStudy(reportAskedSubject);
  return (
    <Dialog
      open={study !== undefined}
      onOpenChange={(open) => {
        if (!open) setStudy(undefined);
      }}
      title={<Trans id="report.title">Report</Trans>}
      text={study && `${descriptionText(i18n, study)}, ${dateText(i18n, study.studyDate)}`}
    >
      {study &&
        (study.laudo ? (
          <OfferView study={study} onClose={() => setStudy(undefined)} />
        ) : (
          <AttachReport study={study} onClose={() => setStudy(undefined)} />
        ))}
    </Dialog>
  );
}

interface PartProps {
  study: Study;
  onClose: () => void;
}

function OfferView({ study, onClose }: PartProps) {
  const setShown = useSetAtom(shownReportAtom);
  const setLeftBy = useSetAtom(leftByAtom);
  const see = () => {
    setLeftBy({ studyId: study.id, opens: "report" });
    setShown(study);
  };
  return (
    <>
      <p className="dialog-text">
        <Trans id="report.exists">This exam already has a report.</Trans>
      </p>
      <div className="dialog-actions">
        <Button onClick={onClose}>
          <Trans id="action.close">Close</Trans>
        </Button>
        <Button kind="lit" onClick={see}>
          <FileTextIcon small />
          <Trans id="report.see">See report</Trans>
        </Button>
      </div>
    </>
  );
}

function AttachReport({ study, onClose }: PartProps) {
  const [file, setFile] = useState<File>();
  const close = useOwnClose(onClose);
  const { upload, sent } = useReportUpload(study);
  return (
    <>
      <PdfPicker
        file={file}
        disabled={upload.isPending}
        onPick={(picked) => {
          upload.reset();
          setFile(picked);
        }}
      />
      {upload.isPending && <UploadMeter sent={sent} />}
      {upload.error instanceof ApiError && (
        <p className="notice is-bad mt-4" role="alert">
          <CircleAlertIcon />
          {upload.error.message}
        </p>
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>
          <Trans id="action.cancel">Cancel</Trans>
        </Button>
        <Button
          kind="lit"
          disabled={!file || upload.isPending}
          onClick={() => {
            if (file) upload.mutate(file, { onSuccess: close });
          }}
        >
          <Trans id="report.send">Attach report</Trans>
        </Button>
      </div>
    </>
  );
}

/** Closing the dialog stops the upload. */
function useReportUpload(study: Study) {
  const { t } = useLingui();
  const { sent, begin } = useStoppableUpload();
  const upload = useMutation({
    // If somebody else attached a report meanwhile, or the answer was lost, the list shows the one that is there.
    meta: { changes: [[STUDIES]] },
    mutationFn: (file: File) => reportsApi.upload(study.id, file, begin()),
    onSuccess: () =>
      showToast({ tone: "ok", title: t({ id: "report.attached", message: "Report attached" }) }),
  });
  return { upload, sent };
}
