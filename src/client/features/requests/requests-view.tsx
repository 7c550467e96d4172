import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import type { CreatedRequest, Request } from "../../../shared/api/deliveries.ts";
import { Button, type ButtonProps, IconButton } from "../../ui/button.tsx";
import { Dropdown, DropdownItem } from "../../ui/dropdown.tsx";
import { EmptyFilm } from "../../ui/empty.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { useOpener } from "../../ui/hooks/use-opener.ts";
import { useOwnEscape } from "../../ui/hooks/use-own-escape.ts";
import type { Icon } from "../../ui/icon.tsx";
import {
  EllipsisIcon,
  InboxIcon,
  PackageIcon,
  PlusIcon,
  QrCodeIcon,
  UnlinkIcon,
  UploadIcon,
} from "../../ui/icons.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useHis } from "../session/his-context.ts";
import { NewRequestDialog } from "./new-request-dialog.tsx";
import { ReceivedActions } from "./received-actions.tsx";
import { RequestLine } from "./request-line.tsx";
import { RequestReady } from "./request-ready.tsx";
import { useEndRequest, useRequests } from "./use-requests.ts";

/** Requests for exams: what clinics were asked for, and what they delivered. */
export default function RequestsView() {
  const requests = useRequests();
  const error = useFailure(requests);
  const [asked, setAsked] = useState<string>();
  const [ready, setReady] = useState<CreatedRequest>();
  const isEmpty = requests.data?.length === 0;
  const opener = useOpener(asked !== undefined);
  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="requests.title">Receive from a clinic</Trans>
        </h1>
        {!isEmpty && <NewButton onClick={() => setAsked("")} />}
      </div>
      {requests.data === undefined && !error && <Skeleton className="h-40 w-full" />}
      {requests.data === undefined && error && (
        <LoadError
          title={<Trans id="requests.failed">Your requests could not be loaded</Trans>}
          error={error}
          onRetry={() => requests.refetch()}
        />
      )}
      {isEmpty && <Empty onNew={() => setAsked("")} />}
      {requests.data && !isEmpty && (
        <div className="requests">
          <div>
            <ul className="panel">
              {requests.data.map((request) => (
                <RequestRow key={request.id} request={request} onRenew={() => setAsked(request.label)} />
              ))}
            </ul>
            <p className="field-hint">
              <Trans id="requests.hint">
                Each request serves one delivery. The clinic does not see your exams.
              </Trans>
            </p>
          </div>
          <HowItWorks />
        </div>
      )}
      {asked !== undefined && (
        <NewRequestDialog
          label={asked}
          onClose={() => setAsked(undefined)}
          onMade={(made) => {
            setAsked(undefined);
            setReady(made);
          }}
        />
      )}
      {ready && <RequestReady request={ready} returnTo={opener} onClose={() => setReady(undefined)} />}
    </>
  );
}

function NewButton(props: Pick<ButtonProps, "size" | "onClick">) {
  const { isActive } = useHis();
  return (
    <Button kind="lit" disabled={!isActive} {...props}>
      <PlusIcon small />
      <Trans id="requests.new">New request</Trans>
    </Button>
  );
}

function Empty({ onNew }: { onNew: () => void }) {
  return (
    <section className="empty">
      <div className="light-box" aria-hidden="true">
        <EmptyFilm />
      </div>
      <div>
        <h2>
          <Trans id="requests.none">No CD, no USB stick</Trans>
        </h2>
        <p>
          <Trans id="requests.none.text">
            Create a request and show the QR code at the clinic. The exam arrives here, whole.
          </Trans>
        </p>
      </div>
      <NewButton size="big" onClick={onNew} />
    </section>
  );
}

const icons: Record<Request["state"], Icon> = {
  open: QrCodeIcon,
  sending: UploadIcon,
  received: PackageIcon,
  expired: InboxIcon,
  ended: UnlinkIcon,
};

