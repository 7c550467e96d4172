import { Trans, useLingui } from "@lingui/react/macro";

/** How much of an upload has left, from 0 to 1; then that the server works on it. */
export function UploadMeter({ sent }: { sent: number }) {
  const { t } = useLingui();
  const percent = Math.floor(sent * 100);
  return (
    <div className="mt-4 text-sm">
      {percent < 100 ? `${percent}%` : <Trans id="upload.processing">Processing…</Trans>}
      <progress
        className="pdf-progress mt-1"
        max={100}
        value={percent}
        aria-label={t({ id: "upload.progress", message: "Upload" })}
      />
    </div>
  );
}
