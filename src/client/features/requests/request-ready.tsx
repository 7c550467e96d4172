import { Trans, useLingui } from "@lingui/react/macro";
import type { CreatedRequest } from "../../../shared/api/deliveries.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { PrinterIcon } from "../../ui/icons.tsx";
import { dayText } from "../../ui/moment-text.ts";
import { useStay } from "../places/use-stay.ts";
import { CopyBox, SendButton } from "../sharing/link-ready.tsx";
import { useRequests } from "./use-requests.ts";

/** Shows the new request's address and QR code, once: only its button closes it, so that no stray click loses them. */
export function RequestReady({ request, onClose }: { request: CreatedRequest; onClose: () => void }) {
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
      onOpenChange={() => undefined}
      title={<Trans id="request.ready">Show it at the desk</Trans>}
      text={t({
        id: "request.ready.text",
        message: `${label} delivers to ${shownName}, once, until ${until}.`,
      })}
    >
      <div className="link-ready">
        <figure className="pix-qr">
          <img src={qrCode} alt={t({ id: "request.qr", message: "QR code of the request" })} />
          <figcaption>
            <Trans id="request.aim">The clinic reads it with the camera</Trans>
          </figcaption>
        </figure>
        <div>
          <CopyBox text={url} label={t({ id: "link.copy", message: "Copy link" })} />
          <div className="link-ways">
            <SendButton
              url={url}
              title={t({ id: "request.sent.title", message: `Exams for ${shownName}` })}
            />
            <Button onClick={() => window.print()}>
              <PrinterIcon small />
              <Trans id="pdf.print">Print</Trans>
            </Button>
          </div>
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
        </div>
      </div>
      <div className="dialog-actions">
        <Button kind="lit" onClick={onClose}>
          <Trans id="link.done">Done</Trans>
        </Button>
      </div>
    </Dialog>
  );
}
