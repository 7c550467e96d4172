import { atom } from "jotai";

/** Id of the payment that is open in the Pix dialog. */
export const shownPaymentAtom = atom<string | undefined>(undefined);
