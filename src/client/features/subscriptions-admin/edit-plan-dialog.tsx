import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Controller, type UseFormSetError, useForm } from "react-hook-form";
import type { AdminPlan } from "../../../shared/api/subscriptions.ts";
import { violationText } from "../../calls/validation.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { showFormFailure } from "../../ui/form-failure.ts";
import { showToast } from "../../ui/toast.tsx";
import { useOwnClose } from "../places/use-own-close.ts";
import { adminSubscriptionsApi } from "./admin-subscriptions-api.ts";
import { changeOfPlan, type EditPlanValues, editPlanSchema, valuesOfPlan } from "./edit-plan.rules.ts";
import { useRefresh } from "./use-admin-subscriptions.ts";

/** Changes a plan for its present and future subscribers. */
export function EditPlanDialog({ plan, onClose }: { plan: AdminPlan | undefined; onClose: () => void }) {
  return (
    <Dialog
      open={plan !== undefined}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={<Trans id="subscriptions.plan.edit">Edit plan</Trans>}
      text={
        <Trans id="subscriptions.plan.edit.text">
          Limits hold at once for everyone on this plan. A Pix that is already open keeps its price.
        </Trans>
      }
    >
      {plan && <EditPlanForm key={plan.id} plan={plan} onClose={onClose} />}
    </Dialog>
  );
}

function EditPlanForm({ plan: readPlan, onClose }: { plan: AdminPlan; onClose: () => void }) {
  const { i18n } = useLingui();
  // As the fields show it: what another admin changes meanwhile is no change of this one.
  const [plan] = useState(readPlan);
  const form = useForm<EditPlanValues>({
    resolver: standardSchemaResolver(editPlanSchema(plan)),
    defaultValues: valuesOfPlan(plan, i18n.locale),
  });
  const { register, control, handleSubmit, formState } = form;
  const { errors, isSubmitting } = formState;
  const save = useSave(plan, form.setError, useOwnClose(onClose));
  return (
    <form className="user-form" onSubmit={(event) => void handleSubmit(save)(event)} noValidate>
      <TextField
        label={<Trans id="subscriptions.plan.name">Name</Trans>}
        autoComplete="off"
        error={violationText(i18n, errors.name?.message)}
        {...register("name")}
      />
      {plan.canBeOffered && (
        <TextField
          label={<Trans id="subscriptions.plan.price">Price (R$)</Trans>}
          inputMode="decimal"
          autoComplete="off"
          error={violationText(i18n, errors.price?.message)}
          {...register("price")}
        />
      )}
      <div className="profile-pair">
        <TextField
          label={<Trans id="subscriptions.plan.examLimit">Exams</Trans>}
          inputMode="numeric"
          autoComplete="off"
          hint={<Trans id="subscriptions.plan.examLimit.hint">Up to 50: 30 days a payment; above: 365</Trans>}
          error={violationText(i18n, errors.examLimit?.message)}
          {...register("examLimit")}
        />
        <TextField
          label={<Trans id="subscriptions.plan.actionLimit">Actions a month</Trans>}
          inputMode="numeric"
          autoComplete="off"
          error={violationText(i18n, errors.downloadDeleteLimit?.message)}
          {...register("downloadDeleteLimit")}
        />
      </div>
      <TextField
        label={<Trans id="subscriptions.plan.storage">Storage (GB)</Trans>}
        inputMode="decimal"
        autoComplete="off"
        error={violationText(i18n, errors.storage?.message)}
        {...register("storage")}
      />
      {plan.canBeOffered && (
        <Controller
          control={control}
          name="isOffered"
          render={({ field }) => (
            <Checkbox
              label={<Trans id="subscriptions.plan.isOffered">Offered to subscribers</Trans>}
              checked={field.value}
              onCheckedChange={field.onChange}
              disabled={isSubmitting}
            />
          )}
        />
      )}
      <FormActions isBusy={isSubmitting} onCancel={onClose} />
    </form>
  );
}

function useSave(plan: AdminPlan, setError: UseFormSetError<EditPlanValues>, onSaved: () => void) {
  const { t } = useLingui();
  const refresh = useRefresh();
  return async (values: EditPlanValues): Promise<void> => {
    try {
      await adminSubscriptionsApi.changePlan(plan.id, changeOfPlan(plan, values));
      await refresh();
      showToast({ tone: "ok", title: t({ id: "subscriptions.plan.saved", message: "Plan updated" }) });
      onSaved();
    } catch (error) {
      showFormFailure(error, {
        setError,
        fields: ["name", "price", "examLimit", "downloadDeleteLimit"],
        title: t({ id: "subscriptions.actionFailed", message: "It could not be done" }),
      });
    }
  };
}
