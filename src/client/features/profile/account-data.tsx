import { Trans } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { Button } from "../../ui/button.tsx";
import { TrashIcon } from "../../ui/icons.tsx";
import { openAtom } from "../places/views.ts";
import { DownloadMyData } from "../session/download-my-data.tsx";
import { DeleteAccountDialog } from "./delete-account-dialog.tsx";

const isDeletingAccountAtom = openAtom("delete-account");

/** The person's legal rights over their data: export and deletion. */
export function AccountData() {
  const [isAsking, setAsking] = useAtom(isDeletingAccountAtom);
  return (
    <section className="panel profile-data" aria-labelledby="profile-data-title">
      <h2 id="profile-data-title">
        <Trans id="profile.data.title">Everything kept here</Trans>
      </h2>
      <p>
        <Trans id="profile.data.text">
          One file with all your images unaltered, your PDFs and your account data. It works whatever the
          state of your subscription, and uses none of your plan's actions.
        </Trans>
      </p>
      <div className="profile-data-actions">
        <DownloadMyData />
        <Button onClick={() => setAsking(true)}>
          <TrashIcon small />
          <Trans id="profile.delete.open">Delete my account</Trans>
        </Button>
      </div>
      {isAsking && <DeleteAccountDialog onClose={() => setAsking(false)} />}
    </section>
  );
}
