import { Trans, useLingui } from "@lingui/react/macro";
import { MAX_DELIVERY_UPLOADS } from "../../../shared/api/deliveries.ts";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { limitText } from "../../ui/limit-text.ts";
import { ImageTooLargeText, ProblemText } from "../upload/pick/problem-text.tsx";
import type { LeftOut } from "./delivery-state.ts";

/** More things that can't go are counted, not named. */
const MAX_NAMED = 5;

interface LeftOutNoticesProps {
  leftOut: readonly LeftOut[];
  maxUploadBytes: number;
}

/** What can't go and why, before anything is sent. */
export function LeftOutNotices({ leftOut, maxUploadBytes }: LeftOutNoticesProps) {
  const { i18n } = useLingui();
  const more = leftOut.length - MAX_NAMED;
  const count = i18n.number(more);
  return (
    <>
      {leftOut.slice(0, MAX_NAMED).map((one, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are told as they are, until something else is picked
        <p key={n} className="notice is-bad" role="alert">
          <CircleAlertIcon />
          <LeftOutText {...one} maxUploadBytes={maxUploadBytes} />
        </p>
      ))}
      {more > 0 && (
        <p className="notice is-bad">
          <CircleAlertIcon />
          <Trans id="delivery.leftOut.more">{count} more can't go, for the same reasons.</Trans>
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
  if (problem !== "imageTooLarge") return <ProblemText {...{ problem, name, maxUploadBytes }} />;
  return (
    <span>
      {name && `${name}: `}
      <ImageTooLargeText maxUploadBytes={maxUploadBytes} />
    </span>
  );
}
