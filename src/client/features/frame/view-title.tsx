import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useAtomValue } from "jotai";
import { useEffect } from "react";
import { type ViewName, viewAtom } from "../places/views.ts";
import { useHis } from "../session/his-context.ts";

const titles: Record<ViewName, MessageDescriptor> = {
  welcome: msg({ id: "menu.welcome", message: "Home" }),
  uploadExames: msg({ id: "menu.upload", message: "Upload exams" }),
  listaExames: msg({ id: "menu.exams", message: "Exams" }),
  laudo: msg({ id: "exam.report", message: "Report" }),
  viewer: msg({ id: "exam.viewer", message: "Viewer" }),
  examesLab: msg({ id: "menu.labs", message: "Laboratory" }),
  profile: msg({ id: "profile.title", message: "Profile" }),
  users: msg({ id: "menu.users", message: "Manage users" }),
  subscription: msg({ id: "menu.subscription", message: "Subscription" }),
  paymentHistory: msg({ id: "menu.payments", message: "Payments" }),
  integrity: msg({ id: "menu.integrity", message: "Integrity" }),
  support: msg({ id: "menu.support", message: "Support" }),
};

/** The browser's title for the view that is shown, and the way past the menu for the keyboard. */
export function ViewTitle() {
  const { i18n } = useLingui();
  const { productName } = useHis();
  const title = i18n._(titles[useAtomValue(viewAtom)]);
  useEffect(() => {
    document.title = `${title} · ${productName}`;
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
