import { Trans } from "@lingui/react/macro";
import { useAtomValue } from "jotai";
import { pickToKeepAtom } from "../local-view/kept-pick.ts";

/** Says over the sign-in form which files wait for it. */
export function KeepNotice() {
  const picked = useAtomValue(pickToKeepAtom);
  const name = picked && (picked.kind === "zip" ? picked.file.name : picked.name);
  return (
    <p className="notice" role="status">
      <span>
        <Trans id="local.keepNotice">
          Log in or create an account to keep {name}. The files stay in this page until then.
        </Trans>
      </span>
    </p>
  );
}
