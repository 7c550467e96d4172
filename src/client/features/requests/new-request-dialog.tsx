import { Trans } from "@lingui/react/macro";
import type { FormEvent, ReactNode } from "react";
import type { CreatedRequest } from "../../../shared/api/deliveries.ts";
import { DAY_MS } from "../../../shared/units.ts";
import { serverNow } from "../../calls/server-clock.ts";
import { Choice } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { useStay } from "../places/use-stay.ts";
import { useHis } from "../session/his-context.ts";
import { useKeptFields } from "../session/use-kept-form.ts";
import { useCreateRequest } from "./use-requests.ts";

const DAYS = [1, 7, 30] as const;
type Days = (typeof DAYS)[number];
type RequestFields = { label: string; shownName: string; days: Days };
/** The estimate of the server's clock may be a little ahead of it, and the server refuses more than 30 days. */
const CLOCK_DIFFERENCE_MS = 600_000;

interface NewRequestDialogProps {
  /** The label of the request that is renewed; empty for a new one. */
  label: string;
  onClose: () => void;
  onMade: (made: CreatedRequest) => void;
}

/** Asks who will deliver, under which name they know the patient, and for how long. */
export function NewRequestDialog({ label: labelAtFirst, onClose, onMade }: NewRequestDialogProps) {
  const { user } = useHis();
  // What was typed to renew one request is not asked for to renew another.
  const [{ label, shownName, days }, change] = useKeptFields<RequestFields>(`request/${labelAtFirst}`, {
    label: labelAtFirst,
    shownName: user.name,
    days: 7,
  });
  const making = useCreateRequest();
  useStay(making.isPending);
  const dayCounts: Record<Days, ReactNode> = {
    1: <Trans id="request.days.one">1 day</Trans>,
    7: <Trans id="request.days.week">7 days</Trans>,
    30: <Trans id="request.days.month">30 days</Trans>,
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const expiresAt = new Date(serverNow() + days * DAY_MS - CLOCK_DIFFERENCE_MS).toISOString();
    making.mutate({ label, shownName, expiresAt }, { onSuccess: onMade });
  };
  return (
    <Dialog
      open
      hasCross
      onOpenChange={() => !making.isPending && onClose()}
      title={<Trans id="requests.new">New request</Trans>}
    >
      <form className="security-form" onSubmit={submit} noValidate>
        <TextField
          label={<Trans id="request.label">Who will deliver</Trans>}
          name="label"
          required
          maxLength={200}
          autoComplete="off"
          value={label}
          error={making.error?.message}
          onChange={({ target }) => change({ label: target.value })}
        />
        <TextField
          label={<Trans id="request.shownName">Name the clinic sees</Trans>}
          name="shownName"
          maxLength={200}
          autoComplete="off"
          value={shownName}
          hint={<Trans id="request.shownName.hint">Helps the clinic pick the right patient.</Trans>}
          onChange={({ target }) => change({ shownName: target.value })}
        />
        <Choice
          legend={<Trans id="request.validFor">Valid for</Trans>}
          options={DAYS.map((value) => ({ value, text: dayCounts[value] }))}
          value={days}
          onValueChange={(value) => change({ days: value })}
        />
        <FormActions
          isBusy={making.isPending}
          isReady={label.trim() !== ""}
          onCancel={onClose}
          label={<Trans id="request.create">Create request</Trans>}
          busyLabel={<Trans id="request.creating">Creating…</Trans>}
        />
      </form>
    </Dialog>
  );
}
