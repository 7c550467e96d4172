import type { IslandName } from "../../shared/islands.ts";
import type { Locale } from "../../shared/locale.ts";
import { type AssetSource, serveAsset } from "./assets.ts";

/** The product's mark as PNG, by its side in pixels, and the picture that stands for a link to us. */
export interface Marks {
  png32: string;
  /** Without corners of its own, as are all that a platform cuts out. */
  apple180: string;
  png192: string;
  png512: string;
  maskable512: string;
  cards: Record<Locale, string>;
}

/** What a client build tells the HTML shell. All are absolute paths under `/assets/`. */
export interface ClientGraph {
  entry: string;
  styles: string[];
  /** The font of the first paint. */
  fonts: string[];
  icon: string;
  marks: Marks;
  /** Everything an island loads before it can be drawn, the entry's own chunks included. */
  islands: Record<IslandName, string[]>;
  /** What the entry page says. */
  locales: Record<Locale, string>;
  /** What is said in /his besides. */
  hisLocales: Record<Locale, string>;
}

/** The name under which a build keeps its graph among its assets. */
export const clientGraphName = "graph.json";

/** @throws where the source is no client build */
export async function readClientGraph(assets: AssetSource): Promise<ClientGraph> {
  const asset = assets.get(clientGraphName);
  if (!asset) throw new Error("the client's assets hold no graph: it was not built");
  const stored = serveAsset(new Request(`http://build/${clientGraphName}`), asset);
  return (await stored.json()) as ClientGraph;
}
