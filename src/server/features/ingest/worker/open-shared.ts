import type { IngestSession } from "./ingest-session.ts";
import { removeObjects } from "./remove-objects.ts";
import type { SharedProcess, SmallUpload } from "./shared-process.ts";
import type { BuildPlan } from "./worker-messages.ts";

/** How an upload is begun again. */
interface Anew {
  /** Writes the spool again as it was received. */
  restore: () => Promise<void>;
  /** Opens a session in a process of its own. */
  openAlone: () => Promise<IngestSession>;
}

/** Has a small upload read beside others; `undefined` if it needs a process of its own. It gets one too when the shared one is lost. */
export async function openShared(
  process: SharedProcess,
  upload: SmallUpload,
  { restore, openAlone }: Anew,
): Promise<IngestSession | undefined> {
  const shared = await process.open(upload);
  if (!shared) return undefined;
  let alone: IngestSession | undefined;
  let lastPlan: BuildPlan | undefined;
  return {
    inflatedBytes: 0,
    scan: async () => shared.scan,
    build: async (plan) => {
      if (alone) return await alone.build(plan);
      const formerPlan = lastPlan;
      lastPlan = plan;
      const built = await shared.build(plan).catch((error) => {
        if (!shared.isLost) throw error;
      });
      if (built) return built;
      // No process works in the folder once this ends.
      await shared.dispose();
      upload.signal.throwIfAborted();
      for (const begun of [formerPlan, plan]) if (begun) await removeObjects(begun);
      await restore();
      alone = await openAlone();
      await alone.scan();
      return await alone.build(plan);
    },
    dispose: async () => {
      await shared.dispose();
      await alone?.dispose();
    },
  };
}
