import { Trans, useLingui } from "@lingui/react/macro";

/** Shows the sent share of an upload, from 0 to 1, and after that the server's processing. */
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
