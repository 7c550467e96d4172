import { Pager } from "../../../ui/pager.tsx";
import { STUDIES_PER_PAGE } from "./use-study-list.ts";

interface StudyPagerProps {
  pageIndex: number;
  shown: number;
  total: number;
  onPageChange: (pageIndex: number) => void;
}

export function StudyPager({ pageIndex, shown, total, onPageChange }: StudyPagerProps) {
  return (
    <Pager
      className="study-pager"
      before={pageIndex * STUDIES_PER_PAGE}
      shown={shown}
      total={total}
      onStep={(pages) => onPageChange(pageIndex + pages)}
    />
  );
}
