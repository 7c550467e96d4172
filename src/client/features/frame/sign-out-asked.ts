import { useAtomValue, useSetAtom } from "jotai";
import { openAtom } from "../places/views.ts";
import { useSignOut } from "../session/use-sign-out.ts";
import { isUploadingAtom } from "../upload/tray/upload-jobs.ts";

/** Whether the person is being asked if they want to log out. */
export const signOutAskedAtom = openAtom("sign-out");

/** Signs out at once, or after a question if an upload would end by it. */
export function useCarefulSignOut(): () => void {
  const ask = useSetAtom(signOutAskedAtom);
  const isUploading = useAtomValue(isUploadingAtom);
  const signOut = useSignOut();
  return () => {
    if (isUploading) ask(true);
    else void signOut();
  };
}
