import { MAX_DELIVERY_UPLOADS } from "../../../shared/api/deliveries.ts";
import { PageOutdated } from "../../runtime/page-outdated.ts";
import { nameOfPick } from "../local-view/local-pick.ts";
import type { Picked } from "../pick/picked-files.ts";
import { sortExams } from "../upload/contents/sort-exams.ts";
import { MAX_SOURCES } from "../upload/draft/draft-state.ts";
import { type ExamSource, mergeExams } from "../upload/draft/merge-exams.ts";
import { beyondOf, type PlannedUpload, planUploads } from "../upload/draft/plan-uploads.ts";
import { type ReadOptions, readSource } from "../upload/draft/read-source.ts";
import { packedSizeBytes } from "../upload/pack-folder/pack-folder.ts";
import { problemOf } from "../upload/pack-folder/problem-of.ts";
import type { LeftOut, PickedDelivery } from "./delivery-state.ts";

interface PlanOptions extends Pick<ReadOptions, "maxUploadBytes" | "signal" | "look" | "onProgress"> {
  /** Computes checksums of loose files. They decide whether two sources hold the same images. */
  sum: (files: readonly Blob[], signal: AbortSignal) => Promise<void>;
}

/** A page that delivers knows neither what the account keeps nor what its plan has room for. The server judges both. */
const UNKNOWN = {
  known: [],
  room: Number.POSITIVE_INFINITY,
  roomBytes: Number.POSITIVE_INFINITY,
  unticked: new Set<string>(),
  corrections: new Map(),
};

/**
 * Looks into what was picked, and plans its uploads as those of an account are planned. What can't go is told by name.
 * @throws the signal's reason when aborted
 */
export async function planDelivery(picks: readonly Picked[], options: PlanOptions): Promise<PickedDelivery> {
  const { maxUploadBytes, signal, sum } = options;
  const { sources, refused } = await readAll(picks, options);
  await sum(mergeExams(sources).assumed, signal);
  const { exams, withoutTwins } = mergeExams(sources);
  const { toSend: chosen, tooLarge } = sortExams(exams, { ...UNKNOWN, maxUploadBytes });
  const uploads = planUploads({ ...UNKNOWN, sources, withoutTwins, chosen, maxUploadBytes });
  const name = sources[0]?.read.name ?? "";
  if (uploads.length > MAX_DELIVERY_UPLOADS)
    return { name, uploads: [], exams: [], leftOut: [...refused, { name: "", problem: "tooManyUploads" }] };
  const beyond = sources.flatMap((source) => beyondOf(source, maxUploadBytes));
  return {
    name,
    uploads,
    exams: chosen.map(({ exam }) => exam),
    leftOut: [
      ...refused,
      ...tooLarge.map(({ about }): LeftOut => ({ name: about.description, problem: "imageTooLarge" })),
      ...beyond.map(({ path }): LeftOut => ({ name: path, problem: "tooLarge" })),
    ],
  };
}

async function readAll(picks: readonly Picked[], options: PlanOptions) {
  const sources: ExamSource[] = [];
  const refused: LeftOut[] = picks.length === 0 ? [{ name: "", problem: "notZip" }] : [];
  for (const [n, picked] of picks.entries()) {
    const name = picked.kind === "refused" ? "" : nameOfPick(picked);
    if (n >= MAX_SOURCES) {
      refused.push({ name, problem: "tooManySources" });
      continue;
    }
    try {
      const read = await readSource(picked, options);
      sources.push({ id: String(n), read });
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof PageOutdated) throw error;
      refused.push({ name, problem: problemOf(error) });
    }
  }
  return { sources, refused };
}

/** The bytes of an upload before it is packed. */
export function sizeOfPlanned({ zip, files }: Pick<PlannedUpload, "zip" | "files">): number {
  return zip?.size ?? packedSizeBytes(files);
}
