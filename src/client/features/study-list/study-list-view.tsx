import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { SortingState } from "@tanstack/react-table";
import { useAtom, useAtomValue, useSetAtom } from "jotai";
import { useCallback, useEffect } from "react";
import { type Study, studySorts } from "../../../shared/api/studies.ts";
import { ApiError } from "../../calls/api.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ErrorCard } from "../../ui/error-card.tsx";
import { useDebounced } from "../../ui/hooks/use-debounced.ts";
import { PHONE, useMediaQuery } from "../../ui/hooks/use-media-query.ts";
import { RefreshIcon, UploadIcon } from "../../ui/icons.tsx";
import { viewAtom } from "../places/views.ts";
import { HistoryDialog } from "../receipts/history-dialog.tsx";
import { ReportDialog } from "../reports/report-dialog.tsx";
import { useHis } from "../session/his-context.ts";
import { LoginPrompt } from "../session/login-prompt.tsx";
import { ShareDialog } from "../sharing/share-dialog.tsx";
import { useFoundStudy } from "../studies/use-found-study.ts";
import { ConflictNotice } from "../upload/notices/conflict-notice.tsx";
import { SkippedNotice } from "../upload/notices/skipped-notice.tsx";
import { ViewerOverlay } from "../viewer/viewer-overlay.tsx";
import { DeleteStudyDialog } from "./actions/delete-study-dialog.tsx";
import { viewedSeriesAtom, viewedSubject } from "./actions/list-actions.ts";
import { RenameStudyDialog } from "./actions/rename-study.tsx";
import { ClearFilters, StudyFilterBar } from "./filters/study-filter-bar.tsx";
import { countFilters, type StudyFilters, studyFiltersAtom } from "./filters/study-filters.ts";
import { NothingYet } from "./nothing-yet.tsx";
import { OfflineNotice } from "./offline-notice.tsx";
import { StudyAlarm } from "./open-study/study-check.tsx";
import { studyPageAtom, studySortingAtom } from "./pages/list-place.ts";
import { StudyOrder } from "./pages/study-order.tsx";
import { StudyPager } from "./pages/study-pager.tsx";
import { useKeptRows } from "./pages/use-kept-rows.ts";
import { useListReturn } from "./pages/use-list-return.ts";
import { useNewArrivals } from "./pages/use-new-arrivals.ts";
import { STUDIES_PER_PAGE, type StudySort, useStudyList } from "./pages/use-study-list.ts";
import { StudyPhoneList } from "./phone/study-phone-list.tsx";
import { PlanStrip } from "./plan-strip.tsx";
import { SelectButton } from "./selection/select-exams.tsx";
import { SelectionBar } from "./selection/selection-bar.tsx";
import { useWarmViewer } from "./show-images/use-warm-viewer.ts";
import { StudyTable } from "./table/study-table.tsx";

const TYPING_PAUSE_MS = 300;
const NONE: readonly Study[] = [];

/** The studies that the person may see, with their actions. */
export default function StudyListView() {
  useKeptRows();
  const [sorting, setSorting] = useAtom(studySortingAtom);
  const filters = useDebounced(useAtomValue(studyFiltersAtom), TYPING_PAUSE_MS);
  const [pageIndex, setPageIndex] = usePageOf(filters);
  const { data, error, keptAt, isFetching, isReading, refetch } = useStudyList(
    filters,
    toStudySort(sorting),
    pageIndex,
  );
  const total = data?.total ?? 0;
  useNewArrivals(data !== undefined && !isReading);
  useListReturn(data !== undefined);

  // A page whose last study was deleted no longer exists.
  const lastPage = Math.max(0, Math.ceil(total / STUDIES_PER_PAGE) - 1);
  useEffect(() => {
    if (data && !isReading && pageIndex > lastPage) setPageIndex(lastPage);
  }, [data, isReading, pageIndex, lastPage, setPageIndex]);

  const sort = (next: SortingState) => {
    setSorting(next);
    setPageIndex(0);
  };
  const isFiltered = countFilters(filters) > 0;
  const isEmpty = data !== undefined && total === 0 && !isFiltered;
  if (error instanceof ApiError && error.status === 401) return <LoginPrompt />;
  return (
    <>
      <ListHead
        total={data?.total}
        isFetching={isFetching}
        onRefresh={() => void refetch()}
        hasExams={!isEmpty}
      />
      <ConflictNotice />
      <SkippedNotice />
      <StudyAlarm studies={data?.studies} />
      {!isEmpty && <PlanStrip />}
      {!isEmpty && <StudyFilterBar />}
      {!isEmpty && <StudyOrder sorting={sorting} onSortingChange={sort} />}
      {error && !data ? (
        <ListError error={error} onRetry={() => void refetch()} />
      ) : isEmpty ? (
        <>
          <NothingYet />
          <PlanStrip />
        </>
      ) : total === 0 && data ? (
        <NothingFound />
      ) : (
        <>
          {keptAt ? (
            <OfflineNotice keptAt={keptAt} />
          ) : (
            error && <ListError error={error} onRetry={() => void refetch()} />
          )}
          <Studies
            studies={data?.studies}
            isReading={isReading}
            hasSeveralPatients={data?.hasSeveralPatients ?? false}
            sorting={sorting}
            onSortingChange={sort}
          />
          {data && (
            <StudyPager
              pageIndex={pageIndex}
              shown={data.studies.length}
              total={total}
              isReading={isReading}
              onPageChange={setPageIndex}
            />
          )}
        </>
      )}
      {!isEmpty && <SelectionBar />}
      <DeleteStudyDialog />
      <RenameStudyDialog />
      <ReportDialog />
      <ShareDialog />
      <HistoryDialog />
      <OpenViewer />
    </>
  );
}

