import { Trans } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { useState } from "react";
import type { Request } from "../../../shared/api/deliveries.ts";
import { Button } from "../../ui/button.tsx";
import { viewAtom } from "../places/views.ts";
import { RefuseDialog } from "./refuse-dialog.tsx";

/** What can be done with what a request brought; nothing once it was deleted. */
export function ReceivedActions({ deliveries }: Pick<Request, "deliveries">) {
  const setView = useSetAtom(viewAtom);
  const [isRefusing, setRefusing] = useState(false);
  if (deliveries.every(({ studyIds }) => studyIds.length === 0)) return null;
  return (
    <>
      <Button size="small" kind="quiet" onClick={() => setRefusing(true)}>
        <Trans id="request.refuse">Refuse and delete</Trans>
      </Button>
      <Button size="small" onClick={() => setView("listaExames")}>
        <Trans id="request.view">View</Trans>
      </Button>
      {isRefusing && <RefuseDialog deliveries={deliveries} onClose={() => setRefusing(false)} />}
    </>
  );
}
