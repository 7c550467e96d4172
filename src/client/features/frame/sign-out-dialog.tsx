import { Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { useSignOut } from "../session/use-sign-out.ts";
import { signOutAskedAtom } from "./sign-out-asked.ts";

/** Asks before the person is signed out, where one careless tap could do it. */
export default function SignOutDialog() {
  const { t } = useLingui();
  const [isAsked, setAsked] = useAtom(signOutAskedAtom);
  const signOut = useSignOut();
  return (
    <ConfirmDialog
      open={isAsked}
      onOpenChange={setAsked}
      title={t({ id: "signOut.title", message: "Log out of your account?" })}
      text={<Trans id="signOut.text">To see your exams here again, you log in again.</Trans>}
      dismissLabel={<Trans id="signOut.stay">Stay logged in</Trans>}
      confirmLabel={<Trans id="action.logout">Log out</Trans>}
      onConfirm={() => void signOut()}
    />
  );
}
