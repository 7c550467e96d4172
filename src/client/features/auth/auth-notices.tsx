import { Plural, Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { IslandProps } from "../../../shared/islands.ts";
import { CircleAlertIcon, CircleCheckIcon, ClockIcon } from "../../ui/entry-icons.tsx";
import type { Icon } from "../../ui/icon.tsx";

type Registration = IslandProps<"auth">["registration"];
type RegisterLeadProps = Pick<IslandProps<"auth">, "registration" | "trialDays" | "trialExams">;

const icons: Record<"ok" | "warn" | "bad", Icon> = {
  ok: CircleCheckIcon,
  warn: ClockIcon,
  bad: CircleAlertIcon,
};

/** A short message about what happened before this form. */
export function Notice({ tone, children }: { tone: keyof typeof icons; children: ReactNode }) {
  const ToneIcon = icons[tone];
  return (
    <div className={`notice is-${tone}`} role={tone === "bad" ? "alert" : "status"}>
      <ToneIcon />
      <span>{children}</span>
    </div>
  );
}

export function SessionExpiredNotice() {
  return (
    <Notice tone="warn">
      <Trans id="auth.sessionExpired">Session expired. Please log in again.</Trans>
    </Notice>
  );
}

/** Beside why the session ended: the person may not have seen the uploads stop. */
export function UploadsStoppedNotice() {
  return (
    <Notice tone="warn">
      <Trans id="auth.uploadsStopped">
        The uploads stopped. Log in again in this browser to go on with them.
      </Trans>
    </Notice>
  );
}

export function AccountDeletedNotice() {
  return (
    <Notice tone="ok">
      <Trans id="auth.accountDeleted">Your account was deleted.</Trans>
    </Notice>
  );
}

export function PasswordChangedNotice() {
  return (
    <Notice tone="ok">
      <Trans id="auth.resetPasswordSuccess">Password changed. Log in with the new one.</Trans>
    </Notice>
  );
}

export function EmailConfirmedNotice() {
  return (
    <Notice tone="ok">
      <Trans id="auth.emailConfirmed">
        Your new e-mail address is confirmed. Log in with it. For 7 days the address that the account had
        before can undo this.
      </Trans>
    </Notice>
  );
}

export function EmailLinkDeadNotice() {
  return (
    <Notice tone="bad">
      <Trans id="auth.emailLinkDead">
        This confirmation link is not valid any more. Ask for the change again in your profile.
      </Trans>
    </Notice>
  );
}

export function RegisteredNotice({ registration }: { registration: Registration }) {
  return (
    <Notice tone="ok">
      {registration === "approval" ? (
        <Trans id="auth.registered.approval">
          Account created. You can log in as soon as an administrator has authorized it.
        </Trans>
      ) : (
        <Trans id="auth.registered.open">Account created. Log in with your e-mail and password.</Trans>
      )}
    </Notice>
  );
}

/** The benefits of a new account, in one line. */
export function RegisterLead({ registration, trialDays, trialExams }: RegisterLeadProps) {
  return (
    <p className="auth-lead">
      {registration === "approval" ? (
        <Trans id="auth.register.leadApproval">
          An administrator authorizes the account before the first login.
        </Trans>
      ) : trialDays > 0 && trialExams !== undefined ? (
        <Trans id="auth.register.leadTrial">
          <Plural value={trialDays} one="#-day trial" other="#-day trial" />, with up to{" "}
          <Plural value={trialExams} one="# exam" other="# exams" />.
        </Trans>
      ) : trialDays > 0 ? (
        <Plural id="auth.register.leadTrialDays" value={trialDays} one="#-day trial." other="#-day trial." />
      ) : (
        <Trans id="auth.register.lead">Your exams, kept safe and close at hand.</Trans>
      )}
    </p>
  );
}
