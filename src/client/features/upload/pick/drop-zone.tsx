import { Trans } from "@lingui/react/macro";
import { type ReactNode, useRef } from "react";
import { Button } from "../../../ui/button.tsx";
import { EmptyFilm } from "../../../ui/empty.tsx";
import { CircleAlertIcon } from "../../../ui/entry-icons.tsx";
import { TOUCH, useMediaQuery } from "../../../ui/hooks/use-media-query.ts";
import { FileArchiveIcon, FolderOpenIcon } from "../../../ui/icons.tsx";
import type { Picked } from "../../pick/picked-files.ts";
import type { UploadProblem } from "../upload-problem.ts";
import { ProblemText } from "./problem-text.tsx";
import { SourceInputs } from "./source-inputs.tsx";
import { useDrop } from "./use-drop.ts";

interface DropZoneProps {
  disabled: boolean;
  /** What may be picked, and what becomes of it, where that is not shown before it is sent. */
  text?: ReactNode;
  maxUploadBytes: number;
  /** Why what was picked last was refused, with its name. */
  problems?: readonly { name: string; problem: UploadProblem }[];
  onPick: (picked: Picked[] | Promise<Picked[]>) => void;
  /** Opens the help on how to get a ZIP; left out where there is none. */
  onHelp?: () => void;
}

/** The empty light box. It takes ZIPs and folders, dropped or picked. */
export function DropZone({ disabled, text, maxUploadBytes, problems = [], onPick, onHelp }: DropZoneProps) {
  const { isOver, ...handlers } = useDrop(disabled, onPick);
  return (
    <section
      className={`drop-zone ${isOver ? "is-over" : ""} ${disabled ? "is-disabled" : ""}`}
      aria-disabled={disabled}
      {...handlers}
    >
      <div className="light-box" aria-hidden="true">
        <EmptyFilm />
      </div>
      <div>
        <h2 className="drop-zone-title">
          <Invitation />
        </h2>
        <p className="drop-zone-text">
          {text ?? (
            <Trans id="upload.drop.textSeveral">
              Several ZIPs at once, or the whole CD folder. Before uploading, we show what is inside.
            </Trans>
          )}
        </p>
        {problems.map(({ name, problem }, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are told as they are, until something else is picked
          <p key={n} className="notice is-bad" role="alert">
            <CircleAlertIcon />
            <ProblemText
              problem={problem}
              name={problems.length > 1 ? name : ""}
              maxUploadBytes={maxUploadBytes}
            />
          </p>
        ))}
        <Pickers disabled={disabled} onPick={onPick} />
        {onHelp && (
          <p className="drop-zone-help">
            <button type="button" className="link" onClick={onHelp}>
              <Trans id="help.noZip">No ZIP yet? See how to get it</Trans>
            </button>
          </p>
        )}
      </div>
    </section>
  );
}

function Pickers({ disabled, onPick }: Pick<DropZoneProps, "disabled" | "onPick">) {
  const zips = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  return (
    <div className="drop-zone-actions">
      <Button kind="lit" disabled={disabled} onClick={() => zips.current?.click()}>
        <FileArchiveIcon small />
        <Trans id="upload.pickZips">Choose ZIPs</Trans>
      </Button>
      <Button disabled={disabled} onClick={() => folder.current?.click()}>
        <FolderOpenIcon small />
        <Trans id="upload.pickFolder">Choose folder</Trans>
      </Button>
      <SourceInputs zips={zips} folder={folder} disabled={disabled} onPick={onPick} />
    </div>
  );
}

/** What the zone asks for, in the words of a device that can drop, or of one that can't. */
function Invitation() {
  const isTouch = useMediaQuery(TOUCH);
  return isTouch ? (
    <Trans id="upload.drop.touchSeveral">Choose the exams</Trans>
  ) : (
    <Trans id="upload.drop.several">Drop the exams here</Trans>
  );
}
