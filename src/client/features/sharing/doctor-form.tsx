import { Trans } from "@lingui/react/macro";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../calls/api.ts";
import { failureText } from "../../calls/failure-text.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { TextField } from "../../ui/field.tsx";
import { MailIcon, QrCodeIcon } from "../../ui/icons.tsx";
import { useHis } from "../session/his-context.ts";
import { useInvite } from "./use-invitations.ts";
import { useShare } from "./use-sharing.ts";
import { UserPicker } from "./user-picker.tsx";

interface DoctorFormProps {
  studyId: string;
  /** Makes a link instead, for whom this address is. */
  onLink: (email: string) => void;
}

/** An owner types a doctor's e-mail, and may invite one without an account; an admin picks among the accounts. */
export function DoctorForm({ studyId, onLink }: DoctorFormProps) {
  const [email, setEmail] = useState("");
  const [asksForReport, setAsksForReport] = useState(false);
  const reset = () => setEmail("");
  const share = useShare(studyId, reset);
  const invite = useInvite(studyId, () => {
    reset();
    share.reset();
  });
  const { user } = useHis();
  const wanted = { email: email.trim(), ...(asksForReport && { asksForReport }) };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.reset();
    if (wanted.email) share.mutate(wanted);
  };
  const failure = invite.error ?? share.error;
  const field = {
    error: failure && failureText(failure),
    value: email,
    onValueChange(value: string) {
      setEmail(value);
      share.reset();
      invite.reset();
    },
  };
  const isUnknown = share.error instanceof ApiError && share.error.code === "doctor.not_found";
  return (
    <form className="share-form" onSubmit={submit} noValidate>
      {user.role === "admin" ? <UserPicker studyId={studyId} {...field} /> : <DoctorField {...field} />}
      <Button kind="lit" type="submit" disabled={!email.trim() || share.isPending}>
        <Trans id="share.give">Give access</Trans>
      </Button>
      {isUnknown && (
        <>
          <div className="notice share-by-link" role="status">
            <QrCodeIcon />
            <span>
              <Trans id="share.linkInstead">Send a link: no account needed.</Trans>
            </span>
            <Button size="small" onClick={() => onLink(wanted.email)}>
              <Trans id="link.create">Create link</Trans>
            </Button>
          </div>
          <Button className="share-invite" disabled={invite.isPending} onClick={() => invite.mutate(wanted)}>
            <MailIcon small />
            <Trans id="share.invite">Invite {wanted.email}</Trans>
          </Button>
        </>
      )}
      <div className="share-ask">
        <Checkbox
          label={<Trans id="share.askForReport">Ask for a report</Trans>}
          checked={asksForReport}
          onCheckedChange={setAsksForReport}
        />
      </div>
    </form>
  );
}

interface DoctorFieldProps {
  value: string;
  onValueChange: (value: string) => void;
  error: string | null;
}

function DoctorField({ value, onValueChange, error }: DoctorFieldProps) {
  return (
    <TextField
      type="email"
      required
      label={<Trans id="share.email">Doctor's e-mail</Trans>}
      hint={
        <Trans id="share.hint">
          The doctor sees the images and the report in their account. They cannot delete anything.
        </Trans>
      }
      error={error}
      autoComplete="off"
      value={value}
      onChange={({ target }) => onValueChange(target.value)}
    />
  );
}
