import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useAtom } from "jotai";
import type { GivenReceipt } from "../../../shared/api/receipts.ts";
import type { Study } from "../../../shared/api/studies.ts";
import { mayRetry } from "../../calls/query-client.ts";
import { Button } from "../../ui/button.tsx";
import { CopyIconButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { DownloadIcon } from "../../ui/icons.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { momentText } from "../../ui/text/moment-text.ts";
import { StudyLine } from "../studies/study-line.tsx";
import { contentText } from "../studies/study-text.ts";
import { useFoundStudy } from "../studies/use-found-study.ts";
import { historySubject } from "./history-state.ts";
import { receiptsApi } from "./receipts-api.ts";
import { useReceiptDownload } from "./use-receipt-download.ts";

/** What happened to the bytes of a study: when they were received and checked, and their fingerprint. */
export function HistoryDialog() {
  const [study, setStudy] = useAtom(historySubject.valueAtom);
  const download = useReceiptDownload();
  useFoundStudy(historySubject);
  return (
    <Dialog
      hasCross
      open={study !== undefined}
      onOpenChange={(open) => {
        if (!open) setStudy(undefined);
      }}
      title={<Trans id="history.title">History of the exam</Trans>}
      text={study && <StudyLine study={study} />}
    >
      {study && <History study={study} />}
      <div className="dialog-actions">
        <Button
          kind="lit"
          disabled={!study || download.isPending}
          onClick={() => study && download.mutate(study)}
        >
          <DownloadIcon small />
          <Trans id="receipt.download">Download receipt</Trans>
        </Button>
      </div>
    </Dialog>
  );
}

function History({ study }: { study: Study }) {
  const { i18n } = useLingui();
  const query = useQuery({
    queryKey: ["receipts", study.id, study.imagesReceived],
    queryFn: ({ signal }) => receiptsApi.list(study.id, signal),
    retry: mayRetry,
  });
  const { data } = query;
  const error = useFailure(query);
  if (error) {
    return (
      <p className="notice is-bad" role="alert">
        {error.message}
      </p>
    );
  }
  if (!data) {
    return (
      <div aria-busy="true">
        <Skeleton className="h-4 w-56" />
      </div>
    );
  }
  const [newest] = data;
  const content = contentText(i18n, study);
  return (
    <div className="exam-history">
      <ol>
        {study.integrity === "ok" && study.verifiedAt && (
          <li>
            <b>
              <Trans id="history.unchanged">Checked: {content}, no change</Trans>
            </b>
            <span>{momentText(study.verifiedAt)}</span>
          </li>
        )}
        {data.map((receipt) => (
          <Received key={receipt.root} receipt={receipt} />
        ))}
      </ol>
      {newest && <Fingerprint root={newest.root} />}
    </div>
  );
}

function Received({ receipt }: { receipt: GivenReceipt }) {
  const { from, receivedAt, images } = receipt;
  return (
    <li>
      <b>
        {from === null ? (
          <Trans id="history.received">Received</Trans>
        ) : (
          <Trans id="history.receivedFrom">Received from {from}</Trans>
        )}
      </b>
      <span>
        {momentText(receivedAt)} ·{" "}
        <Plural id="history.images" value={images} one="# image" other="# images" />
      </span>
    </li>
  );
}

function Fingerprint({ root }: { root: string }) {
  const { t } = useLingui();
  return (
    <div className="exam-fingerprint">
      <h3>
        <Trans id="history.fingerprint">Fingerprint of the exam</Trans>
      </h3>
      <p>
        <span className="mono">{root.match(/.{1,4}/g)?.join(" ")}</span>
        <CopyIconButton text={root} label={t({ id: "history.copy", message: "Copy the fingerprint" })} />
      </p>
      <a href="/verificar" target="_blank" rel="noreferrer">
        <Trans id="history.check">Check a copy of the exam</Trans>
      </a>
    </div>
  );
}
