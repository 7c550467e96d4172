import type { ReactNode } from "react";
import { EmailConfirmedNotice, EmailLinkDeadNotice, SessionExpiredNotice } from "./auth-notices.tsx";

const MARKS = ["expired", "email"] as const;

/** What the address says of how the person came here. */
export function noticeOfAddress(search: string): ReactNode {
  const marks = new URLSearchParams(search);
  if (marks.get("expired") === "true") return <SessionExpiredNotice />;
  if (marks.get("email") === "confirmed") return <EmailConfirmedNotice />;
  if (marks.get("email") === "dead") return <EmailLinkDeadNotice />;
  return undefined;
}

/** Takes the marks out of the address, so that a reload does not say it again. */
export function removeAddressMarks(): void {
  const url = new URL(window.location.href);
  for (const mark of MARKS) url.searchParams.delete(mark);
  window.history.replaceState(null, "", url);
}
