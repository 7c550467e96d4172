import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useAtomValue } from "jotai";
import { Dialog as RadixDialog } from "radix-ui";
import { useState } from "react";
import { ApiError } from "../../calls/api.ts";
import { languageAtom } from "../../preferences.ts";
import { refreshSessionUser } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { useSecondPress } from "../../ui/hooks/use-second-press.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { showToast } from "../../ui/toast.tsx";
import { LanguageSwitch } from "../preferences/language-switch.tsx";
import { useHis } from "../session/his-context.ts";
import { useSignOut } from "../session/use-sign-out.ts";
import { termsApi } from "./terms-api.ts";
import { loadTerms } from "./terms-text.ts";

/** Covers /his until the terms are accepted. Neither Escape nor a click outside closes it. */
export default function TermsDialog() {
  useSecondPress(true);
  return (
    <RadixDialog.Root open>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="scrim">
          <RadixDialog.Content
            className="dialog terms"
            onOpenAutoFocus={focusText}
            onCloseAutoFocus={focusView}
            aria-describedby={undefined}
          >
            <div className="terms-head">
              <RadixDialog.Title className="dialog-title">
                <Trans id="terms.title">Terms of use</Trans>
              </RadixDialog.Title>
              <LanguageSwitch />
            </div>
            <PlainSummary />
            <TermsText />
            <Answer />
          </RadixDialog.Content>
        </RadixDialog.Overlay>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

/** What the product does today, in plain words; the terms below it are the operator's text. */
function PlainSummary() {
  return (
    <p className="terms-summary">
      <b>
        <Trans id="terms.summary.title">In short:</Trans>
      </b>{" "}
      <Trans id="terms.summary">
        you pay by Pix, one period at a time. We ask for no credit card, and nothing is charged until you pay
        another Pix. Cancelling deletes your exams, so download them first.
      </Trans>
    </p>
  );
}

/** The focus starts on the text, even while it is loading. */
function focusText(event: Event): void {
  event.preventDefault();
  if (event.target instanceof HTMLElement) event.target.querySelector<HTMLElement>(".terms-text")?.focus();
}

/** Whoever accepted the terms begins at the top of what they covered; nothing there had the focus before. */
function focusView(event: Event): void {
  event.preventDefault();
  const view = document.getElementById("view");
  const heading = view?.querySelector("h1");
  if (heading) heading.tabIndex = -1;
  (heading ?? view)?.focus({ preventScroll: true });
}

function TermsText() {
  const { t } = useLingui();
  const locale = useAtomValue(languageAtom);
  // Without its text the dialog can't be answered, so the surrounding boundary shows the failure.
  const { data: parts } = useQuery({
    queryKey: ["terms", locale],
    queryFn: () => loadTerms(locale),
    throwOnError: true,
  });
  return (
    <section
      className="terms-text"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so people with only a keyboard must be able to focus it
      tabIndex={0}
      aria-label={t({ id: "terms.text", message: "Text of the terms" })}
    >
      {parts === undefined ? (
        <Skeleton className="h-40" />
      ) : (
        parts.map(({ heading, points }) => (
          <div key={heading}>
            {heading && <h3>{heading}</h3>}
            <ul>
              {points.map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
          </div>
        ))
      )}
    </section>
  );
}

function Answer() {
  const { t } = useLingui();
  const [hasRead, setHasRead] = useState(false);
  const { isBusy, accept } = useAcceptance();
  const signOut = useSignOut();
  const decline = () =>
    showToast({
      tone: "bad",
      title: t({ id: "common.error", message: "Error" }),
      text: t({ id: "terms.mustAccept", message: "You must accept the terms to use the system." }),
    });
  return (
    <>
      <Checkbox
        label={<Trans id="terms.read">I have read the terms and agree to them</Trans>}
        checked={hasRead}
        disabled={isBusy}
        onCheckedChange={setHasRead}
      />
      <div className="dialog-actions terms-actions">
        <Button kind="quiet" onClick={() => void signOut()}>
          <Trans id="action.logout">Log out</Trans>
        </Button>
        <Button disabled={isBusy} onClick={decline}>
          <Trans id="terms.decline">Decline</Trans>
        </Button>
        <Button kind="lit" disabled={!hasRead || isBusy} onClick={() => void accept()}>
          {isBusy ? <Trans id="action.saving">Saving…</Trans> : <Trans id="terms.accept">Accept</Trans>}
        </Button>
      </div>
    </>
  );
}

function useAcceptance() {
  const { t } = useLingui();
  const { user } = useHis();
  const [isBusy, setBusy] = useState(false);
  const accept = async () => {
    setBusy(true);
    try {
      const { termsAcceptedAt } = await termsApi.accept();
      refreshSessionUser({ ...user, termsAcceptedAt });
    } catch (error) {
      setBusy(false);
      if (!(error instanceof ApiError)) throw error;
      showToast({ tone: "bad", title: t({ id: "common.error", message: "Error" }), text: error.message });
    }
  };
  return { isBusy, accept };
}
