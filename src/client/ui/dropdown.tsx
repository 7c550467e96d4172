import { DropdownMenu } from "radix-ui";
import type { ReactElement, ReactNode } from "react";

interface DropdownProps {
  /** The button that opens it. */
  trigger: ReactElement;
  /** `DropdownItem`s, `DropdownLabel`s and `DropdownSeparator`s. */
  children: ReactNode;
}

export function Dropdown({ trigger, children }: DropdownProps) {
  return (
    // Not modal: the page behind stays readable to assistive technology.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={6} collisionPadding={8}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface DropdownItemProps {
  onSelect: () => void;
  danger?: boolean;
  disabled?: boolean;
  children: ReactNode;
}

export function DropdownItem({ danger, ...item }: DropdownItemProps) {
  return <DropdownMenu.Item className={`menu-item ${danger ? "is-danger" : ""}`} {...item} />;
}

export function DropdownLabel({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="menu-label">{children}</DropdownMenu.Label>;
}

export function DropdownSeparator() {
  return <DropdownMenu.Separator className="menu-separator" />;
}
