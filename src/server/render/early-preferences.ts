import type { Locale } from "../../shared/locale.ts";

type ThemeColors = Record<"dark" | "light", string>;

/**
 * Runs in the page before its first paint, so that neither theme nor language flashes, starts the download of the
 * language's catalogues, keeps the title in the page's language, and notices a program that does not come. Its own
 * source text is sent, so it must not refer to anything outside of itself.
 */
function applyPreferences(
  catalogues: Record<Locale, string[]>,
  colors: ThemeColors,
  titles: Record<Locale, string> | null,
): void {
  const root = document.documentElement;
  const read = (key: string) => {
    try {
      return localStorage.getItem(key);
    } catch {
      // Storage is blocked: the defaults stay.
      return null;
    }
  };
  const language = read("language");
  const { languages } = navigator;
  const isPortuguese = language
    ? language.toLowerCase().includes("pt")
    : languages.length === 0 || languages.some((code) => /^pt\b/i.test(code));
  const locale = isPortuguese ? "pt-BR" : "en-US";
  root.lang = locale;
  root.dataset.theme = read("theme") === "light" ? "light" : "dark";
  // What the browser draws around the page follows the theme, now and at every change.
  const tint = () => {
    const color = colors[root.dataset.theme === "light" ? "light" : "dark"];
    document.querySelector("meta[name=theme-color]")?.setAttribute("content", color);
  };
  tint();
  new MutationObserver(tint).observe(root, { attributeFilter: ["data-theme"] });
  root.dataset.menu = read("menuPosition") === "topbar" ? "topbar" : "sidebar";
  for (const href of catalogues[locale]) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = href;
    link.fetchPriority = "low";
    document.head.append(link);
  }
  if (titles) {
    const own = Object.values(titles);
    const entitle = () => {
      // Another page may have been shown in the place of this one.
      if (own.includes(document.title)) document.title = titles[root.lang === "en-US" ? "en-US" : "pt-BR"];
    };
    entitle();
    new MutationObserver(entitle).observe(root, { attributeFilter: ["lang"] });
  }
  // A program that can't be fetched, such as that of another release, can't say so itself: the page's own text does.
  const tell = ({ target }: Event) => {
    if (target instanceof HTMLScriptElement) root.dataset.failed = "";
  };
  addEventListener("error", tell, true);
}

/** The inline script's text; safe inside a `script` element for any paths. */
export function earlyPreferencesScript(
  catalogues: Record<Locale, string[]>,
  colors: ThemeColors,
  titles?: Record<Locale, string>,
): string {
  const values = [catalogues, colors, titles ?? null].map((value) =>
    JSON.stringify(value).replaceAll("<", "\\u003c"),
  );
  return `(${applyPreferences})(${values.join(",")})`;
}
