import "../runtime/older-browsers.ts";
import { takeAccess } from "./access.ts";
import { showEndedNotice } from "./ended-notice.ts";
import { isImageHere, isImageInSight, onImageDrawn } from "./first-image.ts";
import { loadScriptsFromParent } from "./handed-scripts.ts";
import { hideImageNotice, showImageNotice } from "./image-notice.ts";
import { onEscape } from "./leave-on-escape.ts";
import portuguese from "./locales/pt-BR.json";
import { createLostImages } from "./lost-images.ts";
import { onScriptLost } from "./lost-script.ts";
import { tellParent } from "./messages.ts";
import { removePeerConnections } from "./peer-connections.ts";
import { ensureStorage } from "./storage.ts";
import { TEXTS, viewerLanguage } from "./texts.ts";

// Runs before OHIF, which reads these globals. Bundled by scripts/build/viewer.ts.
declare global {
  interface Window {
    PUBLIC_URL: string;
    browserImportFunction: (specifier: string) => Promise<unknown>;
    viewerLocales: Record<string, unknown>;
    viewerText: (english: string) => string;
    viewerHasTouch: boolean;
    config: unknown;
  }
}

removePeerConnections(window);
ensureStorage(window);
const language = viewerLanguage(new URL(location.href).searchParams.get("lng"));
const texts = TEXTS[language];
const access = takeAccess(window);
const root = `/dicomweb/t/${encodeURIComponent(access?.token ?? "none")}`;

const hasTouch = window.matchMedia("(pointer: coarse)").matches;
/** Also matches a phone in landscape, because people turn it while the viewer is open. */
const isPhone =
  window.innerWidth <= 760 || (hasTouch && Math.min(window.screen.width, window.screen.height) <= 600);
/** OHIF's tools that fit on a phone. Touch pans and zooms without a tool. */
const PHONE_TOOLS = {
  primary: { $set: ["MeasurementTools", "StackScroll", "WindowLevel", "Capture", "MoreTools"] },
  MoreTools: {
    $set: [
      "Reset",
      "rotate-right",
      "flipHorizontal",
      "invert",
      "Zoom",
      "Pan",
      "Cine",
      "Angle",
      "Probe",
      "Magnify",
      "TagBrowser",
    ],
  },
};

document.documentElement.lang = language;
localStorage.setItem("i18nextLng", language);

/** An expired token gives 401; a revoked grant or a deleted exam gives 404. */
function onDicomwebStatus(status: number | undefined): void {
  if (status !== 401 && status !== 403 && status !== 404) return;
  showEndedNotice(texts);
  tellParent("shown");
}

/** The error of a failed request; status is 0 if the connection broke, and missing if decoding failed. */
interface ViewerError {
  status?: number;
  request?: { status?: number };
}

/** The server's status for a frame whose stored bytes differ from the received ones. */
const DAMAGED_STATUS = 500;

/** OHIF reports failed requests, and images that it could not fetch or decode. */
function onViewerError(error: ViewerError | undefined, imageId?: string): void {
  const status = error?.status ?? error?.request?.status;
  onDicomwebStatus(status);
  if (imageId !== undefined) lostImages.add(imageId, status);
}

const lostImages = createLostImages({
  isInSight: isImageInSight,
  hasCome: isImageHere,
  tell: reportLostImage,
});

function reportLostImage(status: number | undefined): void {
  // Without a connection, the missing part may be a decoder.
  const isLost = status !== undefined || !navigator.onLine;
  const lost = status === DAMAGED_STATUS ? texts.imageDamaged : texts.imageLost;
  showImageNotice(isLost ? lost : texts.imageNotShown);
  tellParent("shown");
}

onImageDrawn(() => {
  if (lostImages.isInSight()) return;
  hideImageNotice();
  tellParent("shown");
});
onEscape(() => tellParent("leave"));
onScriptLost(() => tellParent("broken"));
const load = loadScriptsFromParent();
tellParent("begun");

window.PUBLIC_URL = "/viewer/";
window.browserImportFunction = () => Promise.reject(new Error("the viewer loads no modules from elsewhere"));
window.viewerLocales = { "pt-BR": portuguese };
window.viewerHasTouch = hasTouch;
window.viewerText = (english) => texts.hardCoded[english] ?? english;
window.config = {
  name: "exameteca",
  routerBasename: "/viewer",
  extensions: [],
  modes: [],
  modesConfiguration: {
    "@ohif/mode-basic": {
      routes: { 0: { layoutInstance: { props: { leftPanelClosed: { $set: isPhone } } } } },
    },
  },
  showStudyList: false,
  maxNumberOfWebWorkers: 3,
  showWarningMessageForCrossOrigin: false,
  showCPUFallbackMessage: false,
  showLoadingIndicator: true,
  strictZSpacingForVolumeViewport: true,
  // Our own header around the viewer shows the notice about diagnostic use.
  investigationalUseDialog: { option: "never" },
  showPatientInfo: "disabled",
  disableConfirmationPrompts: true,
  showErrorDetails: "production",
  httpErrorHandler: onViewerError,
  maxNumRequests: { interaction: 100, thumbnail: 5, prefetch: 25 },
  // Our own header carries the name; without an element here OHIF puts its logo.
  whiteLabeling: {
    createLogoComponentFn: (React: { createElement: (tag: string) => unknown }) =>
      React.createElement("span"),
  },
  customizationService: [
    {
      "ohif.tours": { $set: [] },
      "studyBrowser.studyMode": { $set: "primary" },
      ...(isPhone && { "cornerstone.toolbarSections": PHONE_TOOLS }),
    },
  ],
  defaultDataSourceName: "exameteca",
  dataSources: [
    {
      namespace: "@ohif/extension-default.dataSourcesModule.dicomweb",
      sourceName: "exameteca",
      configuration: {
        friendlyName: "Exameteca",
        name: "exameteca",
        qidoRoot: root,
        wadoRoot: root,
        qidoSupportsIncludeField: true,
        imageRendering: "wadors",
        thumbnailRendering: "wadors",
        enableStudyLazyLoad: true,
        supportsFuzzyMatching: false,
        supportsWildcard: false,
        // One part without multipart framing, so the browser need not search and cut it. First the lossless copy, if there is one.
        acceptHeader: [
          "image/jphc; transfer-syntax=1.2.840.10008.1.2.4.202",
          "application/octet-stream; transfer-syntax=*",
        ],
        // Otherwise OHIF would decode such a part before it has arrived completely.
        stackRetrieveOptions: { retrieveOptions: { single: { streaming: false } } },
        bulkDataURI: { enabled: false },
        dicomUploadEnabled: false,
      },
    },
  ],
};

/** A sandboxed page names its application here instead of loading it, because the framing page may hand it over. */
const entry = document.querySelector("meta[name=viewer-entry]")?.getAttribute("content");
const tellLoaded = () => tellParent("loaded");
if (entry) document.addEventListener("DOMContentLoaded", () => load(entry, tellLoaded));
else window.addEventListener("load", tellLoaded);
