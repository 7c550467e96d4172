import { atom } from "jotai";
import type { LocalPick } from "./local-pick.ts";

/** Files that the person wants to keep in the archive once they are signed in. They live as long as the page does. */
export const pickToKeepAtom = atom<LocalPick | undefined>(undefined);
