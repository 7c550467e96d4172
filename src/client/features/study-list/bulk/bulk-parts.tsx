import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Study } from "../../../../shared/api/studies.ts";
import { Button } from "../../../ui/button.tsx";
import { useUsageStats } from "../../plan/use-subscription.ts";
import { useHis } from "../../session/his-context.ts";
import { dateText, descriptionText } from "../../studies/study-text.ts";
import type { BulkJob, LeftExam } from "./bulk-job.ts";

export interface BulkDialogProps {
  /** The chosen exams that the person may do this with. */
  studies: readonly Study[];
  /** The other chosen ones. */
  others: readonly Study[];
  onClose: () => void;
}

/** How many exams are named; of further ones only the number is told. */
export const MAX_NAMED = 5;

interface NamedExamsProps {
  studies: readonly Study[];
  /** How many are asked about, if `studies` has only the first of them. */
  count?: number;
}

/** The exams that are asked about. */
export function NamedExams({ studies, count = studies.length }: NamedExamsProps) {
  const { i18n } = useLingui();
  const more = count - MAX_NAMED;
  return (
    <ul className="bulk-exams">
      {studies.slice(0, MAX_NAMED).map((study) => (
        <li key={study.id}>
          {descriptionText(i18n, study)},{" "}
          <span className="whitespace-nowrap">{dateText(i18n, study.studyDate)}</span>
        </li>
      ))}
      {more > 0 && (
        <li>
          <Plural id="bulk.more" value={more} one="and # more" other="and # more" />
        </li>
      )}
    </ul>
  );
}

/** Says which chosen exams stay out, because they belong to somebody else. */
export function OtherExams({ others }: { others: readonly Study[] }) {
  if (others.length === 0) return null;
  return (
    <p className="notice mt-3">
      <span>
        <Plural
          id="bulk.others"
          value={others.length}
          one="# selected exam was shared with you and stays as it is."
          other="# selected exams were shared with you and stay as they are."
        />
      </span>
    </p>
  );
}

/** How many actions are left this month; undefined until the server answers, and for admins, whose actions are not counted. */
export function useActionsLeft(): number | undefined {
  const isCounted = useHis().user.role !== "admin";
  const { data } = useUsageStats({ enabled: isCounted });
  return isCounted ? data?.actionsRemaining : undefined;
}

/** What acting on so many exams costs, or that the plan has too few actions left for it. */
export function BulkCost({ count }: { count: number }) {
  const isCounted = useHis().user.role !== "admin";
  const left = useActionsLeft();
  if (!isCounted) return null;
  if (left !== undefined && left < count) {
    const tooMany = count - left;
    return (
      <p className="notice is-warn mt-3" role="alert">
        <span>
          <ActionsLeft left={left} />{" "}
          <Plural
            id="bulk.takeOut"
            value={tooMany}
            one="Take # exam out of the selection."
            other="Take # exams out of the selection."
          />
        </span>
      </p>
    );
  }
  return <CountedActions count={count} left={left} />;
}

interface CountedActionsProps {
  count: number;
  /** Before them; undefined while that is not known. */
  left: number | undefined;
}

/** As how many actions something counts, and how many are left after it. */
export function CountedActions({ count, left }: CountedActionsProps) {
  return (
    <p className="study-cost">
      <Plural
        id="bulk.cost"
        value={count}
        one="Counts as # action of the month."
        other="Counts as # actions of the month."
      />{" "}
      <ActionsAfter count={count} left={left} />
    </p>
  );
}

function ActionsAfter({ count, left }: CountedActionsProps) {
  if (left === undefined) return null;
  if (left < count) return <ActionsLeft left={left} />;
  const leftAfter = left - count;
  return (
    <Plural
      id="bulk.leftAfter"
      value={leftAfter}
      one="After that, # is left."
      other="After that, # are left."
    />
  );
}

function ActionsLeft({ left }: { left: number }) {
  return (
    <Plural
      id="bulk.actionsLeft"
      value={left}
      one="Your plan has # action left this month."
      other="Your plan has # actions left this month."
    />
  );
}

/** What the last run left as it was, exam by exam. */
export function LeftExams({ left, studies }: { left: readonly LeftExam[]; studies: readonly Study[] }) {
  const { i18n } = useLingui();
  if (left.length === 0) return null;
  return (
    <section className="bulk-left" role="alert">
      <b>
        <Plural
          id="bulk.left"
          value={left.length}
          one="# exam stays as it was"
          other="# exams stay as they were"
        />
      </b>
      <ul>
        {left.map(({ id, message }) => {
          const study = studies.find((one) => one.id === id);
          return (
            <li key={id}>
              {study && <b>{descriptionText(i18n, study)}</b>} {message}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** While a run is under way: how far it is, and the way to end it. */
export function BulkProgressLine({ job }: { job: BulkJob }) {
  if (!job.progress) return null;
  const { done, total } = job.progress;
  return (
    <div className="bulk-progress">
      <p role="status">
        <Trans id="bulk.progress">
          {done} of {total}
        </Trans>
      </p>
      <Button size="small" onClick={job.stop}>
        <Trans id="bulk.stop">Stop</Trans>
      </Button>
    </div>
  );
}
