import { atom } from "jotai";

/** What this page was told of why its session is over before a call finds that out: another tab did it, or a call whose answer was lost. */
export const toldEndAtom = atom<"logout" | "password" | undefined>(undefined);
