import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useAtom, useSetAtom } from "jotai";
import type { Study } from "../../../../shared/api/studies.ts";
import { MAX_DESCRIPTION_LENGTH } from "../../../../shared/api/study-name.ts";
import { EXAMS_AND_USAGE } from "../../../calls/query-keys.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/field.tsx";
import { FormActions } from "../../../ui/form-actions.tsx";
import { PencilIcon } from "../../../ui/icons.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useOwnClose } from "../../places/use-own-close.ts";
import { useKeptFields } from "../../session/use-kept-form.ts";
import { studiesApi } from "../../studies/studies-api.ts";
import { useFoundStudy } from "../../studies/use-found-study.ts";
import { renamedSubject } from "./list-actions.ts";

/** In the open row of a study that the person keeps; nobody else can rename it. */
export function RenameButton({ study }: { study: Study }) {
  const rename = useSetAtom(renamedSubject.valueAtom);
  if (study.ownerName !== null) return null;
  return (
    <Button kind="quiet" size="small" className="study-rename" onClick={() => rename(study)}>
      <PencilIcon small />
      <Trans id="study.rename">Rename exam</Trans>
    </Button>
  );
}

export function RenameStudyDialog() {
  const [study, setStudy] = useAtom(renamedSubject.valueAtom);
  useFoundStudy(renamedSubject);
  const close = () => setStudy(undefined);
  return (
    <Dialog
      open={study !== undefined}
      onOpenChange={(open) => !open && close()}
      title={<Trans id="study.rename">Rename exam</Trans>}
      text={<Trans id="study.rename.text">The images don't change. Only what your list shows.</Trans>}
    >
      {study && <RenameForm study={study} onClose={close} />}
    </Dialog>
  );
}

function RenameForm({ study, onClose }: { study: Study; onClose: () => void }) {
  const { t } = useLingui();
  const close = useOwnClose(onClose);
  const [{ description }, change] = useKeptFields(`rename/${study.id}`, {
    description: study.studyDescription ?? "",
  });
  const renaming = useMutation({
    meta: { changes: EXAMS_AND_USAGE },
    mutationFn: () => studiesApi.rename(study.id, description.trim()),
    onSuccess: () => showToast({ tone: "ok", title: t({ id: "study.renamed", message: "Exam renamed" }) }),
  });
  return (
    <form
      className="mt-4 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        renaming.mutate(undefined, { onSuccess: close });
      }}
      noValidate
    >
      <TextField
        label={<Trans id="exam.description">Description</Trans>}
        hint={
          <Trans id="study.rename.hint">Leave it empty to go back to the description in the images.</Trans>
        }
        error={renaming.error?.message}
        maxLength={MAX_DESCRIPTION_LENGTH}
        autoComplete="off"
        value={description}
        onChange={({ target }) => change({ description: target.value })}
      />
      <FormActions isBusy={renaming.isPending} onCancel={onClose} />
    </form>
  );
}
