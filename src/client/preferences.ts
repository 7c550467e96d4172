import { atom } from "jotai";
import { firstLocale, type Locale, pickLocale } from "../shared/locale.ts";
import { activateLocale } from "./i18n.ts";
import { localStore } from "./runtime/browser-storage.ts";

export type Theme = "dark" | "light";
export type MenuPosition = "sidebar" | "topbar";

// The shell's inline script reads the same keys before the first paint (render/early-preferences.ts).
const KEYS = {
  language: "language",
  theme: "theme",
  menuPosition: "menuPosition",
  viewer: "viewer",
} as const;

/** The chosen language; before a choice, the browser's. */
export function readLanguage(): Locale {
  const chosen = localStore.read(KEYS.language);
  return chosen ? pickLocale(chosen) : firstLocale(navigator.languages);
}

export function readTheme(): Theme {
  return localStore.read(KEYS.theme) === "light" ? "light" : "dark";
}

export function readMenuPosition(): MenuPosition {
  return localStore.read(KEYS.menuPosition) === "topbar" ? "topbar" : "sidebar";
}

/** What opens the images of an exam: our own viewer or OHIF. */
export type ViewerChoice = "visor" | "ohif";

/** The chosen viewer; undefined before a choice. */
function readViewerChoice(): ViewerChoice | undefined {
  const chosen = localStore.read(KEYS.viewer);
  return chosen === "visor" || chosen === "ohif" ? chosen : undefined;
}

const languageState = atom<Locale>(readLanguage());
const themeState = atom<Theme>(readTheme());
const menuPositionState = atom<MenuPosition>(readMenuPosition());

/** Writing loads the new catalogue first, so that no screen is half translated. */
export const languageAtom = atom(
  (get) => get(languageState),
  async (_get, set, language: Locale) => {
    await activateLocale(language);
    localStore.write(KEYS.language, language);
    set(languageState, language);
  },
);

export const themeAtom = atom(
  (get) => get(themeState),
  (_get, set, theme: Theme) => {
    document.documentElement.dataset.theme = theme;
    localStore.write(KEYS.theme, theme);
    set(themeState, theme);
  },
);

export const menuPositionAtom = atom(
  (get) => get(menuPositionState),
  (_get, set, position: MenuPosition) => {
    document.documentElement.dataset.menu = position;
    localStore.write(KEYS.menuPosition, position);
    set(menuPositionState, position);
  },
);

const viewerState = atom<ViewerChoice | undefined>(readViewerChoice());

export const viewerChoiceAtom = atom(
  (get) => get(viewerState),
  (_get, set, choice: ViewerChoice) => {
    localStore.write(KEYS.viewer, choice);
    set(viewerState, choice);
  },
);
