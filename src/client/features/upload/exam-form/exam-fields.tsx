import { useLingui } from "@lingui/react/macro";
import { STUDY_MODALITIES } from "../../../../shared/dicom/modality.ts";
import { DateField } from "../../../ui/date-field.tsx";
import { Field, TextField } from "../../../ui/field.tsx";
import { Select } from "../../../ui/select.tsx";
import { modalityName } from "../../studies/modality-names.ts";
import { type ExamForm, GENDERS } from "./exam-form.ts";

const MAX_TEXT_LENGTH = 1024;

export interface ExamFieldsProps {
  values: ExamForm;
  onChange: (values: ExamForm) => void;
}

interface ExamTextProps extends ExamFieldsProps {
  name: keyof ExamForm;
  label: string;
}

function ExamText({ name, label, values, onChange }: ExamTextProps) {
  return (
    <TextField
      label={label}
      maxLength={MAX_TEXT_LENGTH}
      value={values[name]}
      onChange={({ target }) => onChange({ ...values, [name]: target.value })}
    />
  );
}

/** The three fields that are wrong most often. */
export function MainFields(props: ExamFieldsProps) {
  const { t } = useLingui();
  const { values, onChange } = props;
  return (
    <div className="exam-fields is-main">
      <ExamText name="description" label={t({ id: "exam.description", message: "Description" })} {...props} />
      <DateField
        label={t({ id: "exam.examDate", message: "Exam date" })}
        value={dayOf(values.examinedAt)}
        onValueChange={(day) => onChange({ ...values, examinedAt: withDay(values.examinedAt, day) })}
      />
      <ExamText
        name="institutionName"
        label={t({ id: "exam.institution", message: "Institution" })}
        {...props}
      />
    </div>
  );
}

/** Everything else under which an exam is filed. */
export function MoreFields(props: ExamFieldsProps) {
  const { t } = useLingui();
  const { values, onChange } = props;
  const { studyInstanceUID } = values;
  const labels = {
    M: t({ id: "exam.gender.male", message: "Male" }),
    F: t({ id: "exam.gender.female", message: "Female" }),
    O: t({ id: "exam.gender.other", message: "Other" }),
  };
  return (
    <div className="exam-fields">
      <ExamText
        name="patientName"
        label={t({ id: "exam.patientName", message: "Patient name" })}
        {...props}
      />
      <DateField
        label={t({ id: "exam.patientBirthDate", message: "Date of birth" })}
        value={values.patientBirthDate}
        onValueChange={(patientBirthDate) => onChange({ ...values, patientBirthDate })}
      />
      <ExamChoice
        name="patientGender"
        label={t({ id: "exam.gender", message: "Sex" })}
        options={GENDERS.map((gender) => ({ value: gender, label: labels[gender] }))}
        {...props}
      />
      <ExamText name="patientIDTag" label={t({ id: "exam.patientID", message: "Patient ID" })} {...props} />
      <ExamText
        name="accessionNumber"
        label={t({ id: "exam.accessionNumber", message: "Accession number" })}
        {...props}
      />
      <DateField
        kind="datetime"
        label={t({ id: "exam.examinedAt", message: "Exam date and time" })}
        value={values.examinedAt}
        onValueChange={(examinedAt) => onChange({ ...values, examinedAt })}
      />
      <ModalityField {...props} />
      {studyInstanceUID !== "" && (
        <Field className="is-wide" label="Study Instance UID">
          {(tied) => <input className="input mono" readOnly value={studyInstanceUID} {...tied} />}
        </Field>
      )}
    </div>
  );
}

/** The day of a moment; text that is none stays as it was typed. */
function dayOf(examinedAt: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(examinedAt) ? examinedAt.slice(0, 10) : examinedAt;
}

/** Another day at the same time, or at midnight. */
function withDay(examinedAt: string, day: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return day;
  const time = /T(\d\d:\d\d)$/.exec(examinedAt)?.[1] ?? "00:00";
  return `${day}T${time}`;
}

interface ExamChoiceProps extends ExamFieldsProps {
  name: "patientGender" | "modality";
  label: string;
  options: { value: string; label: string }[];
}

function ExamChoice({ name, label, options, values, onChange }: ExamChoiceProps) {
  return (
    <Field label={label}>
      {(tied) => (
        <Select
          {...tied}
          value={values[name]}
          options={options}
          onValueChange={(value) => onChange({ ...values, [name]: value })}
        />
      )}
    </Field>
  );
}

function ModalityField(props: ExamFieldsProps) {
  const { i18n, t } = useLingui();
  const value = props.values.modality;
  const isOther = value !== "" && !(STUDY_MODALITIES as readonly string[]).includes(value);
  const codes: string[] = [...STUDY_MODALITIES, ...(isOther ? [value] : [])];
  const options = codes.map((code) => ({
    value: code,
    label: modalityOption(code, modalityName(i18n, code)),
  }));
  return (
    <ExamChoice
      name="modality"
      label={t({ id: "exam.modality", message: "Modality" })}
      options={options}
      {...props}
    />
  );
}

function modalityOption(code: string, name: string): string {
  return code === name ? code : `${code} · ${name}`;
}
