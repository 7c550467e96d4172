import { Trans, useLingui } from "@lingui/react/macro";
import { useId } from "react";
import type { IslandProps } from "../../../shared/islands.ts";
import { Button } from "../../ui/button.tsx";
import { CircleAlertIcon, CircleCheckIcon } from "../../ui/entry-icons.tsx";
import { ErrorCard } from "../../ui/error-card.tsx";
import { useAskBeforeUnload } from "../../ui/hooks/use-ask-before-unload.ts";
import { useStepFocus } from "../../ui/hooks/use-step-focus.ts";
import { UnlinkIcon } from "../../ui/icons.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { limitText } from "../../ui/text/limit-text.ts";
import { dayText } from "../../ui/text/moment-text.ts";
import { ReadingWaits } from "../upload/draft/reading-card.tsx";
import { DropZone } from "../upload/pick/drop-zone.tsx";
import { useWakeLock } from "../upload/tray/use-wake-lock.ts";
import { GateBox } from "../visit/gate.tsx";
import { Opening } from "../visit/opening.tsx";
import { PublicPage } from "../visit/public-page.tsx";
import { DeliveryReceipt } from "./delivery-receipt.tsx";
import { Check, Sending, Taking } from "./delivery-sending.tsx";
import type { DeliveryState } from "./delivery-state.ts";
import { LeftOutNotices, RefusedNotices } from "./left-out.tsx";
import { useDelivery } from "./use-delivery.ts";
import { WhoForm } from "./who-form.tsx";

/** The page of a request, for people without an account: who they are, their files, and the receipt. */
export default function DeliveryScreen({ productName, request, maxUploadBytes }: IslandProps<"delivery">) {
  const delivery = useDelivery(request, maxUploadBytes);
  const { state } = delivery;
  const page = useStepFocus(state.step);
  useWakeLock(state.step === "sending");
  useAskBeforeUnload(state.step === "sending" || state.step === "check");
  return (
    <PublicPage productName={productName}>
      <div className="delivery-page" ref={page} tabIndex={-1}>
        {state.step === "opening" && <Opening />}
        {state.step === "closed" && <Closed />}
        {state.step === "failed" && (
          <ErrorCard
            title={<Trans id="delivery.failed">The request could not be opened</Trans>}
            action={{ label: <Trans id="action.retry">Try again</Trans>, run: delivery.retry }}
          >
            {state.message}
          </ErrorCard>
        )}
        {"request" in state && state.step !== "done" && (
          <div className="delivery">
            <div>
              <Head state={state} />
              <Step {...delivery} maxUploadBytes={maxUploadBytes} />
            </div>
            <Before name={state.request.shownName} />
          </div>
        )}
        {state.step === "done" && (
          <DeliveryReceipt
            {...state}
            productName={productName}
            onMore={() => delivery.chooseOther(state.request)}
          />
        )}
      </div>
    </PublicPage>
  );
}

type Delivery = ReturnType<typeof useDelivery>;

function Step({
  state,
  begin,
  pick,
  send,
  chooseOther,
  receipt,
  showReceipt,
  maxUploadBytes,
}: Delivery & { maxUploadBytes: number }) {
  const { i18n } = useLingui();
  switch (state.step) {
    case "who":
      return <WhoForm key={state.request.label} {...state} onBegin={begin} />;
    case "reading":
      return (
        <>
          {state.isWaiting && <ReadingWaits />}
          <Skeleton className="h-72 w-full" />
        </>
      );
    case "check":
      return (
        <Check
          found={state.found}
          shownName={state.request.shownName}
          picked={state.picked}
          maxUploadBytes={maxUploadBytes}
          onOther={() => chooseOther(state.request)}
          onAnyway={() => void send(state.request, state.picked)}
        />
      );
    case "sending":
      return <Sending {...state} shownName={state.request.shownName} />;
    case "taking":
      return <Taking fileName={state.upload.filename} />;
    case "pick": {
      const before = state.receipt ?? receipt;
      const limit = limitText(i18n, maxUploadBytes);
      return (
        <>
          <PickNotices {...state} />
          <RefusedNotices refused={state.refused ?? []} />
          {before && (
            <p className="notice is-ok">
              <CircleCheckIcon />
              <span>
                <Trans id="delivery.before.done">What you delivered before has arrived.</Trans>
              </span>
              <Button size="small" onClick={() => showReceipt(before)}>
                <Trans id="delivery.showReceipt">Show its receipt</Trans>
              </Button>
            </p>
          )}
          <LeftOutNotices leftOut={state.problems ?? []} maxUploadBytes={maxUploadBytes} />
          <DropZone
            disabled={false}
            maxUploadBytes={maxUploadBytes}
            text={
              <Trans id="delivery.drop.text">
                Several ZIPs of up to {limit} each, or the whole folder from the disc. Anything that is not
                DICOM is left out.
              </Trans>
            }
            onPick={(picked) => void pick(state.request, picked)}
          />
        </>
      );
    }
    default:
      return null;
  }
}

