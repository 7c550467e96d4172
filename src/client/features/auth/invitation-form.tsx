import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import * as z from "zod/mini";
import { nameSchema, newPasswordSchema } from "../../../shared/api/account-fields.ts";
import type { InvitationOffer } from "../../../shared/api/invitations.ts";
import { ApiError } from "../../calls/api.ts";
import { violationText } from "../../calls/validation.ts";
import { beginSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { showFormFailure } from "../../ui/form-failure.ts";
import { PasswordField } from "../../ui/password-field.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { showToast } from "../../ui/toast.tsx";
import { pathOf } from "../places/place.ts";
import { authApi } from "./auth-api.ts";
import type { AuthFormProps } from "./auth-forms.ts";
import { Notice, RegisterLead } from "./auth-notices.tsx";
import { BackToLogin } from "./back-to-login.tsx";
import { PasswordStrengthHint } from "./password-strength-hint.tsx";

/** Shows who wants to show an exam, and accepts. It needs a button, because mail scanners open every link. */
export default function InvitationForm({ invitationToken = "", registration, onSwitch }: AuthFormProps) {
  const { offer, failure } = useOffer(invitationToken);
  const [isAccepted, setAccepted] = useState(false);
  const accepted: AcceptProps["onAccepted"] = ({ studyId, hasSession }) => {
    if (hasSession) openStudy(studyId);
    else {
      // The link is used up, so a reload must not open this form again.
      window.history.replaceState(null, "", "/");
      setAccepted(true);
    }
  };
  const isNew = offer?.hasAccount === false;
  const email = offer?.email ?? "";
  const logIn = () => onSwitch("login", { email });
  const logInFirst = () => onSwitch("login", { email, awaitsInvitation: true });
  if (isAccepted) return <Accepted onLogin={logIn} />;
  return (
    <div className="auth-form">
      <InvitationHead offer={offer} />
      {failure && <Notice tone="bad">{failure}</Notice>}
      {isNew && registration === "approval" && <RegisterLead registration={registration} trialDays={0} />}
      {isNew && <NewDoctor token={invitationToken} registration={registration} onAccepted={accepted} />}
      {offer?.hasAccount && (
        <KnownAccount token={invitationToken} onAccepted={accepted} onLogin={logInFirst} />
      )}
      <p className="auth-switch">
        <BackToLogin onSwitch={onSwitch} />
      </p>
    </div>
  );
}

/** Opens the exam in /his: the page is loaded anew, and finds the place in the history's entry. */
function openStudy(studyId: string): void {
  const place = pathOf({ view: "viewer", steps: [{ name: "of", id: studyId }] });
  window.history.replaceState({ place }, "", "/his");
  window.location.reload();
}

function useOffer(token: string) {
  const [offer, setOffer] = useState<InvitationOffer>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const read = async () => {
      try {
        setOffer(await authApi.readInvitation(token));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        setFailure(error.message);
      }
    };
    void read();
  }, [token]);
  return { offer, failure };
}

function InvitationHead({ offer }: { offer: InvitationOffer | undefined }) {
  const { inviterName, email } = offer ?? {};
  return (
    <div>
      <h1>
        <Trans id="invitation.title">See an exam</Trans>
      </h1>
      {offer ? (
        <p className="auth-lead">
          {offer.hasAccount ? (
            <Trans id="invitation.leadKnown">
              {inviterName} wants to show you an exam. Accept, and it is in the account of {email}.
            </Trans>
          ) : (
            <Trans id="invitation.lead">
              {inviterName} wants to show you an exam. Make a doctor's account for {email} to see it; it costs
              nothing.
            </Trans>
          )}
        </p>
      ) : (
        <Skeleton className="mt-2 w-56" />
      )}
    </div>
  );
}

interface AcceptProps {
  token: string;
  onAccepted: (accepted: { studyId: string; hasSession: boolean }) => void;
}

const newDoctorSchema = z.object({ name: nameSchema, password: newPasswordSchema });

