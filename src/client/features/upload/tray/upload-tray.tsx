import { Trans, useLingui } from "@lingui/react/macro";
import { atom, useAtom, useAtomValue, useSetAtom } from "jotai";
import { Dialog as RadixDialog } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";
import { IconButton } from "../../../ui/button.tsx";
import { CircleCheckIcon, ClockIcon, CloseIcon } from "../../../ui/entry-icons.tsx";
import { useFocusReturn } from "../../../ui/hooks/use-focus-return.ts";
import { PHONE, useMediaQuery } from "../../../ui/hooks/use-media-query.ts";
import { useSheetDrag } from "../../../ui/hooks/use-sheet-drag.ts";
import type { Icon } from "../../../ui/icon.tsx";
import {
  ChevronDownIcon,
  FileArchiveIcon,
  PauseIcon,
  TriangleAlertIcon,
  UploadIcon,
  WifiOffIcon,
} from "../../../ui/icons.tsx";
import { openAtom, viewAtom } from "../../places/views.ts";
import { CancelDialog } from "./cancel-upload.tsx";
import type { UploadElsewhere } from "./elsewhere.ts";
import { ElsewhereRow } from "./elsewhere-row.tsx";
import { PauseOrResumeAll } from "./resume-upload.tsx";
import { TrayRow } from "./tray-row.tsx";
import {
  summarize,
  summarizeElsewhere,
  summarizeWaiting,
  type TraySummary,
  type TrayTone,
} from "./tray-summary.tsx";
import { isUnderWay, type UploadJob } from "./upload-job.ts";
import { removeDoneJobsAtom, shownJobAtom, uploadJobsAtom } from "./upload-jobs.ts";
import { useElsewhere } from "./use-elsewhere.ts";
import { useTrayFocus } from "./use-tray-focus.ts";
import { useUploadRunner } from "./use-upload-runner.ts";

/** Whether the card shows its rows, in whatever view. */
const isCardOpenAtom = atom(false);

/** Whether the sheet of a phone is open over the view. */
const isSheetOpenAtom = openAtom("uploads");

/** The uploads of this session, in view wherever the person is. It also sends them. */
export default function UploadTray() {
  useUploadRunner();
  const elsewhere = useElsewhere();
  const jobs = useAtomValue(uploadJobsAtom);
  const shown = useAtomValue(shownJobAtom);
  const isInUploadView = useAtomValue(viewAtom) === "uploadExames";
  // A paused one goes on from its row.
  const isShownInView = isInUploadView && shown !== undefined && shown.state.stage !== "paused";
  const others = isShownInView ? jobs.filter(({ id }) => id !== shown.id) : jobs;
  const hasRows = others.length + elsewhere.length > 0;
  useSheetWithRows(hasRows);
  return (
    <>
      {hasRows && <Tray jobs={others} elsewhere={elsewhere} shown={isShownInView ? shown : undefined} />}
      <CancelDialog />
    </>
  );
}

/** Closes the phone's sheet with its last row, so that the next upload does not open it. */
function useSheetWithRows(hasRows: boolean): void {
  const [isOpen, setOpen] = useAtom(isSheetOpenAtom);
  const hadRows = useRef(false);
  useEffect(() => {
    if (hadRows.current && !hasRows && isOpen) setOpen(false);
    hadRows.current = hasRows;
  }, [hasRows, isOpen, setOpen]);
}

interface TrayProps {
  jobs: readonly UploadJob[];
  /** What other browsers, or other tabs of this one, send to the account. */
  elsewhere: readonly UploadElsewhere[];
}

/** @param shown the upload that the view shows, which is none of `jobs` */
function Tray({ shown, ...props }: TrayProps & { shown: UploadJob | undefined }) {
  const isPhone = useMediaQuery(PHONE);
  const { jobs, elsewhere } = props;
  const summary = jobs.length > 0 ? summarizeBeside(shown, jobs) : summarizeElsewhere(elsewhere);
  return (
    <>
      {isPhone ? <PhoneTray {...props} summary={summary} /> : <TrayCard {...props} summary={summary} />}
      <span className="sr-only" role="status">
        {summary.title}
        {summary.tone === "sending" && ` ${25 * Math.floor(summary.percent / 25)}%`}
      </span>
    </>
  );
}

function summarizeBeside(shown: UploadJob | undefined, jobs: readonly UploadJob[]): TraySummary {
  const isAnyWaiting = jobs.some(({ state }) => state.stage === "queued");
  return shown?.state.stage === "sending" && isAnyWaiting ? summarizeWaiting(jobs) : summarize(jobs);
}

interface ShownTrayProps extends TrayProps {
  summary: TraySummary;
}

