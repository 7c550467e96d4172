import { atom } from "jotai";
import { atomWithReducer } from "jotai/utils";
import { type Draft, type DraftEvent, NO_DRAFT, reduceDraft } from "./draft-state.ts";

/** What the person has picked and not sent yet; it stays while they look at another view. */
export const draftAtom = atomWithReducer<Draft, DraftEvent>(NO_DRAFT, reduceDraft);

/** Ends the reading that is running. */
export const readingAtom = atom<AbortController | undefined>(undefined);

/** Ends the packing that is running. */
export const packingAtom = atom<AbortController | undefined>(undefined);