/** The page that is shown; a change of filters returns to the first page. */
function usePageOf(filters: StudyFilters) {
  const [place, setPlace] = useAtom(studyPageAtom);
  const setPageIndex = useCallback(
    (pageIndex: number) => setPlace({ pageIndex, filters }),
    [filters, setPlace],
  );
  const isOfThese = place.filters === filters;
  // Otherwise the page would come back with its filters, such as none.
  useEffect(() => {
    if (!isOfThese) setPageIndex(0);
  }, [isOfThese, setPageIndex]);
  return [isOfThese ? place.pageIndex : 0, setPageIndex] as const;
}

function Studies(props: Parameters<typeof StudyTable>[0]) {
  const isPhone = useMediaQuery(PHONE);
  useWarmViewer(props.studies ?? NONE);
  return isPhone ? <StudyPhoneList {...props} /> : <StudyTable {...props} />;
}

interface ListHeadProps {
  total: number | undefined;
  isFetching: boolean;
  hasExams: boolean;
  onRefresh: () => void;
}

function ListHead({ total, isFetching, hasExams, onRefresh }: ListHeadProps) {
  const { t } = useLingui();
  const { user, isActive } = useHis();
  const setView = useSetAtom(viewAtom);
  return (
    <div className="view-head">
      <h1>
        {user.role === "admin" ? (
          <Trans id="menu.exams">Exams</Trans>
        ) : (
          <Trans id="menu.ownExams">My exams</Trans>
        )}{" "}
        {total !== undefined && hasExams && (
          <small>
            <Plural id="study.count" value={total} one="# exam" other="# exams" />
          </small>
        )}
      </h1>
      {hasExams && <SelectButton />}
      <IconButton
        label={t({ id: "action.refresh", message: "Refresh" })}
        className={isFetching ? "is-fetching" : ""}
        onClick={onRefresh}
      >
        <RefreshIcon />
      </IconButton>
      {hasExams && isActive && (
        <Button kind="lit" className="study-upload" onClick={() => setView("uploadExames")}>
          <UploadIcon small />
          <Trans id="menu.upload">Upload exams</Trans>
        </Button>
      )}
    </div>
  );
}

function NothingFound() {
  return (
    <div className="panel study-none-found" role="status">
      <p>
        <Trans id="study.noneFound">No exam matches these filters.</Trans>
      </p>
      <ClearFilters kind="outline" />
    </div>
  );
}

function ListError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const code =
    error instanceof ApiError && [error.status || undefined, error.requestId].filter(Boolean).join(" · ");
  return (
    <div className="study-error">
      <ErrorCard
        title={<Trans id="study.listFailed">Error loading studies</Trans>}
        action={{ label: <Trans id="action.retry">Try again</Trans>, run: onRetry }}
      >
        <Trans id="study.listFailedText">Error loading studies. Please try again. Your exams are safe.</Trans>
        {code && <span className="study-error-code mono">{code}</span>}
      </ErrorCard>
    </div>
  );
}

function OpenViewer() {
  const [study, setStudy] = useAtom(viewedSubject.valueAtom);
  const beginWith = useAtomValue(viewedSeriesAtom);
  useFoundStudy(viewedSubject);
  return study ? (
    <ViewerOverlay study={study} beginWith={beginWith} onClose={() => setStudy(undefined)} />
  ) : null;
}

function toStudySort([first]: SortingState): StudySort {
  const sort = studySorts.find((name) => name === first?.id) ?? "studyDate";
  return { sort, order: first?.desc === false ? "asc" : "desc" };
}
