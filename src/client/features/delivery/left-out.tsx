import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { MAX_DELIVERY_UPLOADS } from "../../../shared/api/deliveries.ts";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { limitText } from "../../ui/text/limit-text.ts";
import { ImageTooLargeText, ProblemText } from "../upload/pick/problem-text.tsx";
import type { LeftOut, RefusedUpload } from "./delivery-state.ts";

/** More things that can't go are counted, not named. */
const MAX_NAMED = 5;

interface LeftOutNoticesProps {
  leftOut: readonly LeftOut[];
  maxUploadBytes: number;
}

/** What can't go and why, before anything is sent. */
export function LeftOutNotices({ leftOut, maxUploadBytes }: LeftOutNoticesProps) {
  return <BadNotices of={leftOut} text={(one) => <LeftOutText {...one} maxUploadBytes={maxUploadBytes} />} />;
}

/** What was sent and not kept, and why. */
export function RefusedNotices({ refused }: { refused: readonly RefusedUpload[] }) {
  const text = ({ fileName, message }: RefusedUpload) => (
    <span>
      <b>{fileName}</b>: {message}
    </span>
  );
  return <BadNotices of={refused} text={text} />;
}

function BadNotices<One>({ of, text }: { of: readonly One[]; text: (one: One) => ReactNode }) {
  const more = of.length - MAX_NAMED;
  return (
    <>
      {of.slice(0, MAX_NAMED).map((one, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are told as they are, until something else is picked
        <p key={n} className="notice is-bad" role="alert">
          <CircleAlertIcon />
          {text(one)}
        </p>
      ))}
      {more > 0 && (
        <p className="notice is-bad">
          <CircleAlertIcon />
          <Plural
            id="delivery.leftOut.more"
            value={more}
            one="# more is left out."
            other="# more are left out."
          />
        </p>
      )}
    </>
  );
}

function LeftOutText({ name, problem, maxUploadBytes }: LeftOut & { maxUploadBytes: number }) {
  const { i18n } = useLingui();
  const limit = limitText(i18n, maxUploadBytes);
  if (problem === "tooManyUploads")
    return (
      <Trans id="delivery.leftOut.tooManyUploads">
        This is more than one delivery takes: {MAX_DELIVERY_UPLOADS} parts of {limit} each. Choose fewer
        exams.
      </Trans>
    );
  if (problem !== "imageTooLarge")
    return <ProblemText problem={problem} name={name} maxUploadBytes={maxUploadBytes} />;
  return (
    <span>
      {name && `${name}: `}
      <ImageTooLargeText maxUploadBytes={maxUploadBytes} />
    </span>
  );
}
