import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { TriangleAlertIcon, UsersIcon } from "../../../ui/icons.tsx";
import { dayText } from "../../../ui/text/moment-text.ts";
import { sizeText } from "../../../ui/text/size-text.ts";
import { SeePlans } from "../../plan/subscription-link.tsx";
import { maySubscribe, useHis } from "../../session/his-context.ts";
import { useOpenExam } from "../../viewer/use-open-exam.ts";
import { ExamCount } from "../count-texts.tsx";
import type { Exam } from "../draft/exam.ts";
import type { ExamSource } from "../draft/merge-exams.ts";
import { restKey } from "../draft/plan-uploads.ts";
import { CorrectDetails } from "../exam-form/correct-details.tsx";
import { EMPTY_FORM, type ExamForm } from "../exam-form/exam-form.ts";
import { ImageTooLargeText } from "../pick/problem-text.tsx";
import { Amount, CorrectButton, ExamRow } from "./exam-row.tsx";
import { RestRow, type SourceRest } from "./rest-row.tsx";
import {
  type KeptExam,
  type OverExam,
  patientsOf,
  type SendableExam,
  type SortedExams,
} from "./sort-exams.ts";
import { UnreadRow } from "./unread-row.tsx";

const MAX_NAMED_PATIENTS = 2;

/** What the person decided about the exams, and how they change it. Keys are those of the draft. */
export interface Decisions {
  unticked: ReadonlySet<string>;
  corrections: ReadonlyMap<string, ExamForm>;
  opened: ReadonlySet<string>;
  onTick: (key: string, isTicked: boolean) => void;
  onCorrect: (key: string, form: ExamForm) => void;
  onOpen: (key: string, isOpen: boolean) => void;
}

interface ExamContentsProps {
  exams: SortedExams;
  /** Sources in which the browser found no exam. */
  unread: readonly ExamSource[];
  /** What was not read of the others within the limits. */
  rests: readonly SourceRest[];
  /** How many exams the plan keeps, if that is known. */
  examLimit: number | undefined;
  decisions: Decisions;
}

/** What the picked files hold, before anything is sent: what is new, what is kept already, what has no room. */
export function ExamContents({ exams, unread, rests, examLimit, decisions }: ExamContentsProps) {
  return (
    <section className="exam-groups">
      <PatientsNotice exams={[...exams.toSend, ...exams.kept, ...exams.over].map(({ exam }) => exam)} />
      <Group
        title={<Trans id="contents.toSend">To upload</Trans>}
        count={exams.toSend.length + unread.length}
        hasMore={rests.length > 0}
      >
        {exams.toSend.map((one) => (
          <Sendable key={one.exam.studyInstanceUID} one={one} decisions={decisions} />
        ))}
        {unread.map(({ id, read }) => (
          <UnreadRow
            key={id}
            read={read}
            values={decisions.corrections.get(id) ?? read.prefilled ?? EMPTY_FORM}
            isChosen={!decisions.unticked.has(id)}
            onTick={(isTicked) => decisions.onTick(id, isTicked)}
            onChange={(form) => decisions.onCorrect(id, form)}
          />
        ))}
        {rests.map((rest) => {
          const key = restKey(rest.source);
          return (
            <RestRow
              key={key}
              rest={rest}
              isChosen={!decisions.unticked.has(key)}
              onTick={(isTicked) => decisions.onTick(key, isTicked)}
            />
          );
        })}
      </Group>
      <Group title={<Trans id="contents.kept">Already kept</Trans>} count={exams.kept.length}>
        {exams.kept.map((one) => (
          <Kept key={one.exam.studyInstanceUID} {...one} />
        ))}
      </Group>
      <Group title={<Trans id="contents.over">Over your plan</Trans>} count={exams.over.length}>
        {exams.over.map((one) => (
          <Over key={one.exam.studyInstanceUID} one={one} examLimit={examLimit} />
        ))}
      </Group>
      <Group title={<Trans id="contents.tooLarge">Over one upload</Trans>} count={exams.tooLarge.length}>
        {exams.tooLarge.map((exam) => (
          <TooLarge key={exam.studyInstanceUID} exam={exam} />
        ))}
      </Group>
    </section>
  );
}

