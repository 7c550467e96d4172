import { Trans, useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import type { OpenedRequest } from "../../../shared/api/deliveries.ts";
import { ApiError } from "../../calls/api.ts";
import { Button } from "../../ui/button.tsx";
import { CircleAlertIcon, CircleCheckIcon } from "../../ui/entry-icons.tsx";
import { ErrorCard } from "../../ui/error-card.tsx";
import { DownloadIcon, PrinterIcon } from "../../ui/icons.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { saveFile } from "../pdf/save-file.ts";
import { deliveryApi } from "./delivery-api.ts";
import { DeliveryPaper } from "./delivery-paper.tsx";
import type { Delivered, ReadStudy, RefusedUpload } from "./delivery-state.ts";
import { RefusedNotices } from "./left-out.tsx";
import { useReceipts } from "./use-receipts.ts";

interface DeliveryReceiptProps {
  productName: string;
  request: OpenedRequest;
  from: string;
  delivered: readonly Delivered[];
  studies?: readonly ReadStudy[] | undefined;
  refused?: readonly RefusedUpload[] | undefined;
  onMore: () => void;
}

/** What the clinic takes along: the receipt on the screen, as PDF and on paper. */
export function DeliveryReceipt({
  productName,
  request,
  from,
  delivered,
  studies,
  refused = [],
  onMore,
}: DeliveryReceiptProps) {
  const titleId = useId();
  const { shownName } = request;
  const { receipts, message, retry } = useReceipts(delivered);
  const paper = useDownloadedPaper(delivered);
  const notices = new Set([receipts && message, paper.message].filter((text) => text !== undefined));
  return (
    <div className="delivery is-done">
      <aside aria-labelledby={titleId}>
        <p className="delivery-ok">
          <CircleCheckIcon />
          <b>
            <Trans id="delivery.done">Delivered</Trans>
          </b>
        </p>
        <h2 id={titleId}>
          <Trans id="delivery.has">{shownName} has the exams</Trans>
        </h2>
        <RefusedNotices refused={refused} />
        {[...notices].map((text) => (
          <p key={text} className="notice is-bad" role="alert">
            <CircleAlertIcon />
            {text}
          </p>
        ))}
        <div className="delivery-actions">
          <Button kind="lit" size="big" disabled={!receipts || paper.isBusy} onClick={paper.download}>
            <DownloadIcon small />
            <Trans id="delivery.pdf">Download PDF</Trans>
          </Button>
          <Button size="big" disabled={!receipts} onClick={() => window.print()}>
            <PrinterIcon small />
            <Trans id="pdf.print">Print</Trans>
          </Button>
          <Button size="big" kind="quiet" onClick={onMore}>
            <Trans id="delivery.more">Deliver another file</Trans>
          </Button>
        </div>
      </aside>
      {!receipts && message === undefined && <Skeleton className="h-72 w-full" />}
      {!receipts && message !== undefined && (
        <ErrorCard
          title={<Trans id="delivery.receiptFailed">The receipt could not be read</Trans>}
          action={{ label: <Trans id="action.retry">Try again</Trans>, run: retry }}
        >
          {message}
        </ErrorCard>
      )}
      {receipts && (
        <DeliveryPaper
          productName={productName}
          receipts={receipts}
          from={from}
          to={shownName}
          studies={studies}
        />
      )}
    </div>
  );
}

/** The receipt as PDF, which the server draws for each download. */
function useDownloadedPaper(delivered: readonly Delivered[]) {
  const { t } = useLingui();
  const [isBusy, setBusy] = useState(false);
  const [message, setMessage] = useState<string>();
  const download = async () => {
    setBusy(true);
    setMessage(undefined);
    try {
      const file = await deliveryApi.paper(delivered.map(({ uploadId }) => uploadId));
      saveFile(file, t({ id: "delivery.fileName", message: "delivery-receipt.pdf" }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setMessage(error.message);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, message, download: () => void download() };
}
