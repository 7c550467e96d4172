import { Plural, Trans } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import type { LabExam } from "../../../shared/api/labs.ts";
import { ApiError } from "../../calls/api.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { useExistingPage } from "../../ui/hooks/use-existing-page.ts";
import { UploadIcon } from "../../ui/icons.tsx";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Pager } from "../../ui/pager.tsx";
import { useFoundSubject } from "../places/use-found-subject.ts";
import { openAtom, subjectAtoms } from "../places/views.ts";
import { useHis } from "../session/his-context.ts";
import { LoginPrompt } from "../session/login-prompt.tsx";
import { DeleteLabDialog } from "./delete-lab-dialog.tsx";
import { LabFilterBar } from "./lab-filter-bar.tsx";
import { filterLabs, noLabFilters } from "./lab-filters.ts";
import { LabList, type LabListProps, LabListSkeleton, viewButtonId } from "./lab-list.tsx";
import { LabStatusCard } from "./lab-status-card.tsx";
import { LabUploadDialog } from "./lab-upload-dialog.tsx";
import { useDeletingLabs, useLabs } from "./use-labs.ts";

const LabPdf = lazyChunk(() => import("./lab-pdf.tsx"));

/** The person's laboratory PDFs. Only the role user can store them, under an active subscription. */
export default function LabsView() {
  const { user, isActive } = useHis();
  if (user.role !== "user")
    return <NotHere title={<Trans id="labs.usersOnly">Only users can access this area.</Trans>} />;
  if (!isActive) {
    return (
      <NotHere
        title={<Trans id="labs.needsSubscription">This area requires an active subscription.</Trans>}
      />
    );
  }
  return <LabsOrPdf />;
}

/** The exam that is open. */
const viewedLabSubject = subjectAtoms<LabExam>("pdf");
/** The exam that the dialog asks whether to delete. */
const deletedLabSubject = subjectAtoms<LabExam>("delete");
/** Whether the dialog for a new exam is open. */
const isAddingLabAtom = openAtom("add");

function LabsOrPdf() {
  const [viewed, setViewed] = useViewedExam();
  const [filters, setFilters] = useState(noLabFilters);
  const [page, setPage] = useState(0);
  const { exams } = useLabs();
  useFoundSubject(viewedLabSubject, exams);
  useFoundSubject(deletedLabSubject, exams);
  if (viewed) {
    return (
      <Suspense fallback={<LabListSkeleton />}>
        <LabPdf key={viewed.id} exam={viewed} onBack={() => setViewed(undefined)} />
      </Suspense>
    );
  }
  return (
    <Labs
      filters={filters}
      onFiltersChange={(changed) => {
        setFilters(changed);
        setPage(0);
      }}
      page={page}
      onPageChange={setPage}
      onView={setViewed}
    />
  );
}

/** The open exam. Closing it shows the list as it was, with the focus where it was. */
function useViewedExam() {
  const [viewed, setViewed] = useAtom(viewedLabSubject.valueAtom);
  const left = useRef<{ id: string; top: number }>(undefined);
  useEffect(() => {
    if (viewed) {
      window.scrollTo(0, 0);
      document.getElementById("view")?.focus({ preventScroll: true });
    } else if (left.current) {
      window.scrollTo(0, left.current.top);
      document.getElementById(viewButtonId(left.current.id))?.focus({ preventScroll: true });
      left.current = undefined;
    }
  }, [viewed]);
  const view = (exam: LabExam | undefined) => {
    if (exam) left.current = { id: exam.id, top: window.scrollY };
    setViewed(exam);
  };
  return [viewed, view] as const;
}

function NotHere({ title }: { title: ReactNode }) {
  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="menu.labs">Laboratory</Trans>
        </h1>
      </div>
      <p className="notice">{title}</p>
    </>
  );
}

interface LabsProps {
  filters: typeof noLabFilters;
  onFiltersChange: (filters: typeof noLabFilters) => void;
  /** Counts from 0. */
  page: number;
  onPageChange: (page: number) => void;
  onView: (exam: LabExam) => void;
}

function Labs({ filters, onFiltersChange, page, onPageChange, onView }: LabsProps) {
  const [isAdding, setAdding] = useAtom(isAddingLabAtom);
  const [deleted, setDeleted] = useAtom(deletedLabSubject.valueAtom);
  const busyIds = useDeletingLabs();
  const { exams, failure, retry } = useLabs();
  if (failure instanceof ApiError && failure.status === 401) return <LoginPrompt />;
  const add = (
    <Button kind="lit" onClick={() => setAdding(true)}>
      <UploadIcon small />
      <Trans id="labs.add">Add exam</Trans>
    </Button>
  );
  return (
    <>
      <LabsHead count={exams?.length} action={exams && exams.length > 0 && add} />
      <LabStatusCard />
      {failure && (
        <LoadError
          title={<Trans id="labs.listFailed">Error loading laboratory exams</Trans>}
          error={failure}
          onRetry={retry}
        />
      )}
      {!exams && !failure && <LabListSkeleton />}
      {exams?.length === 0 && <NothingYet action={add} />}
      {exams && exams.length > 0 && (
        <section className="panel">
          <LabFilterBar filters={filters} onFiltersChange={onFiltersChange} />
          <Matches
            exams={filterLabs(exams, filters)}
            page={page}
            onPageChange={onPageChange}
            onClearFilters={() => onFiltersChange(noLabFilters)}
            busyIds={busyIds}
            onView={onView}
            onDelete={setDeleted}
          />
        </section>
      )}
      {/* The newest stand first. */}
      <LabUploadDialog open={isAdding} onOpenChange={setAdding} onSaved={() => onPageChange(0)} />
      {deleted && <DeleteLabDialog key={deleted.id} exam={deleted} onClose={() => setDeleted(undefined)} />}
    </>
  );
}

function LabsHead({ count, action }: { count: number | undefined; action: ReactNode }) {
  return (
    <div className="view-head">
      <h1>
        <Trans id="menu.labs">Laboratory</Trans>{" "}
        {count !== undefined && count > 0 && (
          <small>
            <Plural id="labs.total" value={count} one="# exam" other="# exams" />
          </small>
        )}
      </h1>
      {action}
    </div>
  );
}

const LABS_PER_PAGE = 50;

interface MatchesProps extends LabListProps, Pick<LabsProps, "page" | "onPageChange"> {
  onClearFilters: () => void;
}

function Matches({ onClearFilters, page, onPageChange, exams, ...list }: MatchesProps) {
  const total = exams.length;
  const before = page * LABS_PER_PAGE;
  const shown = exams.slice(before, before + LABS_PER_PAGE);
  useExistingPage({ page, perPage: LABS_PER_PAGE, total, onPage: onPageChange });
  if (total > 0) {
    return (
      <>
        <LabList exams={shown} {...list} />
        {total > LABS_PER_PAGE && (
          <Pager
            before={before}
            shown={shown.length}
            total={total}
            onStep={(pages) => onPageChange(page + pages)}
          />
        )}
      </>
    );
  }
  return (
    <div className="lab-none" role="status">
      <p>
        <Trans id="labs.noMatch">No exam matches the filters.</Trans>
      </p>
      <Button onClick={onClearFilters}>
        <Trans id="filter.clear">Clear filters</Trans>
      </Button>
    </div>
  );
}

function NothingYet({ action }: { action: ReactNode }) {
  return (
    <Empty
      title={<Trans id="labs.none.title">No laboratory exams yet</Trans>}
      text={<Trans id="labs.none.text">Keep the PDFs of your laboratory results here.</Trans>}
      action={action}
    />
  );
}
