import { Trans, useLingui } from "@lingui/react/macro";
import type { RefObject } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton, CopyIconButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { PrinterIcon, SendIcon } from "../../ui/icons.tsx";
import { useShownOnce } from "../../ui/shown-once.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { useStay } from "../places/use-stay.ts";
import { patientsText } from "../studies/study-text.ts";
import { linkWay, sendLink } from "./hand-link.ts";
import { LinkSheet } from "./link-sheet.tsx";
import type { ReadyLink } from "./ready-link.ts";
import { useExamCount } from "./use-exam-count.ts";

interface LinkReadyProps {
  /** The exams that it opens. */
  exams: readonly Study[];
  link: ReadyLink;
  onClose: () => void;
  /** What gets the focus when nothing of the dialog before is shown again. */
  returnTo?: RefObject<Element | null>;
}

/** Shows the new link's address, QR code and passcode, once: only its button closes it, so that no stray click loses them. */
export function LinkReady({ exams: opened, link, onClose, returnTo }: LinkReadyProps) {
  const { i18n, t } = useLingui();
  const once = useShownOnce();
  useStay(true);
  const { studies, recipient, expiresAt, url, passcode } = link;
  const withReport = link.withReport && opened.some(({ laudo }) => laudo);
  const until = dayText(expiresAt);
  const exams = useExamCount(studies);
  const patient = patientsText(i18n, opened);
  return (
    <Dialog
      wide
      open
      {...(returnTo && { returnTo })}
      onOpenChange={once.hold}
      title={<Trans id="link.ready">Link ready</Trans>}
      text={[
        recipient && t({ id: "link.ready.for", message: `For ${recipient}.` }),
        withReport
          ? t({ id: "link.ready.withReport", message: `${exams} with the report, until ${until}.` })
          : t({ id: "link.ready.until", message: `${exams}, until ${until}.` }),
      ]
        .filter(Boolean)
        .join(" ")}
      picture={
        <figure className="pix-qr">
          <img src={link.qrCode} alt={t({ id: "link.qr", message: "QR code of the link" })} />
          <figcaption>
            <Trans id="link.aim">Point the phone camera</Trans>
          </figcaption>
        </figure>
      }
    >
      <div className="link-ready">
        <CopyBox text={url} label={t({ id: "link.copy", message: "Copy link" })} />
        <LinkWays url={url} title={t({ id: "link.sent.title", message: `Exams of ${patient}` })} />
        {passcode && (
          <div className="link-passcode">
            <div>
              <span className="field-label">
                <Trans id="link.passcode.title">Passcode</Trans>
              </span>
              <CopyButton
                kind="quiet"
                size="small"
                aria-label={t({ id: "link.passcode.copy", message: "Copy passcode" })}
                text={passcode}
              />
            </div>
            <p className="mono">{`${passcode.slice(0, 3)} ${passcode.slice(3)}`}</p>
            <p className="field-hint">
              <Trans id="link.passcode.other">
                Send it another way: by phone, or in another message. It is not shown again.
              </Trans>
            </p>
          </div>
        )}
        {once.notice}
        <Button onClick={onClose}>
          <Trans id="link.done">Done</Trans>
        </Button>
      </div>
      <LinkSheet link={link} patient={patient} exams={exams} until={until} />
    </Dialog>
  );
}

/** What can be done with a new address: hand it to the phone's share sheet, or copy it where there is none; print it. */
export function LinkWays({ url, title }: { url: string; title: string }) {
  return (
    <div className="link-ways">
      {linkWay() === "send" ? (
        <Button kind="lit" size="big" onClick={() => void sendLink(url, title)}>
          <SendIcon small />
          <Trans id="link.send">Send</Trans>
        </Button>
      ) : (
        <CopyButton kind="lit" size="big" text={url}>
          <Trans id="link.copy">Copy link</Trans>
        </CopyButton>
      )}
      <Button size="big" onClick={() => window.print()}>
        <PrinterIcon small />
        <Trans id="pdf.print">Print</Trans>
      </Button>
    </div>
  );
}

/** An address, in one line, and a button that copies it. */
export function CopyBox({ text, label }: { text: string; label: string }) {
  return (
    <div className="copy-box">
      <span className="mono">{text}</span>
      <CopyIconButton text={text} label={label} />
    </div>
  );
}
