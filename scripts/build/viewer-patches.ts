import { APP, EXTENSION, HARD_CODED_TEXTS, ICON_TITLES } from "./viewer-texts.ts";

/** Which files of `@ohif/app` we serve, and what we change in them. Written for 3.13.2; a miss fails the build. */

export interface Patch {
  /**
   * `address`: the viewer lies under a path, not at the root. `removal`: a part that a patient's viewer does not have.
   * `text`: words in OHIF's code. `defect`: a mistake of OHIF's; the patch goes when upstream mends it.
   * `product`: a difference that this product wants.
   */
  kind: "address" | "removal" | "text" | "defect" | "product";
  why: string;
  /** Where OHIF's or Cornerstone's own sources have it. */
  upstream: string;
  file: RegExp;
  find: string;
  /** `publicPath` ends with a slash. */
  replace: (publicPath: string) => string;
}

const remove = () => "";

/** Modes and extensions a patient's viewer does not have; their chunks are left out below. */
const REMOVED_PLUGINS = [
  'pluginImports_modes.push("@ohif/mode-longitudinal");',
  'pluginImports_modes.push("@ohif/mode-segmentation");',
  'pluginImports_modes.push("@ohif/mode-tmtv");',
  'pluginImports_modes.push("@ohif/mode-microscopy");',
  'pluginImports_modes.push("@ohif/mode-preclinical-4d");',
  'pluginImports_modes.push("@ohif/mode-ultrasound-pleura-bline");',
  'pluginImports_extensions.push("@ohif/extension-ultrasound-pleura-bline");',
];

/** The chunk of the basic mode: its tools and their bindings. */
const MODE = /^6749\.bundle\.[0-9a-f]+\.js$/;

const STYLES = "app.bundle.css";

/** The application and each of its workers: the files that resolve their own chunks, wasm and workers. */
const RUNTIMES =
  /^(app|compute|histogram-worker|interpolation|polySeg|136|2299|8097)\.bundle\.[0-9a-f]+\.js$/;

const UNMOVED = '__webpack_require__.p = "/"';

