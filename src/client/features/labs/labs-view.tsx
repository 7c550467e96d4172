import { Plural, Trans } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import type { LabExam } from "../../../shared/api/labs.ts";
import { ApiError } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { UploadIcon } from "../../ui/icons.tsx";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { LoadError } from "../../ui/load-error.tsx";
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
  const { exams } = useLabs();
  useFoundSubject(viewedLabSubject, exams);
  useFoundSubject(deletedLabSubject, exams);
  if (viewed) {
    return (
      <Suspense fallback={<LabListSkeleton />}>
        <LabPdf exam={viewed} onBack={() => setViewed(undefined)} />
      </Suspense>
    );
  }
  return <Labs filters={filters} onFiltersChange={setFilters} onView={setViewed} />;
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
  onView: (exam: LabExam) => void;
}

function Labs({ filters, onFiltersChange, onView }: LabsProps) {
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
            onClearFilters={() => onFiltersChange(noLabFilters)}
            busyIds={busyIds}
            onView={onView}
            onDelete={setDeleted}
          />
        </section>
      )}
      <LabUploadDialog open={isAdding} onOpenChange={setAdding} />
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

function Matches({ onClearFilters, ...list }: LabListProps & { onClearFilters: () => void }) {
  if (list.exams.length > 0) return <LabList {...list} />;
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
