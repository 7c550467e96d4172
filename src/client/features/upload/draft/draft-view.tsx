import { useMemo, useRef, useState } from "react";
import { CircleAlertIcon } from "../../../ui/entry-icons.tsx";
import { TriangleAlertIcon } from "../../../ui/icons.tsx";
import { useHis } from "../../session/his-context.ts";
import { type Decisions, ExamContents } from "../contents/exam-contents.tsx";
import { LeftPdfs } from "../contents/left-pdfs.tsx";
import { useSortedExams } from "../contents/use-sorted-exams.ts";
import { isSendable } from "../exam-form/exam-form.ts";
import { ProblemText } from "../pick/problem-text.tsx";
import { useDrop } from "../pick/use-drop.ts";
import { SeeNow } from "../see-now.tsx";
import { readSources } from "./draft-state.ts";
import { storedSizeOfAll } from "./exam.ts";
import { sumInWorker } from "./file-sums.ts";
import { mergeExams } from "./merge-exams.ts";
import { beyondOf, hasUnreadRest, isUnreadSendable, planUploads, restKey, restOf } from "./plan-uploads.ts";
import { PackingCard, ReadingCard } from "./reading-card.tsx";
import { SourceChips } from "./source-chips.tsx";
import { UploadSummary } from "./upload-summary.tsx";
import type { useDraft } from "./use-draft.ts";

/** More files than these that can't be sent are not told by name. */
const MAX_NAMED_FILES = 5;

type DraftViewProps = ReturnType<typeof useDraft>;

/** What was picked: while it is being read, and then what it holds, before anything is sent. */
export function DraftView(actions: DraftViewProps) {
  const { draft, pick, remove, cancelReading, cancelPacking } = actions;
  const { maxUploadBytes } = useHis();
  const { isOver, ...drop } = useDrop(false, pick);
  const { sources, packing } = draft;
  const waiting = sources.filter(({ read }) => !read);
  const chosen = useChosen(actions);
  const card = waiting.length > 0 && (
    <ReadingCard
      waiting={waiting}
      reading={draft.reading}
      exams={chosen.merged.exams.length}
      onCancel={cancelReading}
    />
  );
  if (packing) return <PackingCard packing={packing} sources={sources} onCancel={cancelPacking} />;
  if (waiting.length === sources.length) return card;
  return (
    <div className={`draft ${isOver ? "is-over" : ""}`} {...drop}>
      <div className="draft-main">
        <div className="draft-sources">
          <SourceChips sources={sources} onRemove={remove} onPick={pick} />
          <SeeNow picks={chosen.picks} />
        </div>
        {draft.problems.map(({ name, problem }, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are told as they are, until something else is picked
          <p key={n} className="notice is-bad" role="alert">
            <CircleAlertIcon />
            <ProblemText problem={problem} name={name} maxUploadBytes={maxUploadBytes} />
          </p>
        ))}
        {chosen.beyond.slice(0, MAX_NAMED_FILES).map(({ path }) => (
          <p key={path} className="notice is-warn" role="status">
            <TriangleAlertIcon />
            <ProblemText problem="tooLarge" name={path} maxUploadBytes={maxUploadBytes} />
          </p>
        ))}
        <LeftPdfs sources={chosen.sources} />
        {card}
        <div ref={chosen.rows}>
          <ExamContents
            exams={chosen.sorted}
            unread={chosen.unread}
            rests={chosen.rests}
            examLimit={chosen.usage?.examLimit}
            decisions={chosen.decisions}
          />
        </div>
      </div>
      <UploadSummary
        {...chosen.sum}
        usage={chosen.usage}
        isReady={waiting.length === 0 && !chosen.sorted.isPending}
        onSend={chosen.send}
      />
    </div>
  );
}

/** What the sources hold together, and what of it is sent. */
function useChosen({ draft, tick, correct, send }: DraftViewProps) {
  const { maxUploadBytes } = useHis();
  const { sources: all, unticked, corrections } = draft;
  const rows = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const sources = useMemo(() => readSources({ sources: all }), [all]);
  const picks = useMemo(() => all.map(({ picked }) => picked), [all]);
  const merged = useMemo(() => mergeExams(sources), [sources]);
  const unread = sources.filter((source) => isUnreadSendable(source, maxUploadBytes));
  const { rests, beyond } = useMemo(
    () => ({
      rests: sources
        .filter((source) => hasUnreadRest(source, maxUploadBytes))
        .map((source) => ({ source, files: restOf(source, maxUploadBytes) })),
      beyond: sources.flatMap((source) => beyondOf(source, maxUploadBytes)),
    }),
    [sources, maxUploadBytes],
  );
  const chosenRests = rests.filter(({ source }) => !unticked.has(restKey(source)));
  const chosenUnread = unread.filter(({ id }) => !unticked.has(id));
  const restFiles = chosenRests.flatMap((one) => one.files);
  const otherBytes =
    storedSizeOfAll(restFiles) + chosenUnread.reduce((total, { read }) => total + read.sizeBytes, 0);
  const { sorted, usage, roomBytes, sort } = useSortedExams(merged.exams, unticked, otherBytes);
  const chosen = sorted.toSend.filter(({ isChosen }) => isChosen);

  const open = (key: string, isOpen: boolean) =>
    setOpened((before) => {
      const after = new Set(before);
      if (isOpen) after.add(key);
      else after.delete(key);
      return after;
    });
  const decisions: Decisions = {
    unticked,
    corrections,
    opened,
    onTick: tick,
    onCorrect: correct,
    onOpen: open,
  };

  const plan = async (signal: AbortSignal) => {
    await sumInWorker([...merged.assumed, ...sorted.assumed], signal);
    const { exams, withoutTwins } = mergeExams(sources);
    const { toSend } = sort(exams);
    return planUploads({
      sources,
      withoutTwins,
      unticked,
      corrections,
      maxUploadBytes,
      roomBytes,
      chosen: toSend.filter(({ isChosen }) => isChosen),
    });
  };

  const keys = [...chosen.map(({ exam }) => exam.studyInstanceUID), ...chosenUnread.map(({ id }) => id)];
  const trySend = () => {
    const wrong = keys.find((key) => {
      const form = corrections.get(key);
      return form && !isSendable(form);
    });
    if (wrong === undefined) return send(plan);
    open(wrong, true);
    // The fields are there once the row was drawn open.
    requestAnimationFrame(() => rows.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  };

  const files = chosen.flatMap((one) => one.files);
  const sum = {
    exams: keys.length,
    images: files.length,
    sizeBytes: storedSizeOfAll(files) + otherBytes,
    isEmpty: keys.length === 0 && chosenRests.length === 0,
    newExams: chosen.filter(({ kept }) => !kept).length,
    isAllKept:
      sorted.kept.length > 0 && sorted.kept.length === merged.exams.length + unread.length + rests.length,
  };
  return {
    rows,
    sources,
    picks,
    merged,
    sorted,
    usage,
    unread,
    rests,
    beyond,
    decisions,
    sum,
    send: trySend,
  };
}
