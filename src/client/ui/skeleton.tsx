interface SkeletonProps {
  shape?: "line" | "film" | "control";
  className?: string;
}

/** The shape of what comes. Its container says `aria-busy`. */
export function Skeleton({ shape = "line", className = "" }: SkeletonProps) {
  return (
    <span aria-hidden="true" className={`skeleton ${shape === "line" ? "" : `is-${shape}`} ${className}`} />
  );
}
