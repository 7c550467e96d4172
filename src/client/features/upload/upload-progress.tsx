import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useMemo } from "react";
import { Button } from "../../ui/button.tsx";
import { CheckIcon, FileArchiveIcon, FolderOpenIcon } from "../../ui/icons.tsx";
import { sizeText } from "../../ui/text/size-text.ts";
import { ContactSheet } from "./contact-sheet/contact-sheet.tsx";
import { SeeNow } from "./see-now.tsx";
import { useSourceName } from "./source-name.ts";
import { TimeLeft, TransferNumbers } from "./transfer-text.tsx";
import {
  currentPhase,
  type Phase,
  percentOf,
  phases,
  phasesDone,
  type Transfer,
  type UploadState,
} from "./upload-state.ts";
import { phaseTexts, readingFolderText } from "./upload-texts.ts";

interface UploadProgressProps {
  state: UploadState;
  /** Whether nothing of it will go any more. */
  isOver: boolean;
  onCancel: () => void;
  /** Below the contact sheet. */
  children?: ReactNode;
}

/** What is being sent and how far it is: file, percentage, contact sheet, the five beats. */
export function UploadProgress({ state, isOver, onCancel, children }: UploadProgressProps) {
  const { t } = useLingui();
  const percent = state.stage === "sending" ? percentOf(state.transfer) : 0;
  const { zip, fileName } = state.upload;
  // Empty if the browser does not have the bytes any more.
  const picks = useMemo(
    () => (zip.size > 0 ? [{ kind: "zip" as const, file: new File([zip], fileName) }] : []),
    [zip, fileName],
  );
  return (
    <section
      className={`panel upload-panel is-${state.stage}`}
      aria-label={t({ id: "upload.progress", message: "Upload" })}
    >
      <SourceLine state={state} onCancel={onCancel} />
      {state.stage === "sending" && <TransferLine transfer={state.transfer} percent={percent} />}
      {state.stage === "sending" && <ContactSheet percent={percent} films={state.upload.films} />}
      {picks.length > 0 && !isOver && <SeeNow picks={picks} />}
      {children}
      {!isOver && (
        <ol className="phases">
          {phases.map((phase, index) => (
            <PhaseLine key={phase} phase={phase} index={index} state={state} percent={percent} />
          ))}
        </ol>
      )}
    </section>
  );
}

function SourceLine({ state, onCancel }: { state: UploadState; onCancel: () => void }) {
  const { i18n, t } = useLingui();
  const { source, counts } = state;
  const name = useSourceName(source);
  const SourceIcon = source.kind === "zip" ? FileArchiveIcon : FolderOpenIcon;
  const total = counts.total ?? 0;
  const files = t({ id: "upload.files", message: plural(total, { one: "# file", other: "# files" }) });
  return (
    <div className="upload-source">
      <SourceIcon />
      <div>
        <b>{name}</b>
        <span>{[sizeText(i18n, source.sizeBytes), total > 0 && files].filter(Boolean).join(" · ")}</span>
      </div>
      <Button size="small" onClick={onCancel}>
        {state.stage === "sending" ? (
          <Trans id="upload.cancel">Cancel upload</Trans>
        ) : (
          <Trans id="upload.discard">Choose another</Trans>
        )}
      </Button>
    </div>
  );
}

function TransferLine({ transfer, percent }: { transfer: Transfer; percent: number }) {
  const { t } = useLingui();
  return (
    <div className="upload-transfer">
      <div
        className="upload-percent"
        role="progressbar"
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-label={t({ id: "upload.progress", message: "Upload" })}
      >
        {percent}
        <small>%</small>
      </div>
      <div>
        <b>
          <TimeLeft transfer={transfer} />
        </b>
        <TransferNumbers transfer={transfer} />
      </div>
    </div>
  );
}

interface PhaseLineProps {
  phase: Phase;
  index: number;
  state: UploadState;
  percent: number;
}

function PhaseLine({ phase, index, state, percent }: PhaseLineProps) {
  const { i18n } = useLingui();
  const isNow = currentPhase(state) === phase;
  const isDone = index < phasesDone(state);
  const readsFolder = phase === "extracting" && state.source.kind === "folder";
  const style = {
    "--phase": index,
    "--phase-percent": phase === "uploading" ? percent : 62,
  };
  return (
    <li
      className={isDone ? "is-done" : isNow ? "is-now" : undefined}
      aria-current={isNow ? "step" : undefined}
      style={style}
    >
      <span className="phase-wedge" />
      <span>{i18n._(readsFolder ? readingFolderText : phaseTexts[phase])}</span>
      <span className="phase-detail">
        <PhaseDetail phase={phase} state={state} percent={percent} />
        {isDone && <CheckIcon small />}
      </span>
    </li>
  );
}

function PhaseDetail({ phase, state, percent }: Omit<PhaseLineProps, "index">) {
  const { i18n, t } = useLingui();
  const { total, kept } = state.counts;
  if (phase === "extracting" && total !== undefined) {
    return t({ id: "upload.files", message: plural(total, { one: "# file", other: "# files" }) });
  }
  if (phase === "filtering" && total !== undefined && kept !== undefined) {
    const loaded = i18n.number(kept);
    const all = i18n.number(total);
    return (
      <Trans id="upload.filtered">
        {loaded} of {all}
      </Trans>
    );
  }
  if (phase === "uploading" && state.stage === "sending") return `${percent}%`;
  return null;
}
