import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { type ExportTicket, exportTicketCall } from "../../../shared/api/users.ts";
import { callJson } from "../../calls/api.ts";
import { startBrowserDownload } from "../../runtime/start-browser-download.ts";
import { Button } from "../../ui/button.tsx";
import { DownloadIcon } from "../../ui/icons.tsx";
import { showToast } from "../../ui/toast.tsx";

/** Has the browser download everything that the account keeps, whatever the subscription says. */
export function DownloadMyData() {
  const exported = useExport();
  return (
    <Button disabled={exported.isPending} onClick={() => exported.mutate()}>
      <DownloadIcon small />
      {exported.isPending ? (
        <Trans id="profile.data.preparing">Preparing…</Trans>
      ) : (
        <Trans id="profile.data.download">Download my data</Trans>
      )}
    </Button>
  );
}

function useExport() {
  const { t } = useLingui();
  return useMutation({
    mutationFn: (): Promise<ExportTicket> => callJson(exportTicketCall, {}),
    onSuccess: ({ url, fileName }) => {
      startBrowserDownload(url, fileName);
      showToast({
        tone: "ok",
        title: t({ id: "profile.data.started", message: "Download started" }),
        text: t({ id: "download.handedOver", message: `Your browser is saving ${fileName}.` }),
      });
    },
    onError: (error) => {
      const title = t({ id: "profile.data.failed", message: "Your data could not be prepared" });
      showToast({ tone: "bad", title, text: error.message });
    },
  });
}
