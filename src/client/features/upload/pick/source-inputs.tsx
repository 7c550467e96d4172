import { useLingui } from "@lingui/react/macro";
import type { RefObject } from "react";
import { FilesInput } from "../../pick/files-input.tsx";
import { type Picked, pickFolder, pickSources } from "../../pick/picked-files.ts";

/** ZIPs, or single images as clinics send them; files without an extension come by the folder or by a drop. */
const ACCEPTED = ".zip,application/zip,.dcm,.dicom,.dic,application/dicom";

interface SourceInputsProps {
  zips: RefObject<HTMLInputElement | null>;
  folder: RefObject<HTMLInputElement | null>;
  disabled: boolean;
  onPick: (picked: Picked[]) => void;
}

/** The hidden inputs that take ZIPs and folders. */
export function SourceInputs({ zips, folder, disabled, onPick }: SourceInputsProps) {
  const { t } = useLingui();
  return (
    <>
      <FilesInput
        ref={zips}
        accept={ACCEPTED}
        disabled={disabled}
        aria-label={t({ id: "upload.zipInput", message: "ZIP file of the exam" })}
        onFiles={(files) => onPick(pickSources(files))}
      />
      <FilesInput
        ref={folder}
        isFolder
        disabled={disabled}
        aria-label={t({ id: "upload.folderInput", message: "Folder of the exam" })}
        onFiles={(files) => onPick([pickFolder(files)])}
      />
    </>
  );
}
