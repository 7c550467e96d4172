import { dialogIdAtom } from "../his/views.ts";

/** Id of the payment that is open in the Pix dialog. */
export const shownPaymentAtom = dialogIdAtom("pix");
