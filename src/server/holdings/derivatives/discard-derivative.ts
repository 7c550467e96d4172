import type { Deps } from "../../deps.ts";
import { derivativeQueue } from "../holding-queues.ts";
import { discardObjects } from "../objects/discard-objects.ts";
import { type StoredDerivative, takeDerivative, takeForgottenDerivatives } from "./derivatives.repo.ts";

const ROWS_A_TIME = 500;

/** Deletes a copy whose bytes are wrong or gone, or that an early release made wrong, and has it made again. */
export async function remakeDerivative(
  deps: Pick<Deps, "db" | "jobs" | "log">,
  derivative: StoredDerivative,
  why: "damaged" | "early",
): Promise<void> {
  const { db, jobs, log } = deps;
  const { studyId, key } = derivative;
  await db.transaction(async (tx) => {
    const objects = await takeDerivative(tx, derivative);
    if (objects.length === 0) return;
    await discardObjects(deps, tx, objects);
    await jobs.enqueue(derivativeQueue, { studyId }, { tx, singletonKey: studyId });
    if (why === "damaged") log.warn("derivative.damaged", { key });
    else log.info("derivative.early", { key });
  });
}

/** Deletes the copies of series that have changed or are gone; all of them if the server is set to have none. */
export async function sweepForgottenDerivatives(deps: Pick<Deps, "db" | "jobs" | "config">): Promise<void> {
  const evenWanted = !deps.config.hasDerivatives;
  for (;;) {
    const { rows } = await deps.db.transaction(async (tx) => {
      const taken = await takeForgottenDerivatives(tx, { limit: ROWS_A_TIME, evenWanted });
      await discardObjects(deps, tx, taken.objects);
      return taken;
    });
    if (rows < ROWS_A_TIME) return;
  }
}
