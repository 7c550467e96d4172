import type { ComponentProps, ReactNode } from "react";
import { useFocusAfterWork } from "./hooks/use-focus-after-work.ts";

export interface ButtonProps extends ComponentProps<"button"> {
  /** `lit` at most once per view; `destroy` only inside a confirmation. */
  kind?: "outline" | "lit" | "quiet" | "destroy";
  size?: "small" | "normal" | "big";
  on?: boolean;
}

export function buttonClass({ kind = "outline", size = "normal", on = false }: Partial<ButtonProps>): string {
  return ["btn", kind !== "outline" && `is-${kind}`, size !== "normal" && `is-${size}`, on && "is-on"]
    .filter(Boolean)
    .join(" ");
}

export function Button({ kind, size, on, className = "", type = "button", ref, ...rest }: ButtonProps) {
  const button = useFocusAfterWork(rest.disabled === true, ref);
  return (
    <button
      type={type}
      className={`${buttonClass({ kind, size, on })} ${className}`}
      ref={button}
      {...rest}
    />
  );
}

interface IconButtonProps extends Omit<ComponentProps<"button">, "aria-label"> {
  /** Name of the action, for people who can't see the icon. */
  label: string;
  destructive?: boolean;
  children: ReactNode;
}

export function IconButton({ label, destructive, className = "", ref, ...rest }: IconButtonProps) {
  const button = useFocusAfterWork(rest.disabled === true, ref);
  return (
    <button
      ref={button}
      type="button"
      aria-label={label}
      className={`btn is-icon ${destructive ? "is-delete" : ""} ${className}`}
      {...rest}
    />
  );
}
