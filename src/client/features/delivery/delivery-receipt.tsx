import { Trans, useLingui } from "@lingui/react/macro";
import { useId } from "react";
import type { OpenedRequest } from "../../../shared/api/deliveries.ts";
import { Button } from "../../ui/button.tsx";
import { CircleCheckIcon } from "../../ui/entry-icons.tsx";
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
  const { t } = useLingui();
  const titleId = useId();
  const { shownName } = request;
  const { receipts, message } = useReceipts(delivered);
  const save = async () =>
    saveFile(
      await deliveryApi.paper(delivered.map(({ uploadId }) => uploadId)),
      t({ id: "delivery.fileName", message: "delivery-receipt.pdf" }),
    );
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
        <div className="delivery-actions">
          <Button kind="lit" size="big" disabled={!receipts} onClick={() => void save()}>
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
      {message && <p role="alert">{message}</p>}
      {!receipts && !message && <Skeleton className="h-72 w-full" />}
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
