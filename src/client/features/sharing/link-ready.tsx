import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { copyText } from "../../ui/copy-text.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { PrinterIcon, SendIcon } from "../../ui/icons.tsx";
import { dayText } from "../../ui/moment-text.ts";
import { useStay } from "../places/use-stay.ts";
import { patientText } from "../studies/study-text.ts";
import { LinkSheet } from "./link-sheet.tsx";
import type { ReadyLink } from "./ready-link.ts";
import { useExamCount } from "./use-exam-count.ts";

/** So many patients are named; more are told by "…". */
const MAX_NAMED = 3;

interface LinkReadyProps {
  /** The exams that it opens. */
  exams: readonly Study[];
  link: ReadyLink;
  onClose: () => void;
}

/** Shows the new link's address, QR code and passcode, once: only its button closes it, so that no stray click loses them. */
export function LinkReady({ exams: opened, link, onClose }: LinkReadyProps) {
  const { i18n, t } = useLingui();
  useStay(true);
  const { studies, withReport, recipient, expiresAt, url, passcode } = link;
  const until = dayText(expiresAt);
  const exams = useExamCount(studies);
  const patients = [...new Set(opened.map((study) => patientText(i18n, study)))];
  const patient = [...patients.slice(0, MAX_NAMED), ...(patients.length > MAX_NAMED ? ["…"] : [])].join(", ");
  return (
    <Dialog
      wide
      open
      onOpenChange={() => undefined}
      title={<Trans id="link.ready">Link ready</Trans>}
      text={[
        recipient && t({ id: "link.ready.for", message: `For ${recipient}.` }),
        withReport
          ? t({ id: "link.ready.withReport", message: `${exams} with the report, until ${until}.` })
          : t({ id: "link.ready.until", message: `${exams}, until ${until}.` }),
      ]
        .filter(Boolean)
        .join(" ")}
    >
      <div className="link-ready">
        <figure className="pix-qr">
          <img src={link.qrCode} alt={t({ id: "link.qr", message: "QR code of the link" })} />
          <figcaption>
            <Trans id="link.aim">Point the phone camera</Trans>
          </figcaption>
        </figure>
        <div>
          <CopyBox text={url} label={t({ id: "link.copy", message: "Copy link" })} />
          <div className="link-ways">
            <SendButton url={url} title={t({ id: "link.sent.title", message: `Exams of ${patient}` })} />
            <Button onClick={() => window.print()}>
              <PrinterIcon small />
              <Trans id="pdf.print">Print</Trans>
            </Button>
          </div>
          {passcode && (
            <div className="link-passcode">
              <CopyBox
                title={<Trans id="link.passcode.title">Passcode</Trans>}
                text={passcode}
                shown={`${passcode.slice(0, 3)} ${passcode.slice(3)}`}
                label={t({ id: "link.passcode.copy", message: "Copy passcode" })}
              />
              <p className="field-hint">
                <Trans id="link.passcode.other">
                  Send it another way: by phone, or in another message. It is not shown again.
                </Trans>
              </p>
            </div>
          )}
        </div>
      </div>
      <LinkSheet link={link} patient={patient} exams={exams} until={until} />
      <div className="dialog-actions">
        <Button kind="lit" onClick={onClose}>
          <Trans id="link.done">Done</Trans>
        </Button>
      </div>
    </Dialog>
  );
}

/** Hands the address to the phone's share sheet; a browser without one copies it. */
export function SendButton({ url, title }: { url: string; title: string }) {
  const [isCopied, setCopied] = useState(false);
  const share = async () => {
    if (!("share" in navigator)) return setCopied(await copyText(url));
    try {
      await navigator.share({ url, title });
    } catch (error) {
      // Closing the share sheet is not a failure.
      if (!(error instanceof DOMException)) throw error;
    }
  };
  return (
    <Button onClick={() => void share()}>
      <SendIcon small />
      <span role="status">
        {isCopied ? <Trans id="security.copied">Copied</Trans> : <Trans id="link.send">Send</Trans>}
      </span>
    </Button>
  );
}

interface CopyBoxProps {
  title?: React.ReactNode;
  text: string;
  /** In the place of the text, for people. */
  shown?: string;
  label: string;
}

export function CopyBox({ title, text, shown = text, label }: CopyBoxProps) {
  return (
    <div className="copy-box">
      {title && <span className="field-label">{title}</span>}
      <span className="mono">{shown}</span>
      <CopyButton kind="quiet" size="small" aria-label={label} text={text} />
    </div>
  );
}
