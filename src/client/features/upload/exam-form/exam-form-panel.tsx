import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type CSSProperties, type ReactNode, useState } from "react";
import { type Control, useController, useForm, useWatch } from "react-hook-form";
import { STUDY_MODALITIES } from "../../../../shared/dicom/modality.ts";
import { Button } from "../../../ui/button.tsx";
import { DateField } from "../../../ui/date-field.tsx";
import { type DateKind, isDateOrEmpty } from "../../../ui/date-text.ts";
import { Field, TextField } from "../../../ui/field.tsx";
import { TriangleAlertIcon } from "../../../ui/icons.tsx";
import { Select } from "../../../ui/select.tsx";
import { PHONE, useMediaQuery } from "../../../ui/use-media-query.ts";
import { modalityName } from "../../studies/modality-names.ts";
import { EMPTY_FORM, type ExamForm, GENDERS } from "./exam-form.ts";

const MAX_TEXT_LENGTH = 1024;

interface ExamFormPanelProps {
  /** Undefined if the browser could read no instance. */
  prefilled: ExamForm | undefined;
  /** What the fields begin with; undefined leaves them empty. */
  values: ExamForm | undefined;
  /** The button's text while the upload runs; undefined while the form waits. */
  busyLabel?: string | undefined;
  /** How much of the upload was sent; drawn at the button of a phone. */
  percent?: number;
  /** What is about to be sent, above the button. */
  summary?: ReactNode;
  /** How many exams the button sends; undefined if the browser could not count them. */
  exams?: number | undefined;
  /** While true nothing can be sent; the view says why. */
  isBlocked?: boolean;
  onSubmit: (form: ExamForm) => void;
}

/** The values under which the exam is filed. They come from its first instance, which the form never alters. */
export function ExamFormPanel(props: ExamFormPanelProps) {
  const { prefilled, values, busyLabel, percent, summary, isBlocked = false, onSubmit } = props;
  const exams = Math.max(1, props.exams ?? 1);
  const { t } = useLingui();
  const { register, control, handleSubmit } = useForm<ExamForm>({ defaultValues: values ?? EMPTY_FORM });
  const isPhone = useMediaQuery(PHONE);
  const [isOpened, setOpened] = useState(false);
  const isOpen = !isPhone || isOpened;
  const isBusy = busyLabel !== undefined;
  const text = (name: keyof ExamForm) => ({
    ...register(name),
    disabled: isBusy,
    maxLength: MAX_TEXT_LENGTH,
  });
  const wideText = (name: keyof ExamForm, label: string) => (
    <TextField className="is-wide" label={label} {...text(name)} />
  );
  const choice = { control, disabled: isBusy };
  return (
    <section className="panel upload-panel" aria-labelledby="exam-form-title">
      <div className="exam-form-head">
        <h2 id="exam-form-title">
          <Trans id="upload.form.title">Exam data</Trans>
        </h2>
        {isPhone && (
          <Button size="small" aria-expanded={isOpened} onClick={() => setOpened(!isOpened)}>
            {isOpened ? (
              <Trans id="action.close">Close</Trans>
            ) : (
              <Trans id="upload.form.open">Correct details</Trans>
            )}
          </Button>
        )}
      </div>
      {prefilled ? (
        <p className="field-hint">
          <Trans id="upload.form.hint">
            Filled in from the first file. What you change here does not alter the images.
          </Trans>
        </p>
      ) : (
        <UnreadNotice />
      )}
      {!isOpen && prefilled && (
        <p className="exam-form-brief">
          {[prefilled.patientName, prefilled.description].filter(Boolean).join(" · ")}
        </p>
      )}
      <form
        className={`exam-form ${isOpen ? "" : "is-closed"}`}
        onSubmit={(event) => void handleSubmit(onSubmit, () => setOpened(true))(event)}
      >
        {wideText("patientName", t({ id: "exam.patientName", message: "Patient name" }))}
        <ExamDate
          name="patientBirthDate"
          kind="date"
          className="is-half"
          label={t({ id: "exam.patientBirthDate", message: "Date of birth" })}
          {...choice}
        />
        <GenderField {...choice} />
        <TextField label={t({ id: "exam.patientID", message: "Patient ID" })} {...text("patientIDTag")} />
        <TextField
          label={t({ id: "exam.accessionNumber", message: "Accession number" })}
          {...text("accessionNumber")}
        />
        {wideText("description", t({ id: "exam.description", message: "Description" }))}
        <ExamDate
          name="examinedAt"
          kind="datetime"
          label={t({ id: "exam.examinedAt", message: "Exam date and time" })}
          {...choice}
        />
        <ModalityField {...choice} />
        {wideText("institutionName", t({ id: "exam.institution", message: "Institution" }))}
        {prefilled && (
          <Field className="is-wide" label="Study Instance UID">
            {(tied) => <input className="input mono" readOnly value={prefilled.studyInstanceUID} {...tied} />}
          </Field>
        )}
        <div className="exam-form-send is-wide" style={{ "--percent": percent ?? 0 } as CSSProperties}>
          {summary}
          <Button type="submit" kind="lit" size="big" disabled={isBusy || isBlocked}>
            {busyLabel ?? (
              <Plural id="upload.submitExams" value={exams} one="Upload exam" other="Upload # exams" />
            )}
          </Button>
        </div>
      </form>
    </section>
  );
}

