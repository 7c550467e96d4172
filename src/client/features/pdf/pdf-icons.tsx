import { icon } from "../../ui/icons.tsx";

// Drawings from Lucide (ISC).
export const ChevronUpIcon = /* @__PURE__ */ icon(<path d="m18 15-6-6-6 6" />);
export const ZoomInIcon = /* @__PURE__ */ icon(
  <>
    <circle cx="11" cy="11" r="8" />
    <path d="m21 21-4.35-4.35" />
    <path d="M11 8v6" />
    <path d="M8 11h6" />
  </>,
);
export const ZoomOutIcon = /* @__PURE__ */ icon(
  <>
    <circle cx="11" cy="11" r="8" />
    <path d="m21 21-4.35-4.35" />
    <path d="M8 11h6" />
  </>,
);
