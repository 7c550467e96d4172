import { Trans } from "@lingui/react/macro";
import { Tabs } from "radix-ui";
import type { ReactNode } from "react";
import { QrCodeIcon, StethoscopeIcon } from "../../ui/icons.tsx";

export type ShareWay = "link" | "people";

interface ShareTabsProps {
  way: ShareWay;
  onWay: (way: ShareWay) => void;
  byLink: ReactNode;
  byAccount: ReactNode;
  /** While exams are being shared with an account. */
  isBusy?: boolean;
}

/** The two ways to share, the link first. */
export function ShareTabs({ way, onWay, byLink, byAccount, isBusy = false }: ShareTabsProps) {
  return (
    <Tabs.Root value={way} onValueChange={(value) => onWay(value as ShareWay)} className="share-tabs">
      <Tabs.List className="tabs">
        <Tabs.Trigger value="link" disabled={isBusy}>
          <QrCodeIcon small />
          <Trans id="share.byLink">By link or QR code</Trans>
        </Tabs.Trigger>
        <Tabs.Trigger value="people">
          <StethoscopeIcon small />
          <Trans id="share.byAccount">With a doctor who has an account</Trans>
        </Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="link" className="tab">
        {byLink}
      </Tabs.Content>
      <Tabs.Content value="people" className="tab">
        {byAccount}
      </Tabs.Content>
    </Tabs.Root>
  );
}
