import { Trans } from "@lingui/react/macro";
import { TriangleAlertIcon } from "../../ui/icons.tsx";
import { momentText } from "../../ui/text/moment-text.ts";

/** Says that there is no connection, and when the list was as it is shown. */
export function OfflineNotice({ keptAt }: { keptAt: Date }) {
  const moment = momentText(keptAt.toISOString());
  return (
    <div className="notice is-warn study-offline" role="status">
      <TriangleAlertIcon small />
      <Trans id="study.offline">
        No connection. This is your list of {moment}; images and reports open again once you are connected.
      </Trans>
    </div>
  );
}
