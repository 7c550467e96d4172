import { withChunkSums } from "./chunk-sums.ts";
import type { ResumeRecord } from "./resume-records.ts";

/** Whether a file that is picked again is the one of which a part was sent: its name, its size, and what was sent of it. */
export async function isSameFile(
  file: File,
  fileName: string,
  { sizeBytes, samples }: Pick<ResumeRecord, "sizeBytes" | "samples">,
): Promise<boolean> {
  if (file.name !== fileName || file.size !== sizeBytes) return false;
  return await withChunkSums(async (sums) => {
    if (!sums) return true;
    for (const { offset, length, sum } of samples) {
      if ((await sums.sum(file.slice(offset, offset + length))) !== sum) return false;
    }
    return true;
  });
}
