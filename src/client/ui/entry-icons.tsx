import CircleAlert from "lucide-react/icons/circle-alert";
import CircleCheck from "lucide-react/icons/circle-check";
import Clock from "lucide-react/icons/clock";
import Eye from "lucide-react/icons/eye";
import EyeOff from "lucide-react/icons/eye-off";
import KeyRound from "lucide-react/icons/key-round";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import X from "lucide-react/icons/x";
import { icon } from "./icon.tsx";

// These icons are separate because the entry page loads no others.
export const CloseIcon = /* @__PURE__ */ icon(X);
export const SunIcon = /* @__PURE__ */ icon(Sun);
export const ClockIcon = /* @__PURE__ */ icon(Clock);
export const CircleCheckIcon = /* @__PURE__ */ icon(CircleCheck);
export const CircleAlertIcon = /* @__PURE__ */ icon(CircleAlert);
export const MoonIcon = /* @__PURE__ */ icon(Moon);
export const EyeIcon = /* @__PURE__ */ icon(Eye);
export const EyeOffIcon = /* @__PURE__ */ icon(EyeOff);
export const KeyIcon = /* @__PURE__ */ icon(KeyRound);
