import type { ReactNode } from "react";
import {
  AccountDeletedNotice,
  EmailConfirmedNotice,
  EmailLinkDeadNotice,
  PasswordChangedNotice,
  SessionExpiredNotice,
  UploadsStoppedNotice,
} from "./auth-notices.tsx";

const MARKS = ["expired", "password", "email", "account", "uploads"] as const;

/** The notices for the query parameters with which the person arrived. */
export function noticeOfAddress(search: string): ReactNode {
  const marks = new URLSearchParams(search);
  const notice = noticeOf(marks);
  if (marks.get("uploads") !== "stopped") return notice;
  return (
    <>
      {notice}
      <UploadsStoppedNotice />
    </>
  );
}

function noticeOf(marks: URLSearchParams): ReactNode {
  if (marks.get("expired") === "true") return <SessionExpiredNotice />;
  if (marks.get("password") === "changed") return <PasswordChangedNotice />;
  if (marks.get("account") === "deleted") return <AccountDeletedNotice />;
  if (marks.get("email") === "confirmed") return <EmailConfirmedNotice />;
  if (marks.get("email") === "dead") return <EmailLinkDeadNotice />;
  return undefined;
}

/** Removes the parameters from the address, so that a reload does not repeat the notice. */
export function removeAddressMarks(): void {
  const url = new URL(window.location.href);
  for (const mark of MARKS) url.searchParams.delete(mark);
  window.history.replaceState(window.history.state, "", url);
}
