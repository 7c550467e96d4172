import { Trans, useLingui } from "@lingui/react/macro";
import { useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { FileArchiveIcon, FileTextIcon, FolderOpenIcon } from "../../ui/icons.tsx";
import { FilesInput } from "../pick/files-input.tsx";
import { pickDroppedSources } from "../pick/picked-files.ts";
import type { PickedFile } from "./hash-messages.ts";

interface FilePickerProps {
  kind: "receipt" | "exam";
  isLit: boolean;
  disabled?: boolean;
  onPick: (files: PickedFile[]) => void;
}

const RECEIPTS = ".pdf,.json,.jws,application/pdf,application/json";
const EXAMS = ".zip,application/zip,.dcm,.dicom,.dic,application/dicom";

/** Buttons for the receipt, or for a folder, ZIPs or files, which may be dropped too. */
export function FilePicker({ kind, isLit, disabled = false, onPick }: FilePickerProps) {
  const { t } = useLingui();
  const [isOver, setOver] = useState(false);
  const fileInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const take = (files: FileList) =>
    onPick([...files].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
  return (
    <section
      className={`verify-drop ${isOver ? "is-over" : ""}`}
      aria-label={t({ id: "verify.drop", message: "Drop files here" })}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(!disabled);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (!disabled) void dropped(event.dataTransfer).then((files) => files.length > 0 && onPick(files));
      }}
    >
      {kind === "receipt" ? (
        <Button
          kind={isLit ? "lit" : "outline"}
          disabled={disabled}
          onClick={() => fileInput.current?.click()}
        >
          <FileTextIcon small />
          <Trans id="verify.pickReceipt">Choose receipt</Trans>
        </Button>
      ) : (
        <>
          <Button
            kind={isLit ? "lit" : "outline"}
            disabled={disabled}
            onClick={() => fileInput.current?.click()}
          >
            <FileArchiveIcon small />
            <Trans id="upload.pickZip">Choose ZIP</Trans>
          </Button>
          <Button disabled={disabled} onClick={() => folderInput.current?.click()}>
            <FolderOpenIcon small />
            <Trans id="upload.pickFolder">Choose folder</Trans>
          </Button>
        </>
      )}
      <FilesInput
        ref={fileInput}
        disabled={disabled}
        onFiles={take}
        accept={kind === "receipt" ? RECEIPTS : EXAMS}
        multiple={kind === "exam"}
        aria-label={
          kind === "receipt"
            ? t({ id: "verify.receiptInput", message: "Receipt" })
            : t({ id: "upload.zipInput", message: "ZIP file of the exam" })
        }
      />
      {kind === "exam" && (
        <FilesInput
          ref={folderInput}
          isFolder
          disabled={disabled}
          onFiles={take}
          aria-label={t({ id: "upload.folderInput", message: "Folder of the exam" })}
        />
      )}
    </section>
  );
}

async function dropped(transfer: DataTransfer): Promise<PickedFile[]> {
  const [single] = transfer.files;
  if (transfer.files.length === 1 && single && single.size > 0 && single.type !== "")
    return [{ name: single.name, file: single }];
  const sources = await pickDroppedSources(transfer);
  return sources.flatMap((source): PickedFile[] => {
    if (source.kind === "zip") return [{ name: source.file.name, file: source.file }];
    return source.kind === "folder" ? source.files.map(({ path, file }) => ({ name: path, file })) : [];
  });
}