function PickNotices({ message, halfSent, parts }: Extract<DeliveryState, { step: "pick" }>) {
  const { fileName = "", percent = 0 } = halfSent ?? {};
  const { arrived = 0, total = 0 } = parts ?? {};
  return (
    <>
      {message && (
        <p className="notice is-bad" role="alert">
          <CircleAlertIcon />
          {message}
        </p>
      )}
      {halfSent && (
        <p className="notice" role="status">
          <CircleAlertIcon />
          <Trans id="delivery.again">
            Choose {fileName} again to resume from {percent}%
          </Trans>
        </p>
      )}
      {parts && (
        <p className="notice is-warn" role="status">
          <CircleAlertIcon />
          <span>
            <Trans id="delivery.partsLeft">
              Parts delivered so far: {arrived} of {total}. Choose the same files again: what has arrived is
              not sent twice.
            </Trans>
          </span>
        </p>
      )}
    </>
  );
}

function Head({ state }: { state: Extract<DeliveryState, { request: object }> }) {
  const { shownName, label, expiresAt } = state.request;
  const until = dayText(expiresAt);
  return (
    <header className="visit-head">
      <h1>
        <Trans id="delivery.title">Deliver exams to {shownName}</Trans>
      </h1>
      <p>
        <Trans id="delivery.lead">
          {shownName} asks {label} for exams. Valid until {until}.
        </Trans>
      </p>
    </header>
  );
}

function Before({ name }: { name: string }) {
  const titleId = useId();
  return (
    <aside className="panel delivery-before" aria-labelledby={titleId}>
      <h2 id={titleId}>
        <Trans id="delivery.before">Before you deliver</Trans>
      </h2>
      <ol className="steps">
        <li>
          <Trans id="delivery.before.patient">
            <b>Check the patient.</b> {name} should be the name in the images.
          </Trans>
        </li>
        <li>
          <Trans id="delivery.before.exam">
            <b>Choose the exam.</b> It arrives identical, bit by bit.
          </Trans>
        </li>
        <li>
          <Trans id="delivery.before.receipt">
            <b>Keep the receipt.</b> It proves the delivery, with its time and fingerprint.
          </Trans>
        </li>
      </ol>
      <p className="field-hint">
        <Trans id="delivery.before.nothing">You see nothing of the recipient's account.</Trans>
      </p>
    </aside>
  );
}

/** A request that does not open. The server does not say why, so the page does not either. */
function Closed() {
  return (
    <div className="gate" role="alert">
      <GateBox icon={<UnlinkIcon />} />
      <div>
        <h1>
          <Trans id="delivery.closed">This request does not open</Trans>
        </h1>
        <p className="gate-lead">
          <Trans id="delivery.closed.text">
            It was used, ended or has expired, or its address was not copied whole. Ask whoever sent it for
            another.
          </Trans>
        </p>
      </div>
      <Button onClick={() => window.location.reload()}>
        <Trans id="action.retry">Try again</Trans>
      </Button>
    </div>
  );
}
