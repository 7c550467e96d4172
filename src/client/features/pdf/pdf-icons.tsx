import ChevronUp from "lucide-react/icons/chevron-up";
import ZoomIn from "lucide-react/icons/zoom-in";
import ZoomOut from "lucide-react/icons/zoom-out";
import { icon } from "../../ui/icon.tsx";

export const ChevronUpIcon = /* @__PURE__ */ icon(ChevronUp);
export const ZoomInIcon = /* @__PURE__ */ icon(ZoomIn);
export const ZoomOutIcon = /* @__PURE__ */ icon(ZoomOut);
