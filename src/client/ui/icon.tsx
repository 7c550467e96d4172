import type { LucideIcon } from "lucide-react";
import type { ReactElement } from "react";

export interface IconProps {
  /** 16 px instead of 18. */
  small?: boolean;
  className?: string;
}

export type Icon = (props: IconProps) => ReactElement;

/** Decoration beside a word, or inside a control that has a label: hidden from assistive technology. */
export function icon(Drawing: LucideIcon): Icon {
  return ({ small, className }) => (
    <Drawing className={["icon", small && "is-small", className].filter(Boolean).join(" ")} aria-hidden />
  );
}
