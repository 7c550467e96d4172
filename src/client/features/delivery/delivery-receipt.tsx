import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import type { OpenedRequest } from "../../../shared/api/deliveries.ts";
import type { Receipt } from "../../../shared/api/receipts.ts";
import type { UploadAnswer } from "../../../shared/api/upload.ts";
import { ApiError } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { CircleCheckIcon } from "../../ui/entry-icons.tsx";
import { DownloadIcon, PrinterIcon } from "../../ui/icons.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { saveFile } from "../pdf/save-file.ts";
import { wait } from "../upload/follow/wait.ts";
import { deliveryApi } from "./delivery-api.ts";

interface DeliveryReceiptProps {
  productName: string;
  request: OpenedRequest;
  from: string;
  uploadId: string;
  answer: UploadAnswer;
  onMore: () => void;
}

/** What the clinic takes along: the receipt on the screen, as PDF and on paper. */
export function DeliveryReceipt({
  productName,
  request,
  from,
  uploadId,
  answer,
  onMore,
}: DeliveryReceiptProps) {
  const { t } = useLingui();
  const { shownName } = request;
  const papers = answer.studies.map(({ id }, index) => ({ id, number: index + 1 }));
  const [first] = papers;
  const { receipt, message } = useReceipt(uploadId, first?.id ?? "");
  const save = async (study: string) => {
    const paper = await deliveryApi.paper(uploadId, study);
    saveFile(paper, t({ id: "delivery.fileName", message: "delivery-receipt.pdf" }));
  };
  return (
    <div className="delivery is-done">
      <aside>
        <p className="delivery-ok">
          <CircleCheckIcon />
          <b>
            <Trans id="delivery.done">Delivered</Trans>
          </b>
        </p>
        <h2>
          <Trans id="delivery.has">{shownName} has the exams</Trans>
        </h2>
        <div className="delivery-actions">
          {papers.map(({ id, number }) => (
            <Button
              key={id}
              kind={number === 1 ? "lit" : "outline"}
              size="big"
              disabled={!receipt}
              onClick={() => void save(id)}
            >
              <DownloadIcon small />
              {papers.length === 1 ? (
                <Trans id="delivery.pdf">Download PDF</Trans>
              ) : (
                <Trans id="delivery.pdfOf">Download PDF {number}</Trans>
              )}
            </Button>
          ))}
          <Button size="big" disabled={!receipt} onClick={() => window.print()}>
            <PrinterIcon small />
            <Trans id="pdf.print">Print</Trans>
          </Button>
          <Button size="big" kind="quiet" onClick={onMore}>
            <Trans id="delivery.more">Deliver another file</Trans>
          </Button>
        </div>
      </aside>
      {message && <p role="alert">{message}</p>}
      {!receipt && !message && <Skeleton className="h-72 w-full" />}
      {receipt && (
        <Paper productName={productName} receipt={receipt} from={from} to={shownName} exams={papers.length} />
      )}
    </div>
  );
}

interface PaperProps {
  productName: string;
  receipt: Receipt;
  from: string;
  to: string;
  exams: number;
}

function Paper({ productName, receipt, from, to, exams }: PaperProps) {
  const { i18n } = useLingui();
  const { receivedAt, root, instances } = receipt;
  const moment = i18n.date(receivedAt, {
    ...{ dateStyle: "short", timeStyle: "medium" },
    timeZone: "America/Sao_Paulo",
  });
  const number = `${receivedAt.slice(0, 10)}-${root.slice(0, 4)}-${root.slice(4, 8)}`.toUpperCase();
  return (
    <article className="delivery-paper">
      <div className="delivery-paper-head">
        <div>
          <h1>
            <Trans id="delivery.paper">Delivery receipt</Trans>
          </h1>
          <span className="mono">{number}</span>
        </div>
        <b>{productName}</b>
      </div>
      <dl>
        <dt>
          <Trans id="delivery.paper.from">Delivered by</Trans>
        </dt>
        <dd>{from}</dd>
        <dt>
          <Trans id="delivery.paper.to">Delivered to</Trans>
        </dt>
        <dd>{to}</dd>
        <dt>
          <Trans id="delivery.paper.at">Received on</Trans>
        </dt>
        <dd>
          <Trans id="delivery.paper.moment">{moment} (Brasília)</Trans>
        </dd>
        <dt>
          <Trans id="delivery.paper.images">Images</Trans>
        </dt>
        <dd>{i18n.number(instances.length)}</dd>
      </dl>
      <b>
        <Trans id="delivery.paper.fingerprint">Fingerprint of the delivery</Trans>
      </b>
      <p className="mono">{root.replace(/(.{4})(?!$)/g, "$1 ")}</p>
      <p>
        {exams > 1 ? (
          <Trans id="delivery.paper.first">
            This is the first of {exams} exams. Each has a PDF with a QR code to check it.
          </Trans>
        ) : (
          <Trans id="delivery.paper.check">
            If a single bit changes, this number changes. The PDF has a QR code to check it.
          </Trans>
        )}
      </p>
    </article>
  );
}

const MAX_TRIES = 30;

/** The receipt of a study, once it is made: every image is read for it. */
function useReceipt(uploadId: string, study: string) {
  const [made, setMade] = useState<{ receipt?: Receipt; message?: string }>({});
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    void readReceipt(uploadId, study, signal).then((read) => {
      if (!signal.aborted) setMade(read);
    });
    return () => controller.abort();
  }, [uploadId, study]);
  return made;
}

async function readReceipt(
  uploadId: string,
  study: string,
  signal: AbortSignal,
): Promise<{ receipt?: Receipt; message?: string }> {
  for (let tries = 1; ; tries++) {
    try {
      return { receipt: (await deliveryApi.receipt(uploadId, study)).receipt };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const mayPass = error.status === 0 || error.status >= 500 || error.status === 429;
      if (!mayPass || tries >= MAX_TRIES) return { message: error.message };
    }
    await wait(2_000, signal).catch(() => undefined);
    if (signal.aborted) return {};
  }
}
