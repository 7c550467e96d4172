import { Trans, useLingui } from "@lingui/react/macro";
import type { RefObject } from "react";
import type { CreatedRequest } from "../../../shared/api/deliveries.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { dayText } from "../../ui/moment-text.ts";
import { useStay } from "../places/use-stay.ts";
import { CopyBox, LinkWays } from "../sharing/link-ready.tsx";
import { QrSheet } from "../sharing/qr-sheet.tsx";
import { useRequests } from "./use-requests.ts";

interface RequestReadyProps {
  request: CreatedRequest;
  onClose: () => void;
  /** What gets the focus in the end. */
  returnTo: RefObject<Element | null>;
}

/** Shows the new request's address and QR code, once: only its button closes it, so that no stray click loses them. */
export function RequestReady({ request, onClose, returnTo }: RequestReadyProps) {
  const { t } = useLingui();
  useStay(true);
  const { label, shownName, url, qrCode, expiresAt } = request;
  const until = dayText(expiresAt);
  const now = useRequests().data?.find(({ id }) => id === request.id);
  const percent = now?.percent ?? 0;
  return (
    <Dialog
      wide
      open
      returnTo={returnTo}
      onOpenChange={() => undefined}
      title={<Trans id="request.ready">Show it at the desk</Trans>}
      text={t({
        id: "request.ready.text",
        message: `${label} delivers to ${shownName}, once, until ${until}.`,
      })}
      picture={
        <figure className="pix-qr">
          <img src={qrCode} alt={t({ id: "request.qr", message: "QR code of the request" })} />
          <figcaption>
            <Trans id="request.aim">The clinic reads it with the camera</Trans>
          </figcaption>
        </figure>
      }
    >
      <div className="link-ready">
        <CopyBox text={url} label={t({ id: "link.copy", message: "Copy link" })} />
        <LinkWays url={url} title={t({ id: "request.sent.title", message: `Exams for ${shownName}` })} />
        <p className="field-hint" role="status">
          {now?.state === "sending" && <Trans id="request.line.sending">Uploading now · {percent}%</Trans>}
          {now?.state === "received" && <Trans id="request.arrived">The exam has arrived.</Trans>}
          {now?.state !== "sending" && now?.state !== "received" && (
            <Trans id="request.ready.hint">
              If the clinic has no camera, send the address. This screen tells you when the delivery starts.
              It is not shown again.
            </Trans>
          )}
        </p>
        <Button onClick={onClose}>
          <Trans id="link.done">Done</Trans>
        </Button>
      </div>
      <RequestSheet request={request} until={until} />
    </Dialog>
  );
}

/** The sheet to hand to a clinic, for print alone. */
function RequestSheet({ request, until }: { request: CreatedRequest; until: string }) {
  const { label, shownName, url, qrCode } = request;
  return (
    <QrSheet
      title={<Trans id="delivery.title">Deliver exams to {shownName}</Trans>}
      qrCode={qrCode}
      url={url}
      how={
        <Trans id="request.sheet.how">
          Point the camera at the code, or type the address. No account and no program is needed.
        </Trans>
      }
    >
      <p>
        <Trans id="request.ready.text">
          {label} delivers to {shownName}, once, until {until}.
        </Trans>
      </p>
    </QrSheet>
  );
}
