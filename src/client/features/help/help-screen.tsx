import { Trans, useLingui } from "@lingui/react/macro";
import { Suspense, useState } from "react";
import type { IslandProps } from "../../../shared/islands.ts";
import { buttonClass } from "../../ui/button.tsx";
import { useFragmentChange } from "../../ui/hooks/use-fragment-change.ts";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { SampleButton } from "../sample/sample-button.tsx";
import { PublicPage } from "../visit/public-page.tsx";
import { HelpArticle } from "./help-article.tsx";

const SampleOverlay = lazyChunk(() => import("../sample/sample-overlay.tsx"));

/** In the address while the sample exam is open, so that Back closes it. */
const SAMPLE = "#exemplo";

/** `/ajuda`: help and the sample exam, for people without an account. */
export default function HelpScreen({ productName }: IslandProps<"help">) {
  const { t } = useLingui();
  const title = t({ id: "help.title", message: "Help" });
  const [isSampleOpen, openSample, closeSample] = useSampleInAddress();
  return (
    <PublicPage productName={productName}>
      <h1 className="help-title">{title}</h1>
      <HelpArticle />
      <div className="help-actions">
        <a className={buttonClass({ kind: "lit", size: "big" })} href="/">
          <Trans id="help.enter">Log in or create an account</Trans>
        </a>
        <SampleButton onOpen={openSample} />
      </div>
      {isSampleOpen && (
        <Suspense>
          <SampleOverlay onClose={closeSample} />
        </Suspense>
      )}
    </PublicPage>
  );
}

function useSampleInAddress() {
  const [isOpen, setOpen] = useState(() => window.location.hash === SAMPLE);
  useFragmentChange(() => setOpen(window.location.hash === SAMPLE));
  const open = () => {
    window.location.hash = SAMPLE;
  };
  const close = () => {
    window.history.replaceState(null, "", window.location.pathname);
    setOpen(false);
  };
  return [isOpen, open, close] as const;
}
