import { Trans, useLingui } from "@lingui/react/macro";
import { sizeNumber, sizeText } from "../../ui/text/size-text.ts";
import { isSent, type Transfer } from "./upload-state.ts";

interface TimeLeftProps {
  transfer: Transfer;
  /** Whether minutes are enough as long as there are some. */
  isBrief?: boolean;
}

/** What is left of a transfer, in minutes and seconds, or why that is unknown. */
export function TimeLeft({ transfer, isBrief = false }: TimeLeftProps) {
  if (transfer.waitsForRoom) return <Trans id="upload.waitsForRoom">Waiting for space on the server…</Trans>;
  if (isSent(transfer)) return <Trans id="upload.processing">Processing…</Trans>;
  if (transfer.isStalled && transfer.isServerAway)
    return <Trans id="upload.serverAway">Server unavailable…</Trans>;
  if (transfer.isStalled) return <Trans id="upload.stalled">No connection…</Trans>;
  if (transfer.secondsLeft === undefined) return <Trans id="upload.measuring">Measuring the speed…</Trans>;
  const minutes = Math.floor(transfer.secondsLeft / 60);
  const seconds = transfer.secondsLeft % 60;
  if (minutes === 0) return <Trans id="upload.secondsLeft">{seconds} s left</Trans>;
  if (isBrief) {
    const begun = Math.ceil(transfer.secondsLeft / 60);
    return <Trans id="upload.aboutLeft">{begun} min left</Trans>;
  }
  return (
    <Trans id="upload.minutesLeft">
      {minutes} min {seconds} s left
    </Trans>
  );
}

/** Why a transfer stands still that resumes by itself. */
export function StalledText({ transfer: { isServerAway } }: { transfer: Transfer }) {
  return isServerAway ? (
    <Trans id="tray.serverAway">Server unavailable. It resumes by itself.</Trans>
  ) : (
    <Trans id="tray.offline">No connection. It resumes by itself.</Trans>
  );
}

/** How many bytes have gone, of how many, and how fast. */
export function TransferNumbers({ transfer }: { transfer: Transfer }) {
  const { i18n } = useLingui();
  const loaded = sizeNumber(i18n, transfer.loadedBytes, transfer.totalBytes);
  const total = sizeText(i18n, transfer.totalBytes);
  const isMoving = transfer.bytesPerSecond !== undefined && !transfer.isStalled;
  const speed = isMoving && `${sizeText(i18n, transfer.bytesPerSecond ?? 0)}/s`;
  return (
    <span>
      <Trans id="upload.loaded">
        {loaded} of {total}
      </Trans>
      {speed && ` · ${speed}`}
    </span>
  );
}
