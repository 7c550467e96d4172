import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useAtomValue } from "jotai";
import { useEffect } from "react";
import { type ViewName, viewAtom } from "../places/views.ts";
import { useHis } from "../session/his-context.ts";
import { useMenu } from "./menu-items.tsx";

/** Titles of the views without an entry of their own in the menu. */
const otherTitles: Partial<Record<ViewName, MessageDescriptor>> = {
  laudo: msg({ id: "exam.report", message: "Report" }),
  viewer: msg({ id: "exam.viewer", message: "Viewer" }),
  profile: msg({ id: "profile.title", message: "Profile" }),
};

/** The browser's title for the view that is shown, and the way past the menu for the keyboard. */
export function ViewTitle() {
  const { i18n } = useLingui();
  const { productName } = useHis();
  const view = useAtomValue(viewAtom);
  const entry = useMenu().find((item) => item.view === view);
  const other = otherTitles[view];
  const title = entry?.label ?? (other && i18n._(other)) ?? productName;
  useEffect(() => {
    document.title = title === productName ? title : `${title} · ${productName}`;
    return () => {
      document.title = productName;
    };
  }, [title, productName]);
  return (
    <button type="button" className="skip-link" onClick={() => document.getElementById("view")?.focus()}>
      <Trans id="view.skipMenu">Skip to the content</Trans>
    </button>
  );
}
