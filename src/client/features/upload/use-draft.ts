import { useLingui } from "@lingui/react/macro";
import { useAtom, useSetAtom, useStore } from "jotai";
import { showToast } from "../../ui/toast.tsx";
import type { Picked } from "../pick/picked-files.ts";
import { useHis } from "../session/his-context.ts";
import { draftAtom, preparationAtom } from "./draft.ts";
import type { ExamForm } from "./exam-form/exam-form.ts";
import { lookInWorker } from "./look-inside/look-in-worker.ts";
import { PackingFailed, packInWorker } from "./pack-folder/packed-folder.ts";
import { prepareUpload, type UploadProblem, UploadRefused } from "./prepare-upload.ts";
import { addJobAtom } from "./tray/upload-jobs.ts";
import type { PickedSource } from "./upload-state.ts";

/** What the person picks, until they send it: from then on it is in the tray. */
export function useDraft() {
  const { t } = useLingui();
  const { maxUploadBytes } = useHis();
  const store = useStore();
  const [draft, dispatch] = useAtom(draftAtom);
  const addJob = useSetAtom(addJobAtom);

  /** Ends the running preparation, removes its files, and returns the signal of the next one. */
  const begin = () => {
    const before = store.get(draftAtom);
    if (before.stage === "ready") void before.upload.dispose();
    store.get(preparationAtom)?.abort();
    const controller = new AbortController();
    store.set(preparationAtom, controller);
    return controller.signal;
  };

  const pick = async (picking: Picked | Promise<Picked>) => {
    const signal = begin();
    try {
      const picked = await picking;
      if (picked.kind !== "refused") dispatch({ type: "picked", source: sourceOf(picked) });
      const upload = await prepareUpload(picked, {
        maxUploadBytes,
        signal,
        pack: packInWorker,
        look: lookInWorker,
        onProgress: (progress) => {
          if (!signal.aborted) dispatch({ type: "progressed", progress });
        },
      });
      if (signal.aborted) return void upload.dispose();
      dispatch({ type: "prepared", upload });
    } catch (error) {
      if (!signal.aborted) dispatch({ type: "refused", problem: problemOf(error) });
    }
  };

  const submit = (form: ExamForm) => {
    if (draft.stage !== "ready") return;
    const { upload, source, counts } = draft;
    const job = {
      upload,
      source,
      counts,
      form,
      id: crypto.randomUUID(),
      state: { stage: "queued" } as const,
    };
    if (addJob(job)) dispatch({ type: "reset" });
    else
      showToast({
        tone: "bad",
        title: t({ id: "upload.queueFull", message: "Too many uploads are waiting" }),
      });
  };

  const discard = () => {
    begin();
    dispatch({ type: "reset" });
  };

  return { draft, pick, submit, discard };
}

/** A DOMException while reading means that the files have vanished. */
function problemOf(error: unknown): UploadProblem {
  if (error instanceof UploadRefused) return error.problem;
  if (error instanceof PackingFailed) return "packingFailed";
  if (error instanceof DOMException) return "badZip";
  throw error;
}

function sourceOf(picked: Exclude<Picked, { kind: "refused" }>): PickedSource {
  if (picked.kind === "zip") return { kind: "zip", name: picked.file.name, sizeBytes: picked.file.size };
  const sizeBytes = picked.files.reduce((total, { file }) => total + file.size, 0);
  return { kind: "folder", name: picked.name, sizeBytes };
}
