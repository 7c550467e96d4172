import { useLingui } from "@lingui/react/macro";
import { useAtomValue, useSetAtom, useStore } from "jotai";
import { randomId } from "../../../runtime/random-id.ts";
import { showToast } from "../../../ui/toast.tsx";
import { type LocalPick, nameOfPick } from "../../local-view/local-pick.ts";
import type { Picked } from "../../pick/picked-files.ts";
import { useHis } from "../../session/his-context.ts";
import type { ExamForm } from "../exam-form/exam-form.ts";
import { lookInWorker } from "../look-inside/look-in-worker.ts";
import { packInWorker } from "../pack-folder/packed-folder.ts";
import { problemOf } from "../pack-folder/problem-of.ts";
import { loadTusAhead } from "../send/load-tus.ts";
import { freePlaces } from "../tray/upload-job.ts";
import { addJobAtom, uploadJobsAtom } from "../tray/upload-jobs.ts";
import { draftAtom, packingAtom, readingAtom } from "./draft.ts";
import { type DraftProblem, type DraftSource, MAX_SOURCES } from "./draft-state.ts";
import { makeUploads, packedCount } from "./make-uploads.ts";
import { type PlannedUpload, wholeExamsIn } from "./plan-uploads.ts";
import { readSource } from "./read-source.ts";

/** What the person picks, until they send it: from then on it is in the tray. */
export function useDraft() {
  const { t } = useLingui();
  const { maxUploadBytes } = useHis();
  const store = useStore();
  const draft = useAtomValue(draftAtom);
  const dispatch = useSetAtom(draftAtom);
  const addJob = useSetAtom(addJobAtom);

  /** Looks into what was not looked into yet, one source after the other. */
  const readOn = async () => {
    if (store.get(readingAtom)) return;
    for (;;) {
      const next = store.get(draftAtom).sources.find(({ read }) => !read);
      if (!next) return;
      const controller = new AbortController();
      store.set(readingAtom, controller);
      try {
        await readOne(next, controller.signal);
      } finally {
        store.set(readingAtom, undefined);
      }
    }
  };

  const readOne = async ({ id, picked }: DraftSource, signal: AbortSignal) => {
    dispatch({ type: "began", id });
    try {
      const read = await readSource(picked, {
        maxUploadBytes,
        signal,
        look: lookInWorker,
        onProgress: (progress) => dispatch({ type: "progressed", id, progress }),
        onFilm: (frame, film) => dispatch({ type: "drawn", id, frame, film }),
      });
      dispatch({ type: "read", id, read });
    } catch (error) {
      if (!signal.aborted) dispatch({ type: "failed", id, problem: problemOf(error) });
    }
  };

  const pick = async (picking: Picked[] | Promise<Picked[]>) => {
    loadTusAhead();
    const { sources, problems } = await takePicked(picking, store.get(draftAtom).sources.length);
    dispatch({ type: "picked", sources, problems });
    await readOn();
  };

  const remove = (ids: readonly string[]) => {
    const { reading } = store.get(draftAtom);
    dispatch({ type: "removed", ids });
    if (reading && ids.includes(reading.id))
      store.get(readingAtom)?.abort(new DOMException("", "AbortError"));
  };

  /**
   * Hands what was chosen to the tray, packed where it must be. Each upload goes as soon as it is made; until then nothing of it is lost.
   * @param plan what to send; it may have to read some files once more
   */
  const send = async (plan: (signal: AbortSignal) => Promise<PlannedUpload[]>) => {
    if (store.get(packingAtom)) return;
    const controller = new AbortController();
    const { signal } = controller;
    store.set(packingAtom, controller);
    dispatch({ type: "packing", packing: { packed: 0, total: 0 } });
    let planned: PlannedUpload[] = [];
    const handed: string[] = [];
    try {
      planned = await plan(signal);
      if (planned.length > freePlaces(store.get(uploadJobsAtom))) return tellFull();
      const total = packedCount(planned);
      const onPacked = (packed: number) => dispatch({ type: "packing", packing: { packed, total } });
      if (total > 0) onPacked(0);
      for await (const made of makeUploads(planned, { signal, pack: packInWorker, onPacked })) {
        const id = randomId();
        if (!addJob({ ...made, id, state: { stage: "queued" } }, handed)) {
          await made.upload.dispose();
          return tellFull();
        }
        handed.push(id);
      }
      dispatch({ type: "reset" });
    } catch (error) {
      if (!signal.aborted) dispatch({ type: "refused", problem: problemOf(error) });
    } finally {
      store.set(packingAtom, undefined);
      if (store.get(draftAtom).packing) dispatch({ type: "packing", packing: undefined });
      // What is in the tray is not chosen for another time.
      const isLeft = handed.length > 0 && store.get(draftAtom).sources.length > 0;
      if (isLeft) for (const key of wholeExamsIn(planned, handed.length)) tick(key, false);
    }
  };

  const tick = (key: string, isTicked: boolean) => dispatch({ type: "ticked", key, isTicked });

  const tellFull = () =>
    showToast({
      tone: "bad",
      title: t({ id: "upload.queueFull", message: "Too many uploads are waiting" }),
    });

  return {
    draft,
    pick: (picking: Picked[] | Promise<Picked[]>) => void pick(picking),
    remove: (id: string) => remove([id]),
    /** Leaves out what was not looked into yet. */
    cancelReading: () => remove(draft.sources.flatMap(({ id, read }) => (read ? [] : [id]))),
    tick,
    correct: (key: string, form: ExamForm) => dispatch({ type: "corrected", key, form }),
    send: (plan: (signal: AbortSignal) => Promise<PlannedUpload[]>) => void send(plan),
    cancelPacking: () => store.get(packingAtom)?.abort(new DOMException("", "AbortError")),
  };
}

async function takePicked(picking: Picked[] | Promise<Picked[]>, count: number) {
  const problems: DraftProblem[] = [];
  const sources: DraftSource[] = [];
  for (const picked of await droppedOr(picking, problems)) {
    if (picked.kind === "refused") problems.push({ name: "", problem: "notZip" });
    else if (count + sources.length < MAX_SOURCES) sources.push(sourceOf(picked));
    else if (!problems.some(({ problem }) => problem === "tooManySources"))
      problems.push({ name: "", problem: "tooManySources" });
  }
  return { sources, problems };
}

/** What was dropped may be gone before it is read. */
async function droppedOr(picking: Picked[] | Promise<Picked[]>, problems: DraftProblem[]): Promise<Picked[]> {
  try {
    return await picking;
  } catch (error) {
    problems.push({ name: "", problem: problemOf(error) });
    return [];
  }
}

function sourceOf(picked: LocalPick): DraftSource {
  const sizeBytes = picked.kind === "zip" ? picked.file.size : undefined;
  const { kind } = picked;
  return { id: randomId(), picked, kind, name: nameOfPick(picked), sizeBytes, read: undefined };
}
