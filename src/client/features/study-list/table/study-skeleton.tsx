import { useAtomValue } from "jotai";
import { Skeleton } from "../../../ui/skeleton.tsx";
import type { StudyColumn } from "../columns/column-layout.ts";
import { STUDIES_PER_PAGE } from "../pages/use-study-list.ts";
import { selectionAtom } from "../selection/selection.ts";

/** Placeholder rows; each column has the shape of its future content. */
export function SkeletonRows({ columns }: { columns: StudyColumn[] }) {
  const isSelecting = useAtomValue(selectionAtom) !== undefined;
  return Array.from({ length: STUDIES_PER_PAGE }, (_, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the places never move
    <tr key={place} className="study-row">
      {isSelecting && <td className="study-cell" data-column="select" />}
      {columns.map((column) => (
        <td key={column} className="study-cell" data-column={column}>
          <SkeletonCell column={column} />
        </td>
      ))}
    </tr>
  ));
}

function SkeletonCell({ column }: { column: StudyColumn }) {
  if (column === "studyDescription") {
    return (
      <div className="study-title">
        <Skeleton shape="film" className="flex-none" />
        <div className="grow">
          <Skeleton className="w-[70%]" />
          <Skeleton className="mt-2 h-2 w-[45%]" />
        </div>
      </div>
    );
  }
  if (column === "modality") return <Skeleton className="h-5 w-8" />;
  if (column === "imagesReceived" || column === "seriesCount") return <Skeleton className="ml-auto w-8" />;
  if (column === "viewer") return <Skeleton className="ml-auto h-8 w-12" />;
  if (column === "actions") return <Skeleton className="ml-auto h-8 w-16" />;
  return <Skeleton className="w-3/4" />;
}