function PatientsNotice({ exams }: { exams: readonly Exam[] }) {
  const patients = patientsOf(exams);
  const [first, second] = patients;
  if (patients.length < 2) return null;
  return (
    <p className="notice is-warn" role="status">
      <UsersIcon />
      <span>
        {patients.length > MAX_NAMED_PATIENTS ? (
          <Trans id="contents.manyPatients">
            These exams belong to {patients.length} people. Check before uploading.
          </Trans>
        ) : (
          <Trans id="contents.twoPatients">
            These exams belong to <b>two people</b>: {first} and {second}. Check before uploading.
          </Trans>
        )}
      </span>
    </p>
  );
}

interface GroupProps {
  title: ReactNode;
  count: number;
  /** Whether there are rows that are no exams. */
  hasMore?: boolean;
  children: ReactNode;
}

function Group({ title, count, hasMore = false, children }: GroupProps) {
  if (count === 0 && !hasMore) return null;
  return (
    <div className="contents-group">
      <h2>
        {title}{" "}
        <small>
          <ExamCount exams={count} />
        </small>
      </h2>
      <ul className="panel">{children}</ul>
    </div>
  );
}

function Sendable({ one, decisions }: { one: SendableExam; decisions: Decisions }) {
  const { exam, isChosen } = one;
  const key = exam.studyInstanceUID;
  const about = decisions.corrections.get(key) ?? exam.about;
  const isOpen = decisions.opened.has(key);
  return (
    <ExamRow
      exam={exam}
      about={about}
      isChosen={isChosen}
      onTick={(isTicked) => decisions.onTick(key, isTicked)}
      facts={<Amount {...one} />}
      action={
        <CorrectButton
          about={exam.about}
          isOpen={isOpen}
          onOpen={(isOpened) => decisions.onOpen(key, isOpened)}
        />
      }
    >
      {isOpen && <CorrectDetails values={about} onChange={(form) => decisions.onCorrect(key, form)} />}
    </ExamRow>
  );
}

function Kept({ exam, kept }: KeptExam) {
  const open = useOpenExam();
  const { images } = exam;
  const day = dayText(new Date(kept.createdAt));
  return (
    <ExamRow
      exam={exam}
      about={exam.about}
      isChosen={false}
      facts={
        <Plural
          id="contents.keptImages"
          value={images}
          one={`# image, kept already on ${day}`}
          other={`# images, all already kept on ${day}`}
        />
      }
      action={
        <button type="button" className="text-action" onClick={() => void open({ studies: [kept] })}>
          <Trans id="contents.openKept">Open what is kept</Trans>
        </button>
      }
    />
  );
}

function Over({ one, examLimit: limit = 0 }: { one: OverExam; examLimit: number | undefined }) {
  const { i18n } = useLingui();
  const { user } = useHis();
  const { exam, missingBytes } = one;
  return (
    <ExamRow
      exam={exam}
      about={exam.about}
      isChosen={false}
      facts={<Amount {...one} />}
      action={
        <span className="found-exam-over">
          <TriangleAlertIcon small />
          <span>
            {missingBytes === undefined ? (
              <Plural
                id="contents.planKeeps"
                value={limit}
                one="Your plan keeps # exam."
                other="Your plan keeps # exams."
              />
            ) : (
              <PlanLacks size={sizeText(i18n, missingBytes)} />
            )}{" "}
            {maySubscribe(user) ? (
              <>
                <SeePlans /> <Trans id="contents.orUntick">or untick one above.</Trans>
              </>
            ) : (
              <Trans id="contents.untick">Untick one above.</Trans>
            )}
          </span>
        </span>
      }
    />
  );
}

function PlanLacks({ size }: { size: string }) {
  return <Trans id="contents.planLacks">Your plan is {size} short for this exam.</Trans>;
}

/** One of its images can be in no upload. The others are not sent without it. */
function TooLarge({ exam }: { exam: Exam }) {
  const { maxUploadBytes } = useHis();
  return (
    <ExamRow
      exam={exam}
      about={exam.about}
      isChosen={false}
      facts={<Amount exam={exam} files={exam.files} kept={undefined} />}
      action={
        <span className="found-exam-over">
          <TriangleAlertIcon small />
          <span>
            <ImageTooLargeText maxUploadBytes={maxUploadBytes} />
          </span>
        </span>
      }
    />
  );
}
