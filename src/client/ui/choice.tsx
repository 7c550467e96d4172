import { type ReactNode, useId } from "react";

interface ChoiceProps<Value extends string | number> {
  legend: ReactNode;
  options: readonly { value: Value; text: ReactNode }[];
  value: Value;
  onValueChange: (value: Value) => void;
}

/** One of a few short answers, side by side. */
export function Choice<Value extends string | number>(props: ChoiceProps<Value>) {
  const { legend, options, value, onValueChange } = props;
  const name = useId();
  return (
    <fieldset className="choice">
      <legend className="field-label">{legend}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={option.value === value}
            onChange={() => onValueChange(option.value)}
          />
          {option.text}
        </label>
      ))}
    </fieldset>
  );
}
