import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type LabUpload, labModalities, labUploadSchema } from "../../../shared/api/labs.ts";
import { LABS_AND_USAGE } from "../../calls/query-keys.ts";
import { violationText } from "../../calls/validation.ts";
import { Button } from "../../ui/button.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { Field, TextField } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { showToast } from "../../ui/toast.tsx";
import { PdfPicker } from "../pdf/pdf-picker.tsx";
import { UploadMeter } from "../pdf/upload-meter.tsx";
import { useStoppableUpload } from "../pdf/use-stoppable-upload.ts";
import { useOwnClose } from "../places/use-own-close.ts";
import { useKeptFields } from "../session/use-kept-form.ts";
import { modalityName } from "../studies/modality-names.ts";
import { labsApi } from "./labs-api.ts";

interface LabUploadDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onSaved: () => void;
}

/** Takes one laboratory PDF with its name, date and modality. */
export function LabUploadDialog({ open, onOpenChange, onSaved }: LabUploadDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={<Trans id="labs.add">Add exam</Trans>}>
      <LabUploadForm onClose={() => onOpenChange(false)} onSaved={onSaved} />
    </Dialog>
  );
}

const emptyForm = { examName: "", examDate: "", modality: "" };

function LabUploadForm({ onClose, onSaved }: { onClose: () => void; onSaved: () => void }) {
  const { i18n, t } = useLingui();
  const [fields, setFields] = useKeptFields("lab-upload", emptyForm);
  const [file, setFile] = useState<File>();
  const [isAsked, setAsked] = useState(false);
  const close = useOwnClose(onClose);
  const { upload, sent } = useLabUpload();

  const checked = labUploadSchema.safeParse(fields);
  const saved = () => {
    onSaved();
    close();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (checked.success && file) upload.mutate({ fields: checked.data, file }, { onSuccess: saved });
  };
  const isIncomplete = !checked.success || !file;
  const errorOf = (field: keyof LabUpload) => {
    if (!isAsked || checked.success) return undefined;
    return violationText(i18n, checked.error.issues.find(({ path }) => path[0] === field)?.message);
  };
  const failure =
    isAsked && isIncomplete
      ? t({ id: "labs.incomplete", message: "Please fill in all fields and select a PDF file" })
      : upload.error?.message;
  return (
    <form className="lab-form" onSubmit={submit} noValidate>
      <TextField
        label={<Trans id="labs.name">Exam name</Trans>}
        value={fields.examName}
        maxLength={200}
        error={errorOf("examName")}
        onChange={({ target }) => setFields({ examName: target.value })}
      />
      <DateField
        label={<Trans id="labs.date">Exam date (optional)</Trans>}
        value={fields.examDate}
        error={errorOf("examDate")}
        onValueChange={(examDate) => setFields({ examDate })}
      />
      <Field label={<Trans id="exam.modality">Modality</Trans>} error={errorOf("modality")}>
        {(tied) => (
          <Select
            {...tied}
            value={fields.modality}
            placeholder={<Trans id="labs.chooseModality">Choose</Trans>}
            onValueChange={(modality) => setFields({ modality })}
            options={labModalities.map((code) => ({ value: code, label: modalityName(i18n, code) }))}
          />
        )}
      </Field>
      <PdfPicker
        file={file}
        onPick={setFile}
        disabled={upload.isPending}
        isMissing={isAsked && !file}
        small
      />
      {upload.isPending && <UploadMeter sent={sent} />}
      {failure && (
        <p className="notice is-bad" role="alert">
          <CircleAlertIcon />
          {failure}
        </p>
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>
          <Trans id="action.cancel">Cancel</Trans>
        </Button>
        <Button kind="lit" type="submit" disabled={upload.isPending}>
          <Trans id="labs.send">Save exam</Trans>
        </Button>
      </div>
    </form>
  );
}

/** Closing the dialog stops the upload. */
function useLabUpload() {
  const { t } = useLingui();
  const { sent, begin, isStopped } = useStoppableUpload();
  const upload = useMutation({
    // Sent, stopped or not, it may have been saved.
    meta: { changes: LABS_AND_USAGE },
    mutationFn: ({ fields, file }: { fields: LabUpload; file: File }) =>
      labsApi.upload(fields, file, begin()),
    onSuccess: () => showToast({ tone: "ok", title: t({ id: "labs.saved", message: "Exam saved" }) }),
    onError: (error) => {
      if (isStopped()) return;
      showToast({
        tone: "bad",
        title: t({ id: "labs.uploadFailed", message: "Error uploading" }),
        text: error.message,
      });
    },
  });
  return { upload, sent };
}
