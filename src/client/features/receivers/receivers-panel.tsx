import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import type { Receiver } from "../../../shared/api/receivers.ts";
import { Button } from "../../ui/button.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { removableRow } from "../../ui/hooks/use-focus-return.ts";
import { ServerIcon } from "../../ui/icons.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { SectionHead } from "../../ui/section-head.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { dialogIdAtom } from "../places/views.ts";
import { EndReceiverDialog } from "./end-receiver-dialog.tsx";
import { NewReceiverDialog } from "./new-receiver-dialog.tsx";
import { useReceivers } from "./receivers-api.ts";

/** `new`, or the id of the receiver to remove; a step of the history. */
const askedAtom = dialogIdAtom("receivers");
const NEW = "new";

/** AE titles to which machines send straight into the account. */
export function ReceiversPanel() {
  const query = useReceivers();
  const { data: receivers, refetch } = query;
  const error = useFailure(query);
  const [asked, setAsked] = useAtom(askedAtom);
  const ending = receivers?.find(({ id }) => id === asked);
  return (
    <section className="access" aria-labelledby="receivers-title">
      <SectionHead
        id="receivers-title"
        title={<Trans id="receivers.title">DICOM receivers</Trans>}
        lead={<Trans id="receivers.text">A machine or PACS sends straight to your account.</Trans>}
        add={{ label: <Trans id="receivers.new">New receiver</Trans>, run: () => setAsked(NEW) }}
      />
      {error && (
        <LoadError
          title={<Trans id="receivers.loadFailed">Error loading your receivers</Trans>}
          error={error}
          onRetry={refetch}
        />
      )}
      {!receivers && !error && <Skeleton shape="control" />}
      {receivers && receivers.length > 0 && (
        <div className="panel security-parts">
          {receivers.map((receiver) => (
            <ReceiverRow key={receiver.id} receiver={receiver} onEnd={() => setAsked(receiver.id)} />
          ))}
        </div>
      )}
      {asked === NEW && <NewReceiverDialog onClose={() => setAsked(undefined)} />}
      {ending && <EndReceiverDialog receiver={ending} onClose={() => setAsked(undefined)} />}
    </section>
  );
}

function ReceiverRow({ receiver, onEnd }: { receiver: Receiver; onEnd: () => void }) {
  const { t } = useLingui();
  const { aeTitle, port } = receiver;
  return (
    <div className="security-part receiver" {...removableRow}>
      <span className={`security-icon ${port === null ? "" : "is-ok"}`}>
        <ServerIcon />
      </span>
      <div className="security-said">
        <h3 className="mono">{aeTitle}</h3>
        <p>
          <Received receiver={receiver} />
        </p>
      </div>
      <span className="security-actions">
        {port !== null && (
          <span className="dot is-ok">
            <Trans id="receivers.active">Active</Trans>
          </span>
        )}
        <Button
          kind="quiet"
          aria-label={t({ id: "receivers.endNamed", message: `Remove the receiver ${aeTitle}` })}
          onClick={onEnd}
        >
          <Trans id="receivers.end">Remove</Trans>
        </Button>
      </span>
      <dl>
        <dt>
          <Trans id="receivers.address">Address</Trans>
        </dt>
        <dd>
          <Address receiver={receiver} />
        </dd>
        <dt>
          <Trans id="receivers.whoSends">Who may send</Trans>
        </dt>
        <dd>
          <Senders receiver={receiver} />
        </dd>
        <Refused receiver={receiver} />
      </dl>
    </div>
  );
}

/** A sender needs both, where both are named. */
function Senders({ receiver: { callingAETitles, addresses } }: { receiver: Receiver }) {
  const [titles, places] = [callingAETitles.join(", "), addresses.join(", ")];
  if (titles && places)
    return (
      <Trans id="receivers.titlesAt">
        <span className="mono">{titles}</span>, only from <span className="mono">{places}</span>
      </Trans>
    );
  const either = titles || places;
  return either ? <span className="mono">{either}</span> : <Trans id="receivers.anyone">anyone</Trans>;
}

function Received({ receiver: { instances, lastReceived } }: { receiver: Receiver }) {
  if (!lastReceived) return <Trans id="receivers.nothingYet">nothing received yet</Trans>;
  const day = dayText(lastReceived.at);
  const { callingAETitle } = lastReceived;
  return (
    <Trans id="receivers.received">
      <Plural value={instances} one="# image" other="# images" />, last on {day} from {callingAETitle}
    </Trans>
  );
}

function Address({ receiver: { port, tls } }: { receiver: Receiver }) {
  if (port === null) return <Trans id="receivers.off">this server does not receive by DICOM now</Trans>;
  const address = `${location.hostname} : ${port}${tls ? " (TLS)" : ""}`;
  return <span className="mono">{address}</span>;
}

function Refused({ receiver: { refusals, lastRefused } }: { receiver: Receiver }) {
  if (!lastRefused) return null;
  const day = dayText(lastRefused.at);
  const { callingAETitle } = lastRefused;
  return (
    <>
      <dt>
        <Trans id="receivers.refused">Refused</Trans>
      </dt>
      <dd>
        <Trans id="receivers.refusals">
          <Plural value={refusals} one="# attempt" other="# attempts" />, last on {day} by {callingAETitle}
        </Trans>
      </dd>
    </>
  );
}
