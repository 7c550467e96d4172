import { type ReactNode, useId } from "react";
import { useFocusAfterWork } from "./hooks/use-focus-after-work.ts";

interface CheckboxProps {
  label: ReactNode;
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
  disabled?: boolean;
}

export function Checkbox({ label, checked, onCheckedChange, disabled = false }: CheckboxProps) {
  const id = useId();
  const box = useFocusAfterWork<HTMLInputElement>(disabled);
  return (
    <div className="checkbox-row">
      <input
        ref={box}
        id={id}
        type="checkbox"
        className="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ target }) => onCheckedChange(target.checked)}
      />
      <label htmlFor={id}>{label}</label>
    </div>
  );
}
