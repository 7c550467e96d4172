import { Trans, useLingui } from "@lingui/react/macro";
import { useAtom, useAtomValue } from "jotai";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { useSignOut } from "../session/use-sign-out.ts";
import { isUploadingAtom } from "../upload/tray/upload-jobs.ts";
import { signOutAskedAtom } from "./sign-out-asked.ts";

/** Asks before the person is signed out, where one careless tap could do it. */
export default function SignOutDialog() {
  const { t } = useLingui();
  const [isAsked, setAsked] = useAtom(signOutAskedAtom);
  const signOut = useSignOut();
  const isUploading = useAtomValue(isUploadingAtom);
  return (
    <ConfirmDialog
      open={isAsked}
      onOpenChange={setAsked}
      title={t({ id: "signOut.title", message: "Log out of your account?" })}
      text={
        isUploading ? (
          <Trans id="signOut.uploadsStop">
            Uploads stop here. They go on when you log in again in this browser, which keeps what is left to
            send. On somebody else's device, cancel them first.
          </Trans>
        ) : (
          <Trans id="signOut.text">To see your exams here again, you log in again.</Trans>
        )
      }
      dismissLabel={<Trans id="signOut.stay">Stay logged in</Trans>}
      confirmLabel={<Trans id="action.logout">Log out</Trans>}
      onConfirm={() => void signOut()}
    />
  );
}
