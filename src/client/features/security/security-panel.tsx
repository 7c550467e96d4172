import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { type ReactNode, useState } from "react";
import type { Factors, Passkey } from "../../../shared/api/factors.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { KeyIcon } from "../../ui/entry-icons.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { removableRow } from "../../ui/hooks/use-focus-return.ts";
import type { Icon } from "../../ui/icon.tsx";
import { FileTextIcon, LockIcon, PencilIcon, SmartphoneIcon, TrashIcon } from "../../ui/icons.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { SectionHead } from "../../ui/section-head.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { showToast } from "../../ui/toast.tsx";
import { dialogIdAtom } from "../places/views.ts";
import { RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";
import { Question, questions, type SecurityQuestion } from "./security-question.tsx";
import { hasFactor, type NewCodes, refreshFactors, useFactors } from "./use-factors.ts";

/** `rename.0190…`; a step of the history. */
const questionAtom = dialogIdAtom("security");

function useSecurityQuestion(): [
  SecurityQuestion | undefined,
  (asked: SecurityQuestion | undefined) => void,
] {
  const [step, setStep] = useAtom(questionAtom);
  const [name, passkeyId] = step?.split(".") ?? [];
  const question = questions.find((known) => known === name);
  return [
    question && { question, passkeyId },
    (asked) => setStep(asked && [asked.question, asked.passkeyId].filter(Boolean).join(".")),
  ];
}

/** The ways into the account: passkeys, an authenticator app, recovery codes, the password. */
export function SecurityPanel({ onChangePassword }: { onChangePassword: () => void }) {
  const query = useFactors();
  const { data: factors, refetch } = query;
  const error = useFailure(query);
  const [asked, setAsked] = useSecurityQuestion();
  const [codes, setCodes] = useState<string[]>();
  const { t } = useLingui();
  const queryClient = useQueryClient();
  /** The codes are shown this once, and without waiting for the factors. */
  const showCodes = (made: NewCodes) => {
    void refreshFactors(queryClient);
    if (made !== "lost") {
      setCodes(made);
      return setAsked(undefined);
    }
    setAsked({ question: "renew-codes" });
    showToast({
      tone: "info",
      title: t({ id: "security.codes.lost", message: "It is set up, but its recovery codes did not arrive" }),
      text: t({ id: "security.codes.lost.text", message: "Make new codes now and keep them." }),
    });
  };
  return (
    <section className="access" aria-labelledby="security-title">
      <SectionHead
        id="security-title"
        title={<Trans id="security.title">Signing in</Trans>}
        lead={
          factors && hasFactor(factors) ? (
            <Trans id="security.proof">How you prove that it is you.</Trans>
          ) : (
            <Trans id="security.text">
              With a passkey or an authenticator app, whoever gets into your mailbox still can't open your
              exams.
            </Trans>
          )
        }
        add={
          factors?.passkeysAvailable
            ? {
                label: <Trans id="security.passkey.add">Add passkey</Trans>,
                run: () => setAsked({ question: "add-passkey" }),
              }
            : undefined
        }
      />
      {error && (
        <LoadError
          title={<Trans id="security.loadFailed">Error loading your security settings</Trans>}
          error={error}
          onRetry={refetch}
        />
      )}
      {factors ? (
        <Parts factors={factors} onAsk={setAsked} onChangePassword={onChangePassword} />
      ) : (
        !error && <PartsShape />
      )}
      {factors && asked && !codes && (
        <Question
          asked={asked}
          factors={factors}
          onClose={() => setAsked(undefined)}
          onRecoveryCodes={showCodes}
        />
      )}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </section>
  );
}

function PartsShape() {
  return (
    <div className="security-shape" aria-busy="true">
      <Skeleton shape="control" />
      <Skeleton shape="control" />
    </div>
  );
}

interface PartsProps {
  factors: Factors;
  onAsk: (asked: SecurityQuestion) => void;
  onChangePassword: () => void;
}

function Parts({ factors, onAsk, onChangePassword }: PartsProps) {
  const { t } = useLingui();
  const { passkeys, passkeysAvailable, totp, recoveryCodesLeft: left } = factors;
  return (
    <div className="panel security-parts">
      {passkeys.length > 0 ? (
        <ul className="passkeys" aria-label={t({ id: "security.passkeys", message: "Passkeys" })}>
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onAsk={onAsk} />
          ))}
        </ul>
      ) : (
        <Part
          icon={KeyIcon}
          title={<Trans id="security.passkeys">Passkeys</Trans>}
          text={
            passkeysAvailable ? (
              <Trans id="security.passkeys.text">
                Log in with your fingerprint, face or device PIN, without a password.
              </Trans>
            ) : (
              <Trans id="security.passkeys.unavailable">
                Not possible at this address: browsers require https and a domain name.
              </Trans>
            )
          }
        />
      )}
      <Part
        icon={SmartphoneIcon}
        isOn={totp !== null}
        title={<Trans id="security.totp">Authenticator app</Trans>}
        text={
          totp ? (
            <Uses createdAt={totp.createdAt} lastUsedAt={totp.lastUsedAt} />
          ) : (
            <Trans id="security.totp.text">A code of 6 digits from your phone, after the password.</Trans>
          )
        }
        action={
          totp ? (
            <IconButton
              destructive
              label={t({ id: "security.totp.remove", message: "Remove the authenticator app" })}
              onClick={() => onAsk({ question: "remove-totp" })}
            >
              <TrashIcon />
            </IconButton>
          ) : (
            <Button onClick={() => onAsk({ question: "add-totp" })}>
              <Trans id="security.totp.setUp">Set up app</Trans>
            </Button>
          )
        }
      />
      {hasFactor(factors) && (
        <Part
          icon={FileTextIcon}
          title={<Trans id="security.codes">Recovery codes</Trans>}
          text={
            <span className={left <= 2 ? "is-low" : undefined}>
              <Plural
                id="security.codes.left"
                value={left}
                _0="None is left. Make new ones before you lose your passkey or phone."
                one="# of 10 is left."
                other="# of 10 are left."
              />
            </span>
          }
          action={
            <Button onClick={() => onAsk({ question: "renew-codes" })}>
              <Trans id="security.codes.renew">Make new codes</Trans>
            </Button>
          }
        />
      )}
      <Part
        icon={LockIcon}
        title={<Trans id="security.password">Password</Trans>}
        text={<PasswordAge changedAt={factors.passwordChangedAt} />}
        action={
          <Button
            kind="quiet"
            aria-label={t({ id: "security.password.changeNamed", message: "Change the password" })}
            onClick={onChangePassword}
          >
            <Trans id="security.password.change">Change</Trans>
          </Button>
        }
      />
    </div>
  );
}

