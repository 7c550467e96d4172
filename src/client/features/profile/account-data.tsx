import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { startBrowserDownload } from "../../start-browser-download.ts";
import { Button } from "../../ui/button.tsx";
import { DownloadIcon, TrashIcon } from "../../ui/icons.tsx";
import { showToast } from "../../ui/toast.tsx";
import { openAtom } from "../places/views.ts";
import { DeleteAccountDialog } from "./delete-account-dialog.tsx";
import { profileApi } from "./profile-api.ts";

const isDeletingAccountAtom = openAtom("delete-account");

/** The person's legal rights over their data: export and deletion. */
export function AccountData() {
  const [isAsking, setAsking] = useAtom(isDeletingAccountAtom);
  const exported = useExport();
  return (
    <section className="panel profile-data" aria-labelledby="profile-data-title">
      <h2 id="profile-data-title">
        <Trans id="profile.data.title">Everything kept here</Trans>
      </h2>
      <p>
        <Trans id="profile.data.text">
          One file with your images exactly as you sent them, your PDFs and your account data. It works
          whatever your subscription says and takes no action from your plan.
        </Trans>
      </p>
      <div className="profile-data-actions">
        <Button disabled={exported.isPending} onClick={() => exported.mutate()}>
          <DownloadIcon small />
          {exported.isPending ? (
            <Trans id="profile.data.preparing">Preparing…</Trans>
          ) : (
            <Trans id="profile.data.download">Download my data</Trans>
          )}
        </Button>
        <Button onClick={() => setAsking(true)}>
          <TrashIcon small />
          <Trans id="profile.delete.open">Delete my account</Trans>
        </Button>
      </div>
      {isAsking && <DeleteAccountDialog onClose={() => setAsking(false)} />}
    </section>
  );
}

function useExport() {
  const { t } = useLingui();
  return useMutation({
    mutationFn: profileApi.exportTicket,
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
