import type { Locale } from "../../shared/locale.ts";
import { translate } from "../http/translate.ts";
import type { Marks } from "./client-graph.ts";
import { description } from "./social-card.tsx";
import { THEME_COLORS } from "./theme-colors.ts";

export const MANIFEST_PATH = "/manifest.webmanifest";

/** Where files are viewed that stay on the device. */
export const LOCAL_VIEW_PATH = "/ver";
export const SHARED_FILES = "files";
const SHARED_TYPES = [".zip", "application/zip", "application/x-zip-compressed", ".dcm", "application/dicom"];

/** What a browser needs to install this service as an application (W3C Web Application Manifest). */
export function webManifest(productName: string, locale: Locale, marks: Marks) {
  const icon = (src: string, sizes: string, purpose = "any") => ({ src, sizes, type: "image/png", purpose });
  return {
    name: productName,
    short_name: productName,
    description: translate(locale, description),
    lang: locale,
    id: "/his",
    start_url: "/his",
    scope: "/",
    display: "standalone",
    // Dark is the default theme.
    background_color: THEME_COLORS.dark,
    theme_color: THEME_COLORS.dark,
    // The service worker takes the files; the server never sees them.
    share_target: {
      action: LOCAL_VIEW_PATH,
      method: "POST",
      enctype: "multipart/form-data",
      params: { files: [{ name: SHARED_FILES, accept: SHARED_TYPES }] },
    },
    icons: [
      icon(marks.png192, "192x192"),
      icon(marks.png512, "512x512"),
      icon(marks.maskable512, "512x512", "maskable"),
    ],
  };
}
