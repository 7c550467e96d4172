import { dialogIdAtom } from "../places/views.ts";

/** Id of the payment that is open in the Pix dialog. */
export const shownPaymentAtom = dialogIdAtom("pix");
