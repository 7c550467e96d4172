import { Select as RadixSelect } from "radix-ui";
import type { ReactNode } from "react";
import { pageNonce } from "../runtime/page-nonce.ts";
import { CheckIcon, ChevronDownIcon } from "./icons.tsx";

interface SelectProps<Value extends string> {
  value: Value;
  onValueChange: (value: Value) => void;
  options: readonly { value: Value; label: ReactNode }[];
  placeholder?: ReactNode;
  disabled?: boolean;
  id?: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
}

/** A choice from a short list, used inside a `Field`. Values must not be empty, because Radix reserves the empty text. */
export function Select<Value extends string>({ options, placeholder, ...select }: SelectProps<Value>) {
  const { value, onValueChange, disabled, ...control } = select;
  return (
    <RadixSelect.Root
      value={value}
      onValueChange={(next) => onValueChange(next as Value)}
      disabled={disabled}
    >
      <RadixSelect.Trigger className="input select-trigger" {...control}>
        <RadixSelect.Value placeholder={placeholder} />
        <RadixSelect.Icon asChild>
          <span>
            <ChevronDownIcon small />
          </span>
        </RadixSelect.Icon>
      </RadixSelect.Trigger>
      <RadixSelect.Portal>
        <RadixSelect.Content className="menu select-list" position="popper" sideOffset={4}>
          <RadixSelect.Viewport nonce={pageNonce()}>
            {options.map((option) => (
              <RadixSelect.Item key={option.value} value={option.value} className="menu-item justify-between">
                <RadixSelect.ItemText>{option.label}</RadixSelect.ItemText>
                <RadixSelect.ItemIndicator>
                  <CheckIcon small />
                </RadixSelect.ItemIndicator>
              </RadixSelect.Item>
            ))}
          </RadixSelect.Viewport>
        </RadixSelect.Content>
      </RadixSelect.Portal>
    </RadixSelect.Root>
  );
}
