import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, type SyntheticEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CODE_LENGTH, CodeField, emptyCode } from "../../ui/code-field.tsx";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { focusFirstField } from "../../ui/hooks/first-field.ts";
import { LockIcon, UnlinkIcon } from "../../ui/icons.tsx";

/** From so many on, the tries that are left are named. */
const NAMED_TRIES = 5;

interface PasscodeGateProps {
  owner: string;
  triesLeft: number;
  isWrong: boolean;
  isBusy: boolean;
  onEnter: (passcode: string) => void;
}

/** Asks for the six digits; the sixth submits. */
export function PasscodeGate({ owner, triesLeft, isWrong, isBusy, onEnter }: PasscodeGateProps) {
  const { t } = useLingui();
  const [digits, setDigits] = useState(emptyCode);
  const passcode = digits.join("");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (form.current) focusFirstField(form.current);
  }, []);
  // After a wrong passcode the boxes are empty again, and the next one begins in the first.
  useEffect(() => {
    if (!isWrong || isBusy) return;
    setDigits(emptyCode);
    form.current?.querySelector("input")?.focus();
  }, [isWrong, isBusy]);
  const change = (changed: readonly string[]) => {
    setDigits(changed);
    if (changed.join("").length === CODE_LENGTH && !isBusy) onEnter(changed.join(""));
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (passcode.length === CODE_LENGTH && !isBusy) onEnter(passcode);
  };
  if (isWrong && triesLeft === 0) return <Blocked owner={owner} />;
  return (
    <form className="gate" ref={form} onSubmit={submit} noValidate>
      <GateBox icon={<LockIcon />} />
      <div>
        <h1>
          <Trans id="visit.passcode">Enter the passcode</Trans>
        </h1>
        <p className="gate-lead">
          <Trans id="visit.passcode.lead">
            {owner} shared exams with you. The passcode has 6 digits and came another way.
          </Trans>
        </p>
      </div>
      <CodeField
        legend={t({ id: "visit.passcode.legend", message: "Passcode of 6 digits" })}
        digits={digits}
        onDigitsChange={change}
        invalid={isWrong && passcode === ""}
      />
      {isWrong && !isBusy && (
        <p className="field-error" role="alert">
          <CircleAlertIcon small />
          <span>
            <Trans id="visit.passcode.wrong">Wrong passcode.</Trans>{" "}
            {triesLeft <= NAMED_TRIES && (
              <Plural id="visit.triesLeft" value={triesLeft} one="# try left." other="# tries left." />
            )}
          </span>
        </p>
      )}
      <Button
        type="submit"
        kind="lit"
        size="big"
        className="w-full"
        disabled={isBusy || passcode.length < CODE_LENGTH}
      >
        {isBusy ? <Trans id="visit.opening">Opening…</Trans> : <Trans id="visit.view">View exams</Trans>}
      </Button>
      <p className="field-hint">
        <Trans id="visit.told">
          We don't ask for your name or e-mail. The sender sees the time, the network address and the device.
        </Trans>
      </p>
    </form>
  );
}

function Blocked({ owner }: { owner: string }) {
  return (
    <div className="gate" role="alert">
      <GateBox icon={<UnlinkIcon />} />
      <div>
        <h1>
          <Trans id="visit.blocked">This link was ended</Trans>
        </h1>
        <p className="gate-lead">
          <Trans id="visit.blocked.text">
            There were too many wrong passcodes. Ask {owner} for another link.
          </Trans>
        </p>
      </div>
    </div>
  );
}

/** A link that does not open. The server does not say why, so the page does not either. */
export function Closed() {
  return (
    <div className="gate" role="alert">
      <GateBox icon={<UnlinkIcon />} />
      <div>
        <h1>
          <Trans id="visit.closed">This link does not open</Trans>
        </h1>
        <p className="gate-lead">
          <Trans id="visit.closed.text">
            It has expired, was ended, has no exams left, or was not copied whole. Ask the sender for another:
            it takes a minute.
          </Trans>
        </p>
      </div>
      <p className="field-hint">
        <Trans id="visit.closed.safe">When a link ends, no exam is deleted.</Trans>
      </p>
    </div>
  );
}

export function GateBox({ icon }: { icon: ReactNode }) {
  return (
    <div className="gate-box" aria-hidden="true">
      {icon}
    </div>
  );
}
