import "./runtime/older-browsers.ts";
import { setNonce } from "get-nonce";
import { type ComponentType, createElement, startTransition } from "react";
import { createRoot, type Root } from "react-dom/client";
import * as z from "zod/mini";
import { isIslandName, islandSchemas } from "../shared/islands.ts";
import { activateLocale } from "./i18n.ts";
import { IslandRoot } from "./island-root.tsx";
import { islandLoaders } from "./islands.ts";
import { provideIslands } from "./open-island.ts";
import { readLanguage } from "./preferences.ts";
import { pageNonce } from "./runtime/page-nonce.ts";
import { restoreSession } from "./session.ts";

// The page's policy requires both: Radix puts the nonce on the styles it inserts, and zod compiles no functions.
const nonce = pageNonce();
if (nonce) setNonce(nonce);
z.config({ jitless: true });

if (process.env.NODE_ENV === "development") {
  const { reloadOnRebuild } = await import("./runtime/reload-on-rebuild.ts");
  void reloadOnRebuild();
}

restoreSession();
const roots = new Set<Root>();
provideIslands(async (place, address) => {
  const mount = await loadIsland(place);
  for (const root of roots) root.unmount();
  roots.clear();
  document.body.replaceChildren(place);
  history.replaceState(null, "", address);
  mount();
});
const localeActive = activateLocale(readLanguage());
for (const element of document.querySelectorAll<HTMLElement>("[data-island]")) {
  mountIsland(element).catch((error: unknown) => {
    // The server's HTML stays and says what to do.
    element.dataset.failed = "";
    console.error("island", element.dataset.island, error);
  });
}

async function mountIsland(element: HTMLElement): Promise<void> {
  const mount = await loadIsland(element);
  mount();
}

/** Loads the code of an element's island. Returns what shows it. */
async function loadIsland(element: HTMLElement): Promise<() => void> {
  const name = element.dataset.island;
  if (!isIslandName(name)) throw new Error("unknown island");
  const props = islandSchemas[name].parse(JSON.parse(element.dataset.props ?? "{}"));
  const [island] = await Promise.all([islandLoaders[name](), localeActive]);
  const onReady = () => {
    element.dataset.ready = "";
  };
  // The schema of `name` has just checked the props of `name`'s component; the union can't say that.
  const content = createElement(island.default as ComponentType<typeof props>, props);
  return () => {
    const root = createRoot(element);
    roots.add(root);
    // Hydrates in slices, so that a phone responds to touch meanwhile.
    startTransition(() => root.render(createElement(IslandRoot, { onReady }, content)));
  };
}
