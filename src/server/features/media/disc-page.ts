import { type Asset, type AssetSource, readAsset } from "../../render/assets.ts";

const DISC_PAGE = /^disc-page-\w+\.html$/;

/** It has four megabytes, which all media that are sent share. */
const read = new WeakMap<Asset, Uint8Array>();

/** The visor as one piece of HTML, which opens from a disc; empty where the client was not built. */
export async function readDiscPage(assets: Pick<AssetSource, "get" | "paths">): Promise<Uint8Array> {
  const path = assets.paths().find((name) => DISC_PAGE.test(name));
  const asset = path === undefined ? undefined : assets.get(path);
  if (!asset) return new Uint8Array();
  const page = read.get(asset) ?? (await readAsset(asset));
  read.set(asset, page);
  return page;
}
