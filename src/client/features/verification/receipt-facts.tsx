import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReceiptDigest } from "../../../shared/api/receipts.ts";
import { Button } from "../../ui/button.tsx";
import { ShieldAlertIcon, ShieldCheckIcon } from "../../ui/icons.tsx";
import { brasiliaText } from "../../ui/text/brasilia-text.ts";
import { sizeText } from "../../ui/text/size-text.ts";
import type { SignatureState } from "./check-signature.ts";
import { fingerprintText } from "./fingerprint-text.ts";
import { type OpenedReceipt, receiptsOf } from "./receipt-file.ts";

const signatures: Record<SignatureState, MessageDescriptor> = {
  valid: msg({ id: "verify.signature.valid", message: "This server signed this receipt" }),
  invalid: msg({
    id: "verify.signature.invalid",
    message: "This receipt was changed: its signature is wrong",
  }),
  unknown: msg({ id: "verify.signature.unknown", message: "No key of this server signed this receipt" }),
  unreachable: msg({
    id: "verify.signature.unreachable",
    message: "The signature can't be checked now: the server's keys could not be read",
  }),
};

type Said = Pick<ReceiptDigest, "root" | "receivedAt" | "from">;

/** What a receipt says, and whether it is to be believed. */
export function ReceiptFacts({ opened, onReplace }: { opened: OpenedReceipt; onReplace: () => void }) {
  const { i18n } = useLingui();
  const { digest, signature, unread = 0 } = opened;
  const receipts = receiptsOf(opened);
  const said = receipts.length > 0 ? receipts : [digest];
  // Receipts of one PDF need not be of one delivery: what one says is not true of another.
  const different = (of: (one: Said) => unknown) =>
    new Set(said.map(of)).size > 1 ? said : said.slice(0, 1);
  const isValid = signature === "valid";
  return (
    <div className="verify-receipt">
      <p className={isValid ? "verify-verdict is-ok" : "verify-verdict is-bad"} role="status">
        {isValid ? <ShieldCheckIcon /> : <ShieldAlertIcon />}
        <b>{i18n._(signatures[signature])}</b>
      </p>
      {unread > 0 && (
        <p className="notice is-bad" role="alert">
          <Plural
            id="verify.unread"
            value={unread}
            one="This PDF has one more receipt, which can't be read. Only the other exams can be checked."
            other="This PDF has # more receipts, which can't be read. Only the other exams can be checked."
          />
        </p>
      )}
      <dl className="verify-facts">
        <dt>
          <Trans id="verify.receivedAt">Received on</Trans>
        </dt>
        <dd className="grid gap-1">
          {different(({ receivedAt }) => receivedAt).map(({ root, receivedAt }) => (
            <ReceivedAt key={root} receivedAt={receivedAt} />
          ))}
        </dd>
        {said.some(({ from }) => from !== undefined) && (
          <>
            <dt>
              <Trans id="verify.from">Delivered by</Trans>
            </dt>
            <dd className="grid gap-1">
              {different(({ from }) => from).map(({ root, from = "–" }) => (
                <p key={root}>{from}</p>
              ))}
            </dd>
          </>
        )}
        <dt>
          <Trans id="verify.images">Images</Trans>
        </dt>
        <dd>
          {i18n.number(digest.images)} · {sizeText(i18n, digest.sizeBytes)}
        </dd>
        <dt>
          <Trans id="verify.fingerprint">Fingerprint</Trans>
        </dt>
        <dd className="mono grid gap-1">
          {said.map(({ root }) => (
            <p key={root}>{fingerprintText(root)}</p>
          ))}
        </dd>
        {receipts.length > 0 && (
          <>
            <dt>
              <Trans id="exam.studyUID">Study UID</Trans>
            </dt>
            <dd className="mono grid gap-1">
              {receipts.map(({ root, studyInstanceUID }) => (
                <p key={root}>{studyInstanceUID}</p>
              ))}
            </dd>
          </>
        )}
      </dl>
      <Button size="small" onClick={onReplace}>
        <Trans id="verify.replace">Another receipt</Trans>
      </Button>
    </div>
  );
}

/** As the paper says it, so that the two may be compared anywhere. */
function ReceivedAt({ receivedAt }: { receivedAt: string }) {
  const moment = brasiliaText(receivedAt);
  return (
    <p>
      <Trans id="delivery.paper.moment">{moment} (Brasília)</Trans>
    </p>
  );
}
