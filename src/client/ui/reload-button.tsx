import { Trans } from "@lingui/react/macro";
import { Button } from "./button.tsx";

/** Loads the page again, of a newer release. */
export function ReloadButton() {
  return (
    <Button size="small" onClick={() => window.location.reload()}>
      <Trans id="action.reload">Reload the page</Trans>
    </Button>
  );
}
