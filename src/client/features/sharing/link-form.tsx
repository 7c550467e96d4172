import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { MAX_RECIPIENT_LENGTH } from "../../../shared/api/links.ts";
import type { Study } from "../../../shared/api/studies.ts";
import { addDays } from "../../../shared/rules/days.ts";
import { failureText } from "../../calls/failure-text.ts";
import { serverNow } from "../../calls/server-clock.ts";
import { Button } from "../../ui/button.tsx";
import { Choice } from "../../ui/choice.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { TextField } from "../../ui/field.tsx";
import { CopyIcon, SendIcon } from "../../ui/icons.tsx";
import { isDateOrEmpty } from "../../ui/text/date-text.ts";
import { dayText, endOfDay, localDay } from "../../ui/text/moment-text.ts";
import { useStay } from "../places/use-stay.ts";
import { useKeptFields } from "../session/use-kept-form.ts";
import { patientsText } from "../studies/study-text.ts";
import { handLink, type LinkWay, linkWay } from "./hand-link.ts";
import { OtherExams } from "./other-exams.tsx";
import type { ReadyLink } from "./ready-link.ts";
import { useExamCount } from "./use-exam-count.ts";
import { useCreateLink, useOtherExams } from "./use-links.ts";

type Period = "1" | "7" | "30" | "date";
const periods: readonly Period[] = ["1", "7", "30", "date"];

type LinkFields = {
  recipient: string;
  period: Period;
  day: string;
  passcode: boolean;
  laudo: boolean;
  download: boolean;
  /** The other exams of the patient that it opens too, by their ids. */
  also: readonly string[];
};

interface LinkFormProps {
  study: Study;
  /** Further exams that were chosen already; without them, others of the patient are offered. */
  chosen?: readonly Study[];
  /** For whom the link is, as far as it is known. */
  recipient?: string | undefined;
  onReady: (link: ReadyLink) => void;
  /** Without it, the dialog around the form has its own way out. */
  onCancel?: () => void;
}

