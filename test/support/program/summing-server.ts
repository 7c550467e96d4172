import { join } from "node:path";
import { run } from "../../../src/server/cli/run.ts";
import { folderAssets } from "../../../src/server/render/assets.ts";

/** The program, with resumable uploads of any size summed beside the process that receives them, as otherwise only large ones are. */
const dist = join(import.meta.dir, "../../../dist");

process.exit(
  await run(
    {
      assets: () => ({
        client: folderAssets(join(dist, "client")),
        viewer: folderAssets(join(dist, "viewer")),
      }),
      licenses: async () => "",
      minSummedBytes: 0,
    },
    process.argv.slice(2),
  ),
);