function NewDoctor({ token, registration, onAccepted }: AcceptProps & Pick<AuthFormProps, "registration">) {
  const { i18n, t } = useLingui();
  const { register, handleSubmit, setError, watch, formState } = useForm<z.infer<typeof newDoctorSchema>>({
    resolver: standardSchemaResolver(newDoctorSchema),
    defaultValues: { name: "", password: "" },
  });
  const { errors, isSubmitting } = formState;
  const [failure, setFailure] = useState<string>();
  const submit = handleSubmit(async ({ name, password }) => {
    setFailure(undefined);
    try {
      const { studyId, session } = await authApi.acceptInvitation({ token, name, password });
      if (session) beginSession(session, { keepConnected: false });
      onAccepted({ studyId, hasSession: session !== null });
    } catch (error) {
      showFormFailure(error, {
        setError,
        fields: ["name", "password"],
        title: t({ id: "invitation.failed", message: "The invitation could not be accepted" }),
        tell: ({ message }, isAtField) => {
          if (!isAtField) setFailure(message);
        },
      });
    }
  });
  return (
    <form className="grid gap-5" onSubmit={submit} noValidate>
      {failure && <Notice tone="bad">{failure}</Notice>}
      <TextField
        label={<Trans id="auth.name">Full name</Trans>}
        autoComplete="name"
        error={violationText(i18n, errors.name?.message)}
        {...register("name")}
      />
      <PasswordField
        label={<Trans id="auth.password">Password</Trans>}
        autoComplete="new-password"
        error={violationText(i18n, errors.password?.message)}
        {...register("password")}
      />
      <PasswordStrengthHint password={watch("password")} />
      <AcceptButton isBusy={isSubmitting}>
        {registration === "approval" ? (
          <Trans id="auth.register.submit">Create account</Trans>
        ) : (
          <Trans id="invitation.create">Create account and see the exam</Trans>
        )}
      </AcceptButton>
    </form>
  );
}

function KnownAccount({ token, onAccepted, onLogin }: AcceptProps & { onLogin: () => void }) {
  const { t } = useLingui();
  const [isBusy, setBusy] = useState(false);
  /** Why the person must log in first. */
  const [refusal, setRefusal] = useState<string>();
  const accept = async () => {
    setBusy(true);
    try {
      const { studyId } = await authApi.acceptInvitation({ token });
      onAccepted({ studyId, hasSession: false });
    } catch (error) {
      setBusy(false);
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "invitation.sign_in") return setRefusal(error.message);
      const title = t({ id: "invitation.failed", message: "The invitation could not be accepted" });
      showToast({ tone: "bad", title, text: error.message });
    }
  };
  if (refusal !== undefined)
    return (
      <div className="grid gap-5">
        <Notice tone="bad">{refusal}</Notice>
        <LoginButton onLogin={onLogin} />
      </div>
    );
  return (
    <form
      className="grid"
      onSubmit={(event) => {
        event.preventDefault();
        void accept();
      }}
    >
      <AcceptButton isBusy={isBusy}>
        <Trans id="invitation.accept">Accept</Trans>
      </AcceptButton>
    </form>
  );
}

function AcceptButton({ isBusy, children }: { isBusy: boolean; children: ReactNode }) {
  return (
    <Button type="submit" kind="lit" size="big" disabled={isBusy}>
      {isBusy ? <Trans id="invitation.busy">Accepting…</Trans> : children}
    </Button>
  );
}

function Accepted({ onLogin }: { onLogin: () => void }) {
  return (
    <div className="auth-form">
      <Notice tone="ok">
        <Trans id="invitation.accepted">
          Accepted. Log in, and the exam is on your first page. If the account is new, an administrator
          authorizes it first.
        </Trans>
      </Notice>
      <LoginButton onLogin={onLogin} />
    </div>
  );
}

/** Takes the place of the button that was pressed, and its focus. */
function LoginButton({ onLogin }: { onLogin: () => void }) {
  return (
    <Button autoFocus kind="lit" size="big" onClick={onLogin}>
      <Trans id="auth.stop.toLogin">Go to login</Trans>
    </Button>
  );
}
