import { openAtom } from "../places/views.ts";

/** Whether the person is being asked if they want to log out. */
export const signOutAskedAtom = openAtom("sign-out");