function PasswordAge({ changedAt }: { changedAt: string | null | undefined }) {
  if (!changedAt) return <Trans id="security.password.text">Signs you in together with your e-mail.</Trans>;
  const day = dayText(changedAt);
  return <Trans id="security.password.changed">Changed on {day}</Trans>;
}

interface PartProps {
  icon: Icon;
  /** Whether it guards the account now. */
  isOn?: boolean;
  title: ReactNode;
  text: ReactNode;
  action?: ReactNode;
}

function Part({ icon: PartIcon, isOn = false, title, text, action }: PartProps) {
  return (
    <div className="security-part">
      <span className={`security-icon ${isOn ? "is-ok" : ""}`}>
        <PartIcon />
      </span>
      <div className="security-said">
        <h3>{title}</h3>
        <p>{text}</p>
      </div>
      {action}
    </div>
  );
}

function PasskeyRow({ passkey, onAsk }: { passkey: Passkey; onAsk: (asked: SecurityQuestion) => void }) {
  const { t } = useLingui();
  const { name, createdAt, lastUsedAt } = passkey;
  return (
    <li className="security-part" {...removableRow}>
      <span className="security-icon is-ok">
        <KeyIcon />
      </span>
      <div className="security-said">
        <h3>{name}</h3>
        <p>
          <Trans id="security.passkey">Passkey</Trans>
          {" · "}
          <Uses createdAt={createdAt} lastUsedAt={lastUsedAt} />
        </p>
      </div>
      <span className="security-actions">
        <IconButton
          label={t({ id: "security.passkey.renameNamed", message: `Rename ${name}` })}
          onClick={() => onAsk({ question: "rename", passkeyId: passkey.id })}
        >
          <PencilIcon />
        </IconButton>
        <IconButton
          destructive
          label={t({ id: "security.passkey.removeNamed", message: `Remove ${name}` })}
          onClick={() => onAsk({ question: "remove", passkeyId: passkey.id })}
        >
          <TrashIcon />
        </IconButton>
      </span>
    </li>
  );
}

function Uses({ createdAt, lastUsedAt }: { createdAt: string; lastUsedAt: string | null }) {
  const since = dayText(createdAt);
  if (!lastUsedAt) return <Trans id="security.since">Since {since}, not used yet</Trans>;
  const last = dayText(lastUsedAt);
  return (
    <Trans id="security.sinceUsed">
      Since {since}, last used on {last}
    </Trans>
  );
}
