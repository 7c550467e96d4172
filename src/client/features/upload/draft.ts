import { atom } from "jotai";
import { atomWithReducer } from "jotai/utils";
import { type Draft, type DraftEvent, reduceDraft } from "./upload-state.ts";

/** What the person has picked and not sent yet; it stays while they look at another view. */
export const draftAtom = atomWithReducer<Draft, DraftEvent>({ stage: "idle" }, reduceDraft);

/** Ends the preparation that is running. */
export const preparationAtom = atom<AbortController | undefined>(undefined);
