import { useLingui } from "@lingui/react/macro";
import { type ReactNode, useRef, useState } from "react";
import { activeLocale } from "../i18n.ts";
import { IconButton } from "./button.tsx";
import { Field } from "./field.tsx";
import { CalendarIcon } from "./icons.tsx";
import {
  type DateKind,
  formatDate,
  isDateOrEmpty,
  namesNoDay,
  parseDate,
  separateWhileTyping,
} from "./text/date-text.ts";

interface DateFieldProps {
  label: ReactNode;
  /** `YYYY-MM-DD`, or `YYYY-MM-DDTHH:MM` with a time, or empty; otherwise typed text that is not a date (`isDateOrEmpty`). */
  value: string;
  onValueChange: (value: string) => void;
  kind?: DateKind;
  hint?: ReactNode;
  error?: ReactNode;
  className?: string;
  disabled?: boolean;
  ref?: (element: HTMLInputElement | null) => void;
  onBlur?: () => void;
}

/**
 * A date field in the order of the product's language, on every device: the browser's own field uses the browser's language. Its
 * calendar is a button away.
 */
export function DateField({
  label,
  kind = "date",
  hint,
  error,
  className,
  disabled,
  ...props
}: DateFieldProps) {
  const { t } = useLingui();
  const { shown, type, settle, isWrong } = useTyping(kind, props);
  const pattern = usePattern(kind);
  const wrong = namesNoDay(props.value, activeLocale())
    ? t({ id: "date.noSuchDay", message: "There is no such day" })
    : t({ id: "date.invalid", message: `Write the date as ${pattern}` });
  return (
    <Field label={label} className={className} hint={hint} error={error || (isWrong && wrong)}>
      {(tied) => (
        <div className="input date-field">
          <input
            ref={props.ref}
            inputMode="numeric"
            autoComplete="off"
            maxLength={20}
            placeholder={pattern}
            disabled={disabled}
            value={shown}
            onChange={({ target }) => type(target.value)}
            onKeyDown={({ key }) => {
              if (key === "Enter") settle();
            }}
            onBlur={() => {
              settle();
              props.onBlur?.();
            }}
            {...tied}
          />
          <PickerButton kind={kind} value={props.value} disabled={disabled} onPick={props.onValueChange} />
        </div>
      )}
    </Field>
  );
}

/** Unfinished input is neither changed nor marked as wrong until the field loses focus or the form is sent. */
function useTyping(
  kind: DateKind,
  { value, onValueChange }: Pick<DateFieldProps, "value" | "onValueChange">,
) {
  const [typed, setTyped] = useState<string>();
  const locale = activeLocale();
  const readDate = (text: string) => parseDate(text, kind, locale) ?? text.trim();
  const isBeingTyped = typed !== undefined && readDate(typed) === value;
  const shown = isBeingTyped ? typed : (formatDate(value, locale) ?? value);
  return {
    shown,
    isWrong: !isBeingTyped && !isDateOrEmpty(value, kind),
    type: (text: string) => {
      const separated = separateWhileTyping(text, shown, kind, locale);
      setTyped(separated);
      onValueChange(readDate(separated));
    },
    settle: () => setTyped(undefined),
  };
}

function usePattern(kind: DateKind): string {
  const { t } = useLingui();
  return kind === "date"
    ? t({ id: "date.pattern", message: "mm/dd/yyyy" })
    : t({ id: "date.patternWithTime", message: "mm/dd/yyyy hh:mm" });
}

interface PickerButtonProps {
  kind: DateKind;
  value: string;
  disabled?: boolean;
  onPick: (value: string) => void;
}

/** Opens the browser's calendar, which belongs to a hidden field. */
function PickerButton({ kind, value, disabled, onPick }: PickerButtonProps) {
  const { t } = useLingui();
  const native = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={native}
        className="date-native"
        type={nativeType(kind)}
        value={isDateOrEmpty(value, kind) ? value : ""}
        tabIndex={-1}
        aria-hidden="true"
        onChange={({ target }) => onPick(target.value)}
      />
      <IconButton
        label={t({ id: "date.pick", message: "Open the calendar" })}
        disabled={disabled}
        onClick={() => native.current?.showPicker()}
      >
        <CalendarIcon small />
      </IconButton>
    </>
  );
}

function nativeType(kind: DateKind): string {
  return kind === "date" ? "date" : "datetime-local";
}
