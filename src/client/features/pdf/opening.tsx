import { Trans } from "@lingui/react/macro";

export function Opening() {
  return (
    <p className="pdf-wait" role="status">
      <Trans id="pdf.opening">Opening the document…</Trans>
    </p>
  );
}
