import { useEffect, useEffectEvent } from "react";

interface ShownPage {
  /** Counts from 0. */
  page: number;
  perPage: number;
  /** Rows on all pages; undefined until this page has been read. */
  total: number | undefined;
  onPage: (page: number) => void;
}

/** Goes to the last page where the shown one no longer exists: its last row was settled, or found another state. */
export function useExistingPage({ page, perPage, total, onPage }: ShownPage): void {
  const lastPage = total === undefined ? page : Math.max(0, Math.ceil(total / perPage) - 1);
  const go = useEffectEvent(onPage);
  useEffect(() => {
    if (page > lastPage) go(lastPage);
  }, [page, lastPage]);
}
