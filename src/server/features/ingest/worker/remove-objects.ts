import { rm } from "node:fs/promises";
import type { BuildPlan, PlannedObject } from "./worker-messages.ts";

/** The files that a build of this plan writes. */
export function plannedObjects(plan: BuildPlan): PlannedObject[] {
  return plan.studies.flatMap(({ volume, series }) => [volume, ...series.map(({ manifest }) => manifest)]);
}

/** Removes what a build of this plan wrote or would have written. */
export async function removeObjects(plan: BuildPlan): Promise<void> {
  for (const { path } of plannedObjects(plan)) await rm(path, { force: true });
}
