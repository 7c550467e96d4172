import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

const actions: Record<string, MessageDescriptor> = {
  "study.uploaded": msg({ id: "audit.study.uploaded", message: "uploaded" }),
  "study.opened": msg({ id: "audit.study.opened", message: "opened the images" }),
  "study.downloaded": msg({ id: "audit.study.downloaded", message: "downloaded" }),
  "study.renamed": msg({ id: "audit.study.renamed", message: "changed the description" }),
  "study.granted": msg({ id: "audit.study.granted", message: "gave access" }),
  "study.revoked": msg({ id: "audit.study.revoked", message: "removed access" }),
  "link.created": msg({ id: "audit.link.created", message: "made a link" }),
  "link.opened": msg({ id: "audit.link.opened", message: "opened the link" }),
  "link.ended": msg({ id: "audit.link.ended", message: "ended a link" }),
  "link.blocked": msg({ id: "audit.link.blocked", message: "ended the link by wrong passcodes" }),
  "study.offered": msg({ id: "audit.study.offered", message: "invited a doctor" }),
  "study.offer_withdrawn": msg({ id: "audit.study.offerWithdrawn", message: "withdrew an invitation" }),
  "report.uploaded": msg({ id: "audit.report.uploaded", message: "attached the report" }),
  "report.opened": msg({ id: "audit.report.opened", message: "opened the report" }),
  "report.deleted": msg({ id: "audit.report.deleted", message: "deleted the report" }),
};

/** What a person did, to be written behind their name; an unknown action is shown by its code. */
export function actionText(i18n: I18n, action: string): string {
  const text = actions[action];
  return text ? i18n._(text) : action;
}
