import { type ChangeEvent, type ComponentProps, type ReactNode, useLayoutEffect, useRef } from "react";
import { TextField } from "./field.tsx";

interface MaskedFieldProps extends Omit<ComponentProps<typeof TextField>, "onChange" | "value" | "ref"> {
  value: string;
  onValueChange: (masked: string) => void;
  mask: (text: string) => string;
  label: ReactNode;
  ref?: (element: HTMLInputElement | null) => void;
}

/** Masks while the person types. The caret stays after the typed character, even in the middle of the text. */
export function MaskedField({ value, onValueChange, mask, ref, ...field }: MaskedFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const caret = useRef<number>(undefined);

  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });

  const change = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const masked = mask(target.value);
    const typedBefore = significant(target.value.slice(0, target.selectionStart ?? target.value.length));
    caret.current = placeAfter(masked, typedBefore);
    onValueChange(masked);
  };

  return (
    <TextField
      {...field}
      ref={(element) => {
        input.current = element;
        ref?.(element);
      }}
      value={value}
      onChange={change}
    />
  );
}

function significant(text: string): number {
  return text.replace(/[^0-9A-Za-z]/g, "").length;
}

/** The index in `masked` right after its first `count` letters and digits. */
function placeAfter(masked: string, count: number): number {
  let place = 0;
  for (let seen = 0; place < masked.length && seen < count; place++) {
    if (/[0-9A-Za-z]/.test(masked.charAt(place))) seen++;
  }
  return place;
}
