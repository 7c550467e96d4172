import { Trans } from "@lingui/react/macro";
import { useAtomValue } from "jotai";
import { useEffect, useEffectEvent } from "react";
import { pickToKeepAtom } from "../local-view/kept-pick.ts";
import { useHistoryStep } from "../local-view/use-history-step.ts";
import { enterHis } from "./enter-his.ts";

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

/**
 * Makes the way to keeping files a step of the history, so that Back returns to their exam instead of losing them. Once the person is
 * signed in, /his takes them over in this page, since another one would lose them.
 */
export function KeepStep({ isSignedIn, onBack }: { isSignedIn: boolean; onBack: () => void }) {
  const leave = useHistoryStep(onBack);
  const enter = useEffectEvent(() => leave(() => void enterHis())());
  useEffect(() => {
    if (isSignedIn) enter();
  }, [isSignedIn]);
  return null;
}
