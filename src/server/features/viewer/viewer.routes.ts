import { Hono } from "hono";
import type { ViewerAssets } from "./viewer.assets.ts";

/** The image viewer's page and files; mounted at `/viewer`. They need no session, since everything they show needs a token. */
export function createViewerRoutes(assets: ViewerAssets) {
  return new Hono().get("/*", (c) => assets.serve(c.req.raw));
}
