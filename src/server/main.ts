import { join } from "node:path";
import { run } from "./cli/run.ts";
import { folderAssets } from "./render/assets.ts";

/** The program from source: built assets lie in `dist`, PostgreSQL among the installed packages. */
const dist = join(import.meta.dir, "../../dist");

const code = await run(
  {
    assets: () => ({
      client: folderAssets(join(dist, "client")),
      viewer: folderAssets(join(dist, "viewer")),
    }),
  },
  process.argv.slice(2),
);
process.exit(code);
