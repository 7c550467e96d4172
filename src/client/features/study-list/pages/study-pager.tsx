import { Pager } from "../../../ui/pager.tsx";
import { STUDIES_PER_PAGE } from "./use-study-list.ts";

interface StudyPagerProps {
  pageIndex: number;
  shown: number;
  total: number;
  isReading: boolean;
  onPageChange: (pageIndex: number) => void;
}

export function StudyPager({ pageIndex, onPageChange, ...rows }: StudyPagerProps) {
  return (
    <Pager
      className="study-pager"
      before={pageIndex * STUDIES_PER_PAGE}
      {...rows}
      onStep={(pages) => onPageChange(pageIndex + pages)}
    />
  );
}