/** For whom a link is, for how long, and what it allows. What it asks first is safe: 7 days, a passcode, no download. */
export function LinkForm({ study, chosen = [], recipient: known = "", onReady, onCancel }: LinkFormProps) {
  // What was chosen for other exams, such as no passcode, is not asked for first here.
  const keptAs = `link/${[study, ...chosen].map(({ id }) => id).join()}`;
  const [fields, change] = useKeptFields<LinkFields>(keptAs, {
    recipient: known,
    period: "7",
    day: localDay(daysFromNow(14)),
    passcode: true,
    laudo: true,
    download: false,
    also: [],
  });
  const { recipient, period, day, passcode, laudo, download } = fields;
  const others = useOtherExams(study, chosen.length === 0);
  // One that was deleted since it was chosen has no box any more that takes it out.
  const also = others ? fields.also.filter((id) => others.some((other) => other.id === id)) : fields.also;
  const { i18n, t } = useLingui();
  const create = useCreateLink();
  const way = linkWay();
  /** What is done with the link that is being made, beside showing it. */
  const [pressed, setPressed] = useState<LinkWay>();
  useStay(create.isPending);
  const expiresAt = endOf(period, day);
  const studyIds = [study.id, ...chosen.map(({ id }) => id), ...also];
  const make = (hands?: LinkWay) => {
    if (!expiresAt || create.isPending) return;
    setPressed(hands);
    const link = { studyIds, recipient: recipient.trim() || null, expiresAt, passcode, laudo, download };
    const made = create.mutateAsync(link);
    const patient = patientsText(i18n, [study, ...chosen]);
    if (hands) void handLink(hands, made, t({ id: "link.sent.title", message: `Exams of ${patient}` }));
    made.then(
      (ready) =>
        onReady({ ...ready, recipient: link.recipient, studies: studyIds.length, withReport: laudo }),
      // The form says it: `create.error`.
      () => undefined,
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make();
  };
  const exams = useExamCount(studyIds.length);
  const until = expiresAt ? dayText(expiresAt) : "—";
  return (
    <form className="link-form" onSubmit={submit} noValidate>
      <TextField
        label={<Trans id="link.recipient">For whom</Trans>}
        hint={
          <Trans id="link.recipient.hint">Shown to whoever opens the link, and in your list of links.</Trans>
        }
        autoComplete="off"
        maxLength={MAX_RECIPIENT_LENGTH}
        value={recipient}
        onChange={({ target }) => change({ recipient: target.value })}
      />
      <Choice
        legend={<Trans id="link.period">Valid for</Trans>}
        options={periods.map((value) => ({ value, text: <PeriodText period={value} /> }))}
        value={period}
        onValueChange={(value) => change({ period: value })}
      />
      {period === "date" && (
        <DateField
          label={<Trans id="link.until">Until</Trans>}
          value={day}
          onValueChange={(value) => change({ day: value })}
        />
      )}
      <div className="link-options">
        <Option
          checked={passcode}
          onChange={(value) => change({ passcode: value })}
          hint={<Trans id="link.passcode.hint">6 digits, made now</Trans>}
        >
          <Trans id="link.passcode">Ask for a passcode</Trans>
        </Option>
        <Option checked={laudo} onChange={(value) => change({ laudo: value })}>
          <Trans id="link.report">Include the report</Trans>
        </Option>
        <Option
          checked={download}
          onChange={(value) => change({ download: value })}
          hint={<Trans id="link.download.hint">The recipient can keep the images</Trans>}
        >
          <Trans id="link.download">Allow download</Trans>
        </Option>
      </div>
      {others && others.length > 0 && (
        <OtherExams study={study} others={others} chosen={also} onChosen={(ids) => change({ also: ids })} />
      )}
      {create.error && (
        <p className="field-error" role="alert">
          <CircleAlertIcon small />
          {failureText(create.error)}
        </p>
      )}
      <div className="dialog-actions link-submit">
        <span>
          <Trans id="link.summary">
            {exams}, until {until}
          </Trans>
        </span>
        {onCancel && (
          <Button size="big" disabled={create.isPending} onClick={onCancel}>
            <Trans id="action.cancel">Cancel</Trans>
          </Button>
        )}
        {way && (
          <Button size="big" disabled={!expiresAt || create.isPending} onClick={() => make(way)}>
            {way === "send" ? <SendIcon small /> : <CopyIcon small />}
            {create.isPending && pressed ? <Creating /> : <WayText way={way} />}
          </Button>
        )}
        <Button kind="lit" size="big" type="submit" disabled={!expiresAt || create.isPending}>
          {create.isPending && !pressed ? <Creating /> : <Trans id="link.create">Create link</Trans>}
        </Button>
      </div>
    </form>
  );
}

/** ISO 8601; undefined while the day is no day. */
function endOf(period: Period, day: string): string | undefined {
  if (period !== "date") return daysFromNow(Number(period)).toISOString();
  return day !== "" && isDateOrEmpty(day, "date") ? endOfDay(day) : undefined;
}

/** By the server's clock, which ends the link. */
function daysFromNow(days: number): Date {
  return addDays(new Date(serverNow()), days);
}

function Creating() {
  return <Trans id="link.creating">Creating…</Trans>;
}

function WayText({ way }: { way: LinkWay }) {
  if (way === "send") return <Trans id="link.createAndSend">Create and send</Trans>;
  return <Trans id="link.createAndCopy">Create and copy</Trans>;
}

function PeriodText({ period }: { period: Period }) {
  switch (period) {
    case "1":
      return <Trans id="link.period.day">1 day</Trans>;
    case "7":
      return <Trans id="link.period.week">7 days</Trans>;
    case "30":
      return <Trans id="link.period.month">30 days</Trans>;
    default:
      return <Trans id="link.period.date">Until a date</Trans>;
  }
}

interface OptionProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  hint?: ReactNode;
  children: ReactNode;
}

function Option({ checked, onChange, hint, children }: OptionProps) {
  const id = useId();
  return (
    <label>
      <span>
        <span id={`${id}-name`}>{children}</span>
        {hint && <small id={`${id}-hint`}>{hint}</small>}
      </span>
      <input
        aria-labelledby={`${id}-name`}
        aria-describedby={hint ? `${id}-hint` : undefined}
        type="checkbox"
        role="switch"
        aria-checked={checked}
        className="switch"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
      />
    </label>
  );
}
