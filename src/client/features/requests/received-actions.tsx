import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Request } from "../../../shared/api/deliveries.ts";
import { Button } from "../../ui/button.tsx";
import { RefuseDialog } from "./refuse-dialog.tsx";
import { studyIdsOf, useOpenDelivered } from "./use-requests.ts";

/** What can be done with what a request brought; nothing once it was deleted. */
export function ReceivedActions({ deliveries, label }: Pick<Request, "deliveries" | "label">) {
  const { t } = useLingui();
  const open = useOpenDelivered();
  const [isRefusing, setRefusing] = useState(false);
  if (studyIdsOf(deliveries).length === 0) return null;
  return (
    <>
      <Button
        size="small"
        kind="quiet"
        aria-label={t({ id: "request.refuseOf", message: `Refuse and delete: ${label}` })}
        onClick={() => setRefusing(true)}
      >
        <Trans id="request.refuse">Refuse and delete</Trans>
      </Button>
      <Button
        size="small"
        aria-label={t({ id: "request.viewOf", message: `View: ${label}` })}
        onClick={() => void open(deliveries)}
      >
        <Trans id="request.view">View</Trans>
      </Button>
      {isRefusing && <RefuseDialog deliveries={deliveries} onClose={() => setRefusing(false)} />}
    </>
  );
}
