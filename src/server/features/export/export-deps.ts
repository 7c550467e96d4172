import type { Deps } from "../../deps.ts";
import type { ObjectDeps } from "../../holdings/reading/open-object.ts";
import type { AssetSource } from "../../render/assets.ts";

export type ExportDeps = ObjectDeps & Pick<Deps, "config" | "series"> & { assets: AssetSource };
