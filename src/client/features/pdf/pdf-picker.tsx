import { Trans, useLingui } from "@lingui/react/macro";
import { type DragEvent, useId, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { TOUCH, useMediaQuery } from "../../ui/hooks/use-media-query.ts";
import { FileTextIcon } from "../../ui/icons.tsx";

interface PdfPickerProps {
  file: File | undefined;
  onPick: (file: File) => void;
  disabled?: boolean;
  /** Whether the form was sent without a file. */
  isMissing?: boolean;
  small?: boolean;
}

/** Takes one PDF. A dropped file is recognised by its type, a picked one by its name. */
export function PdfPicker({ file, onPick, disabled = false, isMissing = false, small }: PdfPickerProps) {
  const { t } = useLingui();
  const [isOver, setOver] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const missingId = useId();
  const input = useRef<HTMLInputElement>(null);
  const take = (picked: File | undefined, isPdf: (file: File) => boolean) => {
    if (!picked) return;
    setRefused(!isPdf(picked));
    if (isPdf(picked)) onPick(picked);
  };
  return (
    <section
      className={`pdf-drop ${isOver ? "is-over" : ""} ${small ? "is-small" : ""} ${isMissing ? "is-missing" : ""}`}
      aria-label={t({ id: "pdf.drop.label", message: "PDF file" })}
      onDragOver={(event) => {
        event.preventDefault();
        event.dataTransfer.dropEffect = disabled ? "none" : "copy";
        setOver(!disabled);
      }}
      onDragLeave={(event) => {
        if (hasLeft(event)) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (!disabled) take(event.dataTransfer.files[0], ({ type }) => type === "application/pdf");
      }}
    >
      <FileTextIcon />
      {file ? <b className="break-all">{file.name}</b> : <Invitation />}
      {isRefused && (
        <p className="notice is-bad" role="alert">
          <CircleAlertIcon />
          <Trans id="pdf.onlyPdf">Invalid file: Please select only PDF files.</Trans>
        </p>
      )}
      {isMissing && !isRefused && (
        <p className="field-error" id={missingId}>
          <CircleAlertIcon small />
          <Trans id="pdf.missing">Choose the PDF file</Trans>
        </p>
      )}
      <Button
        size="small"
        disabled={disabled}
        aria-describedby={isMissing && !isRefused ? missingId : undefined}
        onClick={() => input.current?.click()}
      >
        <Trans id="pdf.pick">Choose PDF</Trans>
      </Button>
      <input
        ref={input}
        type="file"
        accept=".pdf,application/pdf"
        hidden
        disabled={disabled}
        aria-label={t({ id: "pdf.drop.label", message: "PDF file" })}
        onChange={({ target }) => {
          take(target.files?.[0], ({ name }) => name.toLowerCase().endsWith(".pdf"));
          target.value = "";
        }}
      />
    </section>
  );
}

/** Elements inside the zone send drag events too; only leaving the zone itself counts. */
function hasLeft({ relatedTarget, currentTarget }: DragEvent<HTMLElement>): boolean {
  return !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget));
}

/** A phone has nothing to drop. */
function Invitation() {
  const isTouch = useMediaQuery(TOUCH);
  return isTouch ? (
    <Trans id="pdf.drop.touch">One PDF file</Trans>
  ) : (
    <Trans id="pdf.drop.text">Drop the PDF here</Trans>
  );
}