function RequestRow({ request, onRenew }: { request: Request; onRenew: () => void }) {
  const { state, label, uses } = request;
  const RowIcon = icons[state];
  return (
    <li className={`request is-${state}`}>
      <span className="request-icon" aria-hidden="true">
        <RowIcon />
      </span>
      <div className="request-text">
        <b>{label}</b>
        <span>
          <RequestLine request={request} />
        </span>
        {uses > 1 && (
          <span>
            <Plural id="request.uses" value={uses} one="# delivery" other="# deliveries" />
          </span>
        )}
      </div>
      <div className="request-actions">
        <StateChip state={state} />
        <RowActions request={request} onRenew={onRenew} />
      </div>
    </li>
  );
}

function StateChip({ state }: Pick<Request, "state">) {
  switch (state) {
    case "open":
      return (
        <span className="state-chip is-on">
          <Trans id="request.state.open">Open</Trans>
        </span>
      );
    case "sending":
      return (
        <span className="state-chip is-on">
          <Trans id="request.state.sending">Uploading</Trans>
        </span>
      );
    case "received":
      return (
        <span className="state-chip is-ok">
          <Trans id="request.state.received">Received</Trans>
        </span>
      );
    case "expired":
      return (
        <span className="state-chip">
          <Trans id="request.state.expired">Expired</Trans>
        </span>
      );
    case "ended":
      return (
        <span className="state-chip">
          <Trans id="request.state.ended">Ended</Trans>
        </span>
      );
  }
}

function RowActions({ request, onRenew }: { request: Request; onRenew: () => void }) {
  const { t } = useLingui();
  const ending = useEndRequest();
  const [asksAgain, setAsksAgain] = useState(false);
  // A person who keeps the request comes back to the menu.
  const [isKept, setKept] = useState(false);
  const keep = () => {
    setAsksAgain(false);
    setKept(true);
  };
  const { state, label, deliveries, id } = request;
  if (state === "expired" || state === "ended")
    return (
      <Button
        size="small"
        kind="quiet"
        aria-label={t({ id: "request.renewOf", message: `Renew: ${label}` })}
        onClick={onRenew}
      >
        <Trans id="request.renew">Renew</Trans>
      </Button>
    );
  if (state === "open" || state === "sending")
    return asksAgain ? (
      <EndQuestion isBusy={ending.isPending} onKeep={keep} onEnd={() => ending.mutate(id)} />
    ) : (
      <Dropdown
        trigger={
          <IconButton autoFocus={isKept} label={t({ id: "request.more", message: `More actions: ${label}` })}>
            <EllipsisIcon />
          </IconButton>
        }
      >
        <DropdownItem danger onSelect={() => setAsksAgain(true)}>
          <UnlinkIcon />
          <Trans id="request.end">End</Trans>
        </DropdownItem>
      </Dropdown>
    );
  return <ReceivedActions deliveries={deliveries} label={label} />;
}

interface EndQuestionProps {
  isBusy: boolean;
  onKeep: () => void;
  onEnd: () => void;
}

function EndQuestion({ isBusy, onKeep, onEnd }: EndQuestionProps) {
  const question = useOwnEscape<HTMLDivElement>(() => !isBusy && onKeep());
  return (
    <div ref={question} className="contents">
      <Button autoFocus size="small" disabled={isBusy} onClick={onKeep}>
        <Trans id="request.keep">Keep</Trans>
      </Button>
      <Button size="small" kind="destroy" disabled={isBusy} onClick={onEnd}>
        <Trans id="request.endNow">End now</Trans>
      </Button>
    </div>
  );
}

function HowItWorks() {
  const titleId = useId();
  return (
    <aside className="panel delivery-before" aria-labelledby={titleId}>
      <h2 id={titleId}>
        <Trans id="requests.how">How it works</Trans>
      </h2>
      <ol className="steps">
        <li>
          <Trans id="requests.how.ask">
            <b>Create a request</b> and show the QR code at the desk, or send the link.
          </Trans>
        </li>
        <li>
          <Trans id="requests.how.deliver">
            <b>The clinic delivers</b> on the page, without an account and without a CD.
          </Trans>
        </li>
        <li>
          <Trans id="requests.how.receive">
            <b>You receive</b> the exam here, and the clinic takes a receipt. For 7 days you may refuse it
            without using an action.
          </Trans>
        </li>
      </ol>
    </aside>
  );
}
