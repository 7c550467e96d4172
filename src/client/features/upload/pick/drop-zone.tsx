import { Trans, useLingui } from "@lingui/react/macro";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { EmptyFilm } from "../../../ui/empty.tsx";
import { CircleAlertIcon } from "../../../ui/entry-icons.tsx";
import { FileArchiveIcon, FolderOpenIcon } from "../../../ui/icons.tsx";
import { limitText } from "../../../ui/limit-text.ts";
import { useMediaQuery } from "../../../ui/use-media-query.ts";
import { FilesInput } from "../../pick/files-input.tsx";
import { type Picked, pickDropped, pickFiles, pickFolder } from "../../pick/picked-files.ts";
import type { UploadProblem } from "../prepare-upload.ts";
import { problemTexts } from "../upload-texts.ts";
import { MAX_FOLDER_FILES } from "./upload-rules.ts";

interface DropZoneProps {
  disabled: boolean;
  /** What happens once something is picked. */
  next?: ReactNode;
  maxUploadBytes: number;
  /** Why the last pick was refused. */
  problem?: UploadProblem;
  onPick: (picked: Picked | Promise<Picked>) => void;
  /** Opens the help on how to get a ZIP; left out where there is none. */
  onHelp?: () => void;
}

/** Where nothing can be dropped. */
const TOUCH = "(pointer: coarse)";

/** A ZIP, or single images as clinics send them; files without an extension come by the folder or by a drop. */
const ACCEPTED = ".zip,application/zip,.dcm,.dicom,.dic,application/dicom";

/** The empty light box. It takes one ZIP or one folder, dropped or picked. */
export function DropZone({ disabled, next, maxUploadBytes, problem, onPick, onHelp }: DropZoneProps) {
  const { i18n } = useLingui();
  const { isOver, ...handlers } = useDrop(disabled, onPick);
  const isTouch = useMediaQuery(TOUCH);
  const limit = limitText(i18n, maxUploadBytes);
  const files = i18n.number(MAX_FOLDER_FILES);
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
          {isTouch ? (
            <Trans id="upload.drop.touch">Choose the exam's ZIP</Trans>
          ) : (
            <Trans id="upload.drop.title">Drop the exam's ZIP here</Trans>
          )}
        </h2>
        <p className="drop-zone-text">
          <Trans id="upload.drop.text">
            One file of up to {limit}, or the whole folder from the disc. Anything that is not DICOM is left
            out.
          </Trans>{" "}
          {next}
        </p>
        {problem && (
          <p className="notice is-bad" role="alert">
            <CircleAlertIcon />
            {i18n._({ ...problemTexts[problem], values: { limit, files } })}
          </p>
        )}
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
  const { t } = useLingui();
  const zipInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  return (
    <div className="drop-zone-actions">
      <Button kind="lit" disabled={disabled} onClick={() => zipInput.current?.click()}>
        <FileArchiveIcon small />
        <Trans id="upload.pickZip">Choose ZIP</Trans>
      </Button>
      <Button disabled={disabled} onClick={() => folderInput.current?.click()}>
        <FolderOpenIcon small />
        <Trans id="upload.pickFolder">Choose folder</Trans>
      </Button>
      <FilesInput
        ref={zipInput}
        accept={ACCEPTED}
        disabled={disabled}
        aria-label={t({ id: "upload.zipInput", message: "ZIP file of the exam" })}
        onFiles={(files) => onPick(pickFiles(files))}
      />
      <FilesInput
        ref={folderInput}
        isFolder
        disabled={disabled}
        aria-label={t({ id: "upload.folderInput", message: "Folder of the exam" })}
        onFiles={(files) => onPick(pickFolder(files))}
      />
    </div>
  );
}

/** Elements inside the zone send drag events too; only leaving the zone itself counts. */
function useDrop(disabled: boolean, onPick: DropZoneProps["onPick"]) {
  const [isOver, setOver] = useState(false);
  return {
    isOver: isOver && !disabled,
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      event.dataTransfer.dropEffect = disabled ? "none" : "copy";
      setOver(true);
    },
    onDragLeave: (event: DragEvent<HTMLElement>) => {
      if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) {
        setOver(false);
      }
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      if (!disabled) onPick(pickDropped(event.dataTransfer));
    },
  };
}
