import { AppError } from "../../http/app-error.ts";
import { archiveDamaged } from "../../http/http.errors.ts";
import { listVolumes } from "../objects/stored-objects.repo.ts";
import type { ObjectDeps } from "../reading/open-object.ts";
import { checkObject } from "./check-object.ts";

export function isDamage(error: unknown): boolean {
  return error instanceof AppError && error.kind === archiveDamaged;
}

/** The result of reading something of a damaged study; undefined if that is what is damaged. */
export async function undefinedIfLost<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Reads the whole volumes of a damaged study again, and returns those that an upload has to replace. */
export async function findLostVolumes(
  deps: ObjectDeps,
  studyId: string,
): Promise<{ volumes: string[]; lostVolumes: string[] }> {
  const volumes = await listVolumes(deps.db, studyId);
  const lostVolumes: string[] = [];
  for (const volume of volumes) {
    if (await checkObject(deps, volume)) lostVolumes.push(volume.id);
  }
  return { volumes: volumes.map(({ id }) => id), lostVolumes };
}
