import { type ComponentProps, type ReactNode, useId } from "react";
import { CircleAlertIcon } from "./entry-icons.tsx";

interface FieldProps {
  label: ReactNode;
  /** Beside the label, e.g. a link. */
  aside?: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  className?: string;
  /** Renders the control with the attributes that tie it to its label, hint and error. */
  children: (control: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }) => ReactNode;
}

/** A control with its label above, and its error or hint below. */
export function Field({ label, aside, hint, error, className = "", children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  return (
    <div className={`field ${className}`}>
      <div className="flex items-center justify-between gap-2">
        <label className="field-label" htmlFor={id}>
          {label}
        </label>
        {aside}
      </div>
      {children({
        id,
        ...((error || hint) && { "aria-describedby": noteId }),
        ...(error && { "aria-invalid": true }),
      })}
      {error ? (
        <p className="field-error" id={noteId}>
          <CircleAlertIcon small />
          {error}
        </p>
      ) : (
        hint && (
          <div className="field-hint" id={noteId}>
            {hint}
          </div>
        )
      )}
    </div>
  );
}

interface TextFieldProps extends Omit<ComponentProps<"input">, "children"> {
  label: ReactNode;
  aside?: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  /** Class of the whole field, not of the input. */
  className?: string;
}

export function TextField({ label, aside, hint, error, className, ...input }: TextFieldProps) {
  return (
    <Field label={label} aside={aside} hint={hint} error={error} className={className}>
      {(control) => <input className="input" {...input} {...control} />}
    </Field>
  );
}
