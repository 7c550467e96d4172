import { Skeleton } from "../../ui/skeleton.tsx";

/** Stands in the place of a public page's contents until they are there. */
export function Opening() {
  return (
    <div aria-busy="true" className="grid gap-4">
      <Skeleton className="h-8 w-72" />
      <Skeleton className="h-72 w-full" />
    </div>
  );
}
