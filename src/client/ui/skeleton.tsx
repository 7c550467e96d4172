interface SkeletonProps {
  shape?: "line" | "film" | "control";
  className?: string;
}

/** A placeholder for loading content. Its container sets `aria-busy`. */
export function Skeleton({ shape = "line", className = "" }: SkeletonProps) {
  return (
    <span aria-hidden="true" className={`skeleton ${shape === "line" ? "" : `is-${shape}`} ${className}`} />
  );
}

/** Placeholder for a stack of cards, on a phone. */
export function CardsSkeleton() {
  return (
    <div className="grid gap-3 p-4" aria-busy="true">
      <Skeleton shape="control" />
      <Skeleton shape="control" />
      <Skeleton shape="control" />
    </div>
  );
}
