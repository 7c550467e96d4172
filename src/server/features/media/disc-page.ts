import { type AssetSource, readAsset } from "../../render/assets.ts";

const DISC_PAGE = /^disc-page-\w+\.html$/;

/** The visor as one piece of HTML, which opens from a disc; empty where the client was not built. */
export async function readDiscPage(assets: Pick<AssetSource, "get" | "paths">): Promise<Uint8Array> {
  const path = assets.paths().find((name) => DISC_PAGE.test(name));
  const asset = path === undefined ? undefined : assets.get(path);
  return (asset && (await readAsset(asset))) ?? new Uint8Array();
}
