import { Trans, useLingui } from "@lingui/react/macro";
import type { RefObject } from "react";
import type { CreatedRequest, Request } from "../../../shared/api/deliveries.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useShownOnce } from "../../ui/shown-once.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { useStay } from "../places/use-stay.ts";
import { CopyBox, LinkWays } from "../sharing/link-ready.tsx";
import { QrSheet } from "../sharing/qr-sheet.tsx";
import { RequestLine } from "./request-line.tsx";
import { useOpenDelivered, useRequests } from "./use-requests.ts";

interface RequestReadyProps {
  request: CreatedRequest;
  onClose: () => void;
  /** What gets the focus in the end. */
  returnTo: RefObject<Element | null>;
}

/**
 * Shows the new request's address and QR code, once: only its button closes it, so that no stray click loses them. When the exam has
 * arrived they serve nothing more, and the way to the exam takes their place.
 */
export function RequestReady({ request, onClose, returnTo }: RequestReadyProps) {
  const { t } = useLingui();
  const once = useShownOnce();
  const { label, shownName, expiresAt } = request;
  const until = dayText(expiresAt);
  const now = useRequests().data?.find(({ id }) => id === request.id);
  const arrived = now?.state === "received" ? now : undefined;
  useStay(!arrived);
  return (
    <Dialog
      wide={!arrived}
      open
      returnTo={returnTo}
      onOpenChange={arrived ? onClose : once.hold}
      title={
        arrived ? (
          <Trans id="request.arrived">The exam has arrived</Trans>
        ) : (
          <Trans id="request.ready">Show it at the desk</Trans>
        )
      }
      text={
        arrived
          ? undefined
          : t({
              id: "request.ready.text",
              message: `${label} delivers to ${shownName}, once, until ${until}.`,
            })
      }
      picture={!arrived && <RequestCode request={request} />}
    >
      <div className="link-ready">
        {!arrived && <RequestAddress request={request} />}
        <p className={arrived ? "" : "field-hint"} role="status">
          <ReadyLine now={now} />
        </p>
        {arrived && <ViewArrived request={arrived} />}
        {!arrived && once.notice}
        <Button onClick={onClose}>
          <Trans id="link.done">Done</Trans>
        </Button>
      </div>
      {!arrived && <RequestSheet request={request} until={until} />}
    </Dialog>
  );
}

function RequestCode({ request: { qrCode } }: Pick<RequestReadyProps, "request">) {
  const { t } = useLingui();
  return (
    <figure className="pix-qr">
      <img src={qrCode} alt={t({ id: "request.qr", message: "QR code of the request" })} />
      <figcaption>
        <Trans id="request.aim">The clinic reads it with the camera</Trans>
      </figcaption>
    </figure>
  );
}

function RequestAddress({ request: { url, shownName } }: Pick<RequestReadyProps, "request">) {
  const { t } = useLingui();
  return (
    <>
      <CopyBox text={url} label={t({ id: "link.copy", message: "Copy link" })} />
      <LinkWays url={url} title={t({ id: "request.sent.title", message: `Exams for ${shownName}` })} />
    </>
  );
}

/** What has become of the request; undefined until it was read again. */
function ReadyLine({ now }: { now: Request | undefined }) {
  if (now?.state === "sending" || now?.state === "received") return <RequestLine request={now} />;
  return (
    <Trans id="request.ready.hint">
      If the clinic has no camera, send the address: it is not shown again. This screen tells you when the
      delivery starts.
    </Trans>
  );
}

function ViewArrived({ request: { deliveries } }: { request: Request }) {
  const open = useOpenDelivered();
  return (
    <Button kind="lit" size="big" onClick={() => void open(deliveries)}>
      <Trans id="request.viewExam">View exam</Trans>
    </Button>
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
