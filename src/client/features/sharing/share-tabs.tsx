import { Trans } from "@lingui/react/macro";
import { Tabs } from "radix-ui";
import type { ReactNode } from "react";

interface ShareTabsProps {
  byLink: ReactNode;
  byAccount: ReactNode;
  /** While exams are being shared with an account. */
  isBusy?: boolean;
}

/** The two ways to share, the link first. */
export function ShareTabs({ byLink, byAccount, isBusy = false }: ShareTabsProps) {
  return (
    <Tabs.Root defaultValue="link" className="share-tabs">
      <Tabs.List className="tabs">
        <Tabs.Trigger value="link" disabled={isBusy}>
          <Trans id="share.byLink">By link or QR code</Trans>
        </Tabs.Trigger>
        <Tabs.Trigger value="people">
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
