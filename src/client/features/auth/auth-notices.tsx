import { Plural, Trans } from "@lingui/react/macro";
import type { IslandProps } from "../../../shared/islands.ts";
import { CircleCheckIcon, ClockIcon } from "../../ui/icons.tsx";

type Registration = IslandProps<"auth">["registration"];

export function SessionExpiredNotice() {
  return (
    <div className="notice is-warn" role="status">
      <ClockIcon />
      <span>
        <Trans id="auth.sessionExpired">Session expired. Please log in again.</Trans>
      </span>
    </div>
  );
}

export function RegisteredNotice({ registration }: { registration: Registration }) {
  return (
    <div className="notice is-ok" role="status">
      <CircleCheckIcon />
      <span>
        {registration === "approval" ? (
          <Trans id="auth.registered.approval">
            Account created. You can log in as soon as an administrator has authorized it.
          </Trans>
        ) : (
          <Trans id="auth.registered.open">Account created. Log in with your e-mail and password.</Trans>
        )}
      </span>
    </div>
  );
}

/** What a new account gets, in one line. */
export function RegisterLead({ registration, trialDays }: { registration: Registration; trialDays: number }) {
  return (
    <p className="auth-lead">
      {registration === "approval" ? (
        <Trans id="auth.register.leadApproval">
          An administrator authorizes the account before the first login.
        </Trans>
      ) : trialDays > 0 ? (
        <Plural
          id="auth.register.leadTrial"
          value={trialDays}
          one="# day of trial, with up to 2 exams."
          other="# days of trial, with up to 2 exams."
        />
      ) : (
        <Trans id="auth.register.lead">Your exams, kept safe and close at hand.</Trans>
      )}
    </p>
  );
}