export const PATCHES: Patch[] = [
  {
    kind: "address",
    why: "A worker that a sandboxed page starts has no address to resolve paths against; it is told our origin.",
    upstream: "webpack's output.publicPath",
    file: RUNTIMES,
    find: UNMOVED,
    replace: (publicPath) =>
      `__webpack_require__.p = (self.viewerOrigin || "") + ${JSON.stringify(publicPath)}`,
  },
  ...REMOVED_PLUGINS.map(
    (find): Patch => ({
      kind: "removal",
      why: "The viewer has one mode, to look.",
      upstream: "platform/app/pluginConfig.json",
      file: APP,
      find,
      replace: remove,
    }),
  ),
  {
    kind: "text",
    why: "OHIF has a sixth of its texts in Portuguese; ours are added before it starts.",
    upstream: "platform/i18n/src/index.js",
    file: APP,
    find: ".A.addLocales = addLocales;",
    replace: () => ".A.addLocales = addLocales; addLocales(window.viewerLocales);",
  },
  ...HARD_CODED_TEXTS.map(
    ([file, before, literal]): Patch => ({
      kind: "text",
      why: "OHIF does not translate this text.",
      upstream: "the component that shows it",
      file,
      find: before + literal,
      replace: () => `${before}window.viewerText(${literal})`,
    }),
  ),
  ...ICON_TITLES.map(
    (name): Patch => ({
      kind: "text",
      why: "A screen reader would read the icon's English file name.",
      upstream: "platform/ui-next/src/components/Icons/Sources",
      file: APP,
      find: `/*#__PURE__*/react.createElement("title", null, "${name}"), `,
      replace: () => "",
    }),
  ),
  {
    kind: "defect",
    why: "OHIF looks its error handler up and forgets to call it: a refused frame would go unnoticed.",
    upstream: "extensions/cornerstone/src/initWADOImageLoader.js",
    file: EXTENSION,
    find: ".getHTTPErrorHandler(error);",
    replace: () => ".getHTTPErrorHandler()?.(error);",
  },
  {
    kind: "product",
    why: "The handler tells of a failed image, and not of a failed thumbnail: it needs to know which it was.",
    upstream: "extensions/cornerstone/src/init.tsx",
    file: EXTENSION,
    find: "handler(detail.error);",
    replace: () => "handler(detail.error, detail.imageId);",
  },
  {
    kind: "defect",
    why: "Cornerstone draws without WebGL where there is none; OHIF has it try all the same and shows black.",
    upstream: "extensions/cornerstone/src/init.tsx",
    file: EXTENSION,
    find: "esm.setUseCPURendering(Boolean(appConfig.useCPURendering));",
    replace: () => "if (appConfig.useCPURendering) esm.setUseCPURendering(true);",
  },
  {
    kind: "removal",
    why: "The button stores a measurement report on the server, which takes none from the viewer.",
    upstream: "extensions/cornerstone/src/components/StudyMeasurementsActions.tsx",
    file: EXTENSION,
    find: `className: "pl-0.5",
    onClick: e => {
      e.stopPropagation();
      if (actions?.createSR) {`,
    replace: () => `className: "hidden",
    onClick: e => {
      e.stopPropagation();
      if (actions?.createSR) {`,
  },
  {
    kind: "product",
    why: "With a series named in the address OHIF waits for the metadata of all; the named one is enough to begin with.",
    upstream: "platform/app/src/routes/Mode/defaultRouteInit.ts",
    file: APP,
    find: `const requiredSeriesPromises = retrieveSeriesMetadataPromise.map(promise => promise.start());
        allPromises.push(Promise.allSettled(requiredSeriesPromises));`,
    replace:
      () => `const isNamed = promise => initialSeriesInstanceUID?.includes(promise.metadata?.SeriesInstanceUID);
        const named = retrieveSeriesMetadataPromise.filter(isNamed);
        const first = named.length > 0 ? named : retrieveSeriesMetadataPromise;
        allPromises.push(Promise.allSettled(first.map(promise => promise.start())));
        remainingPromises.push(retrieveSeriesMetadataPromise.filter(promise => !first.includes(promise)));`,
  },
  {
    kind: "product",
    why: "A stack begins with its middle image, as in our own viewer; in OHIF with its first, which shows the least.",
    upstream: "extensions/default/src/getHangingProtocolModule.js",
    file: EXTENSION,
    find: "custom: 'sopInstanceLocation'",
    replace: () => "custom: 'sopInstanceLocation', defaultValue: { preset: 'middle' }",
  },
  {
    kind: "product",
    why: "One finger scrolls through the slices, as the wheel does; in OHIF three do, and one changes the window.",
    upstream: "modes/basic/src/initToolGroups.ts",
    file: MODE,
    find: `toolGroupService.createToolGroupAndAddTools(toolGroupId, updatedTools);
}
function initSRToolGroup`,
    replace: () => `const toolGroup = toolGroupService.createToolGroupAndAddTools(toolGroupId, updatedTools);
  if (window.viewerHasTouch) {
    toolGroup.setToolPassive(toolNames.WindowLevel);
    toolGroup.setToolActive(toolNames.StackScroll, { bindings: [{ mouseButton: Enums.MouseBindings.Primary }] });
  }
}
function initSRToolGroup`,
  },
  {
    kind: "product",
    why: "Our style sheet arranges the tools on a phone by this name.",
    upstream: "platform/ui-next/src/components/Header/Header.tsx",
    file: APP,
    find: `"absolute left-1/2 top-1/2 -translate-x-1/2 -translate-y-1/2 transform"
  }, /*#__PURE__*/react.createElement("div", {
    className: "flex items-center justify-center space-x-2"`,
    replace: () => `"viewer-tools absolute left-1/2 top-1/2 -translate-x-1/2 -translate-y-1/2 transform"
  }, /*#__PURE__*/react.createElement("div", {
    className: "flex items-center justify-center space-x-2"`,
  },
  {
    kind: "product",
    why: "Our style sheet arranges the buttons on a phone by this name.",
    upstream: "extensions/default/src/ViewerLayout/ViewerHeader.tsx",
    file: EXTENSION,
    find: `UndoRedo: /*#__PURE__*/react.createElement("div", {
      className: "text-primary`,
    replace: () => `UndoRedo: /*#__PURE__*/react.createElement("div", {
      className: "viewer-undo text-primary`,
  },
  {
    kind: "defect",
    why: "Two pixels of YBR_FULL_422 share a Cb and a Cr (PS3.3 §C.7.6.3.1.2); Cornerstone expects 4:2:0 and shows black.",
    upstream: "cornerstone3D packages/dicomImageLoader/src/imageLoader/isColorConversionRequired.ts",
    file: APP,
    find: `pixelDataLength ===
            (3 * Math.ceil(columns / 2) + Math.floor(columns / 2)) *
                Math.ceil(rows / 2) +
                Math.floor(rows / 2) * columns`,
    replace: () => "pixelDataLength === 2 * columns * rows",
  },
  {
    kind: "address",
    why: "The style sheet names its pictures from the root.",
    upstream: "webpack's output.publicPath",
    file: /^app\.bundle\.css$/,
    find: "url(/",
    replace: (publicPath) => `url(${publicPath}`,
  },
];

/** Languages the product does not have: their texts and their entries in the viewer's language menu. */
const REMOVED_LOCALES: Record<string, string> = {
  ar: "ar",
  de: "de",
  es: "locales_es",
  fr: "fr",
  "ja-JP": "ja_JP",
  nl: "nl",
  ru: "ru",
  "test-LNG": "test_LNG",
  "tr-TR": "tr_TR",
  vi: "vi",
  zh: "zh",
};

