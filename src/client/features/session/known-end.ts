import { atom } from "jotai";

/** Why the session is over, if the page knows before a call is refused: from another tab, or because its own call got no answer. */
export const knownEndAtom = atom<"logout" | "password" | undefined>(undefined);
