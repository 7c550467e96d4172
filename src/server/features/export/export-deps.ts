import type { Deps } from "../../deps.ts";
import type { AssetSource } from "../../render/assets.ts";
import type { ReceiptDeps } from "../receipts/make-receipt.ts";

export type ExportDeps = ReceiptDeps & Pick<Deps, "config"> & { assets: AssetSource };
