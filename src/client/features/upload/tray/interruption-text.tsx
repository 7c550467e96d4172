import { Trans } from "@lingui/react/macro";
import type { Interruption } from "./upload-job.ts";

/** What happened to an upload that stopped, and at how many per cent. */
export function InterruptionText({ interruption, percent }: { interruption: Interruption; percent: number }) {
  if (interruption.kind === "connection") {
    return (
      <Trans id="upload.stopped.connection">Upload interrupted. The connection dropped at {percent}%.</Trans>
    );
  }
  const { text } = interruption;
  return <Trans id="upload.stopped.refused">Upload interrupted. {text}</Trans>;
}
