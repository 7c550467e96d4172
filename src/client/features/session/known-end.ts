import { atom } from "jotai";

export type KnownEnd = "logout" | "password" | "deleted";

/**
 * Why the session is over, if the page knows before a call is refused: from another tab, because its own call got no answer, or because
 * the account was deleted here.
 */
export const knownEndAtom = atom<KnownEnd | undefined>(undefined);
