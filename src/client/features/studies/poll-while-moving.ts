import type { StudyPage } from "./studies-api.ts";

const POLL_MS = 5_000;

/** For `refetchInterval`: studies are read again every 5 s while any of them is being transferred to the store. */
export function pollWhileMoving({ state }: { state: { data: StudyPage | undefined } }): number | false {
  const isMoving = state.data?.studies.some(
    ({ storageStatus }) => storageStatus === "local" || storageStatus === "transferring",
  );
  return isMoving ? POLL_MS : false;
}
