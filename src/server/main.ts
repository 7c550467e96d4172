import { join } from "node:path";
import { run } from "./cli/run.ts";
import { folderAssets } from "./render/assets.ts";

/** The program run from source: built assets are in `dist`, PostgreSQL is among the installed packages. */
const root = join(import.meta.dir, "../..");
const dist = join(root, "dist");

run(
  {
    assets: () => ({
      client: folderAssets(join(dist, "client")),
      viewer: folderAssets(join(dist, "viewer")),
    }),
    licenses: async () => {
      const notices = Bun.file(join(dist, "executable/THIRD-PARTY-NOTICES.txt"));
      const others = (await notices.exists())
        ? await notices.text()
        : "\nThe licences of the packages lie beside them in node_modules; `bun run build` collects them.\n";
      return (await Bun.file(join(root, "LICENSE")).text()) + others;
    },
  },
  process.argv.slice(2),
).then((code) => process.exit(code));
