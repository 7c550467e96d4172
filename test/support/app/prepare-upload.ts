import { planDelivery } from "../../../src/client/features/delivery/plan-delivery.ts";
import type { Picked } from "../../../src/client/features/pick/picked-files.ts";
import { sumInWorker } from "../../../src/client/features/upload/draft/file-sums.ts";
import { makeUploads } from "../../../src/client/features/upload/draft/make-uploads.ts";
import { lookInside } from "../../../src/client/features/upload/look-inside/look-inside.ts";
import {
  type PackableFile,
  packFolder,
} from "../../../src/client/features/upload/pack-folder/pack-folder.ts";
import { blobTarget } from "../../../src/client/features/upload/pack-folder/pack-sinks.ts";
import type { PreparedUpload } from "../../../src/client/features/upload/prepare-upload.ts";

const { signal } = new AbortController();

/** Plans what a person picked as the pages do, without their workers. */
export function planOf(picked: readonly Picked[], maxUploadBytes = 1024 ** 3) {
  return planDelivery(picked, {
    ...{ maxUploadBytes, signal, sum: sumInWorker, onProgress() {} },
    look: (files, { onRead }) => lookInside(files, onRead),
  });
}

/** Packs like the worker, but without one. */
async function pack(files: PackableFile[]) {
  const target = blobTarget();
  await packFolder(files, target.sink);
  return { zip: await target.finish(), dispose: async () => {} };
}

/** The uploads that send what a person picked. @throws {Error} the problem of what can't go */
export async function prepareUploads(
  picked: readonly Picked[],
  maxUploadBytes?: number,
): Promise<PreparedUpload[]> {
  const { uploads, leftOut } = await planOf(picked, maxUploadBytes);
  if (leftOut[0]) throw new Error(leftOut[0].problem);
  const made = await Array.fromAsync(makeUploads(uploads, { signal, pack, onPacked() {} }));
  return made.map(({ upload }) => upload);
}
