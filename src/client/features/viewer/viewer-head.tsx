import { Trans } from "@lingui/react/macro";
import { Dialog as RadixDialog } from "radix-ui";
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { CloseIcon } from "../../ui/entry-icons.tsx";
import { LayersIcon } from "../../ui/icons.tsx";

interface ViewerHeadProps {
  title: string;
  facts: ReactNode;
  onOpenVisor: () => void;
  /** Other ways to show the images. */
  children?: ReactNode;
}

/** Above OHIF in a dialog: which study it shows, our own viewer instead, and the way back. */
export function ViewerHead({ title, facts, onOpenVisor, children }: ViewerHeadProps) {
  return (
    <header className="viewer-head">
      <div className="viewer-study">
        <RadixDialog.Title className="viewer-title">{title}</RadixDialog.Title>
        <RadixDialog.Description className="viewer-line">{facts}</RadixDialog.Description>
      </div>
      <Button className="viewer-in-page" onClick={onOpenVisor}>
        <LayersIcon small />
        <span className="viewer-in-page-label">
          <Trans id="viewer.openVisor">Quick viewer</Trans>
        </span>
      </Button>
      {children}
      <RadixDialog.Close asChild>
        <Button className="viewer-close">
          <CloseIcon small />
          <Trans id="action.close">Close</Trans>
        </Button>
      </RadixDialog.Close>
    </header>
  );
}