function UnreadNotice() {
  return (
    <div className="notice is-warn mt-3">
      <TriangleAlertIcon />
      <p role="status">
        <Trans id="upload.form.unread">
          This browser found no exam here that it can read. You can still upload: the server checks what you
          send and fills in what you leave empty.
        </Trans>
      </p>
    </div>
  );
}

interface ChoiceProps {
  control: Control<ExamForm>;
  disabled: boolean;
}

interface ExamDateProps extends ChoiceProps {
  name: "patientBirthDate" | "examinedAt";
  kind: DateKind;
  label: string;
  className?: string;
}

function ExamDate({ name, control, ...props }: ExamDateProps) {
  const rules = { validate: (value: string) => isDateOrEmpty(value, props.kind) };
  const { value, onChange, onBlur, ref } = useController({ name, control, rules }).field;
  return <DateField {...props} onValueChange={onChange} {...{ value, onBlur, ref }} />;
}

interface ExamChoiceProps extends ChoiceProps {
  name: "patientGender" | "modality";
  label: string;
  className?: string;
  options: { value: string; label: string }[];
}

function ExamChoice({ name, label, className, options, control, disabled }: ExamChoiceProps) {
  const { value, onChange } = useController({ name, control }).field;
  return (
    <Field className={className} label={label}>
      {(tied) => <Select {...tied} {...{ value, disabled, options }} onValueChange={onChange} />}
    </Field>
  );
}

function GenderField(choice: ChoiceProps) {
  const { t } = useLingui();
  const labels = {
    M: t({ id: "exam.gender.male", message: "Male" }),
    F: t({ id: "exam.gender.female", message: "Female" }),
    O: t({ id: "exam.gender.other", message: "Other" }),
  };
  const options = GENDERS.map((gender) => ({ value: gender, label: labels[gender] }));
  const label = t({ id: "exam.gender", message: "Sex" });
  return <ExamChoice name="patientGender" className="is-half" {...{ label, options }} {...choice} />;
}

function ModalityField(choice: ChoiceProps) {
  const { i18n, t } = useLingui();
  const value = useWatch({ name: "modality", control: choice.control });
  const isOther = value !== "" && !(STUDY_MODALITIES as readonly string[]).includes(value);
  const codes: string[] = [...STUDY_MODALITIES, ...(isOther ? [value] : [])];
  const options = codes.map((code) => ({
    value: code,
    label: modalityOption(code, modalityName(i18n, code)),
  }));
  const label = t({ id: "exam.modality", message: "Modality" });
  return <ExamChoice name="modality" {...{ label, options }} {...choice} />;
}

function modalityOption(code: string, name: string): string {
  return code === name ? code : `${code} · ${name}`;
}