/** What OHIF loads until it has drawn a first image, in the order of its use. */
const OPENING_CHUNKS =
  "app 1673 6938 6489 6495 8478 89 2623 6749 3552 341 9383 7248 100 781 9415 3500 9116 9068 899 5448 5910 7463";

/**
 * The scripts of an opening, in the order of their use.
 * @throws where this OHIF has not each of them
 */
export function openingScripts(paths: readonly string[]): string[] {
  return OPENING_CHUNKS.split(" ").map((chunk) => {
    const script = paths.find((path) => path.startsWith(`${chunk}.bundle.`) && path.endsWith(".js"));
    if (!script) throw new Error(`the viewer has no chunk ${chunk}`);
    return script;
  });
}

const LEFT_OUT: RegExp[] = [
  /\.map$/,
  // Optional features with their own runtimes: on-device segmentation models, slide microscopy.
  /^(ort|dicom-microscopy-viewer|customizations)\//,
  // init-service-worker unregisters every service worker of the origin, ours too.
  /^(init-service-worker|sw|google|oidc-client\.min|polyfill\.min|es6-shim\.min|app-config)\.js$/,
  /^(silent-refresh\.html|serve\.json|_headers|_redirects|manifest\.json|index\.html|ohif-logo.*\.svg)$/,
  // Icons and start pictures of the OHIF site; the volume presets' pictures stay.
  /^assets\/(?!images\/)/,
  // Chunks of the modes and extensions removed above, and of the test and development modes.
  /^(5731|8832|8033|7499|1602|9437|8423|4556|4683|1180|2779|9290|8492|1483|5696)\.bundle\./,
  /^(2779|8832|1602|8423|8492|976|7499)\.css$/,
];

export function isLeftOut(path: string): boolean {
  return LEFT_OUT.some((pattern) => pattern.test(path));
}

/** Lists the patches that a new version of OHIF has no place for. `readFile` reads a file of OHIF by its path. */
export function lostPatches(paths: readonly string[], readFile: (path: string) => string): Patch[] {
  const lost = new Set(PATCHES);
  const missed = new Set<Patch>();
  for (const path of paths) {
    const concerned = PATCHES.filter(({ file }) => file.test(path));
    const source = concerned.length > 0 ? readFile(path) : "";
    for (const patch of concerned) {
      lost.delete(patch);
      if (!source.includes(patch.find)) missed.add(patch);
    }
  }
  return [...lost, ...missed];
}

/** @throws if a patch does not find its target: the viewer is another version than the one the patches were written for */
export function applyPatches(path: string, source: string, publicPath: string): string {
  let patched = source;
  for (const patch of PATCHES) {
    if (!patch.file.test(path)) continue;
    if (!patched.includes(patch.find)) throw new Error(`viewer patch finds no ${patch.find} in ${path}`);
    patched = patched.replaceAll(patch.find, () => patch.replace(publicPath));
  }
  if (patched.includes(UNMOVED)) throw new Error(`no viewer patch moves the public path of ${path}`);
  if (path === STYLES) return removeTourStyles(patched);
  return APP.test(path) ? removeTours(removeLocales(patched)) : patched;
}

/** The library of OHIF's guided tours is under the AGPL, so it must not ship; our configuration has no tours. */
const TOUR_MODULES =
  /;\/\/ CONCATENATED MODULE: \S*node_modules\/shepherd\.js\/[\s\S]*?(?=\n;?\/\/ (?:CONCATENATED|EXTERNAL) MODULE: )/g;
const TOUR_STYLES = /[^{}]*\.shepherd-[^{}]*\{[^{}]*\}/g;

/** @throws where the script and the style sheet of the tours are not both found */
function removeTours(source: string): string {
  if (source.match(TOUR_MODULES)?.length !== 2) throw new Error("the viewer's tours are not where expected");
  const trimmed = source.replace(TOUR_MODULES, "");
  if (trimmed.includes("node_modules/shepherd.js"))
    throw new Error("something of the viewer's tours remains");
  return trimmed;
}

function removeTourStyles(source: string): string {
  if (!source.match(TOUR_STYLES)) throw new Error("the viewer's tours have no styles where expected");
  return source.replace(TOUR_STYLES, "");
}

/** @throws where a locale is not laid out as expected */
function removeLocales(source: string): string {
  let trimmed = source;
  for (const [locale, variable] of Object.entries(REMOVED_LOCALES)) {
    const texts = new RegExp(
      `(/i18n/src/locales/${locale}/\\w+\\.json\\n\\s*var \\w+ = )JSON\\.parse\\(.*\\)`,
      "g",
    );
    if (!texts.test(trimmed)) throw new Error(`viewer has no texts of locale ${locale} where expected`);
    trimmed = trimmed.replace(texts, "$1{}");
    const entry = new RegExp(`^  \\.\\.\\.${variable},?\\n`, "m");
    if (!entry.test(trimmed)) throw new Error(`viewer does not list locale ${locale} where expected`);
    trimmed = trimmed.replace(entry, "");
  }
  return trimmed;
}
