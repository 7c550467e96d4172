import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { BunPlugin } from "bun";

const root = resolve(import.meta.dir, "../..");

/** Leaves out of the client's catalogues what only the server says: mails, and errors that come with their text. */
export const cataloguePlugin: BunPlugin = {
  name: "client-catalogue",
  setup(build) {
    const onServer = sourcesUnder("src/server");
    const onClient = sourcesUnder("src/client") + sourcesUnder("src/shared");
    build.onLoad({ filter: /[\\/]locales[\\/][\w-]+[\\/]messages\.ts$/ }, async ({ path }) => {
      const { messages } = (await import(path)) as { messages: Record<string, unknown> };
      const said = Object.entries(messages).filter(
        ([id]) => onClient.includes(`"${id}"`) || !onServer.includes(`"${id}"`),
      );
      const text = JSON.stringify(JSON.stringify(Object.fromEntries(said)));
      return { contents: `export const messages = JSON.parse(${text});`, loader: "js" };
    });
  },
};

function sourcesUnder(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}