function TrayCard({ jobs, elsewhere, summary }: ShownTrayProps) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useAtom(isCardOpenAtom);
  const card = useRef<HTMLElement>(null);
  const focus = useTrayFocus(card);
  return (
    <section
      ref={card}
      {...focus}
      className={`tray ${isOpen ? "is-open" : ""}`}
      aria-label={t({ id: "tray.label", message: "Uploads" })}
    >
      <TrayHead summary={summary}>
        {isOpen && <PauseOrResumeAll jobs={jobs} />}
        <IconButton
          label={
            isOpen
              ? t({ id: "tray.collapse", message: "Collapse" })
              : t({ id: "tray.expand", message: "Expand" })
          }
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronDownIcon className={isOpen ? "" : "is-turned"} />
        </IconButton>
        <CloseDone jobs={jobs} />
      </TrayHead>
      {isOpen ? <TrayRows jobs={jobs} elsewhere={elsewhere} /> : <TotalBar summary={summary} />}
    </section>
  );
}

function PhoneTray({ jobs, elsewhere, summary }: ShownTrayProps) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useAtom(isSheetOpenAtom);
  const sheet = useRef<HTMLDivElement>(null);
  const focus = useTrayFocus(sheet);
  const focusReturn = useFocusReturn();
  const drag = useSheetDrag(sheet, (moved) => moved > 0 && setOpen(false));
  return (
    <RadixDialog.Root open={isOpen} onOpenChange={setOpen}>
      <RadixDialog.Trigger
        className={`tray-strip is-${summary.tone}`}
        style={{ "--percent": summary.percent }}
      >
        <ToneIcon tone={summary.tone} />
        <span className="tray-strip-text">
          <StripText {...summary} />
        </span>
        <ChevronDownIcon className="is-turned" />
      </RadixDialog.Trigger>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="scrim tray-scrim">
          <RadixDialog.Content
            ref={sheet}
            {...focus}
            {...focusReturn}
            className="tray-sheet"
            aria-describedby={undefined}
          >
            <RadixDialog.Title className="sr-only">
              {t({ id: "tray.label", message: "Uploads" })}
            </RadixDialog.Title>
            <div className="tray-grab" {...drag}>
              <TrayHead summary={summary}>
                <PauseOrResumeAll jobs={jobs} />
                <CloseDone jobs={jobs} />
                <IconButton
                  label={t({ id: "tray.collapse", message: "Collapse" })}
                  onClick={() => setOpen(false)}
                >
                  <ChevronDownIcon />
                </IconButton>
              </TrayHead>
            </div>
            <TrayRows jobs={jobs} elsewhere={elsewhere} />
          </RadixDialog.Content>
        </RadixDialog.Overlay>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

/** On a line with what follows, a title that is a sentence ends as one. */
function StripText({ tone, title, detail, brief = detail }: TraySummary) {
  const isSentence = tone === "offline" || tone === "file";
  return (
    <>
      <b>
        {title}
        {isSentence && "."}
      </b>{" "}
      <span>{brief}</span>
    </>
  );
}

function TrayHead({ summary, children }: { summary: TraySummary; children: ReactNode }) {
  return (
    <div className="tray-head">
      <div className="tray-title">
        <b>{summary.title}</b>
        <span>{summary.detail}</span>
      </div>
      {children}
    </div>
  );
}

function TotalBar({ summary }: { summary: TraySummary }) {
  if (summary.tone === "ok" || summary.tone === "queued") return null;
  const style = { "--percent": summary.percent };
  return <span className={`progress-line is-${summary.tone}`} style={style} aria-hidden="true" />;
}

function TrayRows({ jobs, elsewhere }: TrayProps) {
  return (
    <>
      <ul className="tray-rows">
        {jobs.toSorted(byUrgency).map((job) => (
          <TrayRow key={job.id} job={job} />
        ))}
        {elsewhere.map((one) => (
          <ElsewhereRow key={one.upload.id} {...one} />
        ))}
      </ul>
      {jobs.some(isUnderWay) && (
        <p className="tray-hint">
          <Trans id="tray.goesOn">
            You can keep working here. What was sent is kept if the browser closes.
          </Trans>
        </p>
      )}
    </>
  );
}

/** Once nothing is left to do, the tray can be closed. */
function CloseDone({ jobs }: { jobs: readonly UploadJob[] }) {
  const { t } = useLingui();
  const close = useSetAtom(removeDoneJobsAtom);
  if (jobs.length === 0 || !jobs.every(({ state }) => state.stage === "done")) return null;
  return (
    <IconButton label={t({ id: "action.close", message: "Close" })} onClick={close}>
      <CloseIcon />
    </IconButton>
  );
}

const TONE_ICONS: Record<TrayTone, Icon> = {
  sending: UploadIcon,
  queued: ClockIcon,
  paused: PauseIcon,
  offline: WifiOffIcon,
  file: FileArchiveIcon,
  warn: TriangleAlertIcon,
  ok: CircleCheckIcon,
};

function ToneIcon({ tone }: { tone: TrayTone }) {
  const Icon = TONE_ICONS[tone];
  return <Icon className="tray-tone" />;
}

/** What needs the person first, then what is being sent, what waits, and what is done. */
const URGENCY = { stopped: 0, sending: 1, paused: 2, queued: 3, done: 4 } as const;

function byUrgency(one: UploadJob, other: UploadJob): number {
  return URGENCY[one.state.stage] - URGENCY[other.state.stage];
}
