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

/** Of entries that come one below the other, on a phone. */
export function CardsSkeleton() {
  return (
    <div className="grid gap-3 p-4" aria-busy="true">
      <Skeleton shape="control" />
      <Skeleton shape="control" />
      <Skeleton shape="control" />
    </div>
  );
}
