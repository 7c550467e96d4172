import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { BunPlugin } from "bun";

const root = resolve(import.meta.dir, "../..");
const ENTRY_PAGE = ["src/client/boot.ts", "src/client/features/auth/auth-screen.tsx"];
const OTHER_PAGES = [
  "src/client/features/local-view/local-opening.tsx",
  "src/client/features/frame/his-screen.tsx",
  "src/client/features/verification/verify-screen.tsx",
  "src/client/features/help/help-screen.tsx",
  "src/client/features/visit/visit-screen.tsx",
  "src/client/features/delivery/delivery-screen.tsx",
].map((path) => join(root, path));

/**
 * Makes two catalogues of a language for the client: the texts of the entry page with its forms, and the texts that only other
 * pages use. Texts that only the server says (mails, and errors that come with their text) are in neither.
 */
export const cataloguePlugin: BunPlugin = {
  name: "client-catalogue",
  setup(build) {
    const onServer = quotedIn(sourcesUnder("src/server"));
    const onClient = quotedIn(sourcesUnder("src/client") + sourcesUnder("src/shared"));
    const onEntryPage = quotedIn(sourcesFrom(ENTRY_PAGE.map((path) => join(root, path))));
    const isSaid = (id: string) => onClient.has(id) || !onServer.has(id);
    const isEntry = (id: string) => onEntryPage.has(id);
    build.onLoad({ filter: /[\\/]locales[\\/][\w-]+[\\/]messages\.ts$/ }, async ({ path }) =>
      moduleOf(await messagesOf(path, (id) => isSaid(id) && isEntry(id))),
    );
    build.onLoad({ filter: /[\\/]his-messages\.[\w-]+\.ts$/ }, async ({ path }) => {
      const [, locale = ""] = /his-messages\.([\w-]+)\.ts$/.exec(path) ?? [];
      const whole = join(root, "locales", locale, "messages.ts");
      return moduleOf(await messagesOf(whole, (id) => isSaid(id) && !isEntry(id)));
    });
  },
};

/** A catalogue of each language with the texts that a page of its own uses. */
export function catalogueOf(entry: string): BunPlugin {
  return {
    name: "page-catalogue",
    setup(build) {
      const onPage = quotedIn(sourcesFrom([join(root, entry)], []));
      build.onLoad({ filter: /[\\/]locales[\\/][\w-]+[\\/]messages\.ts$/ }, async ({ path }) =>
        moduleOf(await messagesOf(path, (id) => onPage.has(id))),
      );
      build.onLoad({ filter: /[\\/]his-messages\.[\w-]+\.ts$/ }, () => moduleOf({}));
    },
  };
}

async function messagesOf(path: string, isWanted: (id: string) => boolean): Promise<object> {
  const { messages } = (await import(path)) as { messages: Record<string, unknown> };
  return Object.fromEntries(Object.entries(messages).filter(([id]) => isWanted(id)));
}

function moduleOf(messages: object) {
  const text = JSON.stringify(JSON.stringify(messages));
  return { contents: `export const messages = JSON.parse(${text});`, loader: "js" } as const;
}

/** All that stands between two quotation marks in a line, as ids of messages do. */
function quotedIn(sources: string): Set<string> {
  return new Set(Array.from(sources.matchAll(/"(?=([^"\n]+)")/g), ([, words = ""]) => words));
}

function sourcesUnder(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

/** The given sources and everything that they import, statically or lazily, except other pages. */
function sourcesFrom(paths: string[], others: string[] = OTHER_PAGES): string {
  const texts = new Map<string, string>();
  const waiting = [...paths];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (texts.has(path) || others.includes(path) || !/\.tsx?$/.test(path) || !existsSync(path)) continue;
    const text = readFileSync(path, "utf8");
    texts.set(path, text);
    for (const [, specifier = ""] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']/g)) {
      waiting.push(resolve(dirname(path), specifier));
    }
  }
  return [...texts]
    .filter(([path]) => !path.includes(`${join(root, "locales")}/`))
    .map(([, text]) => text)
    .join("\n");
}
