import type { IslandName } from "../../shared/islands.ts";
import type { Locale } from "../../shared/locale.ts";
import { type AssetSource, serveAsset } from "./assets.ts";

/** PNGs: the product's mark, by its side in pixels; the picture of the home page; the preview image of links to this service. */
export interface Marks {
  png32: string;
  /** Without rounded corners, as are all images that platforms crop themselves. */
  apple180: string;
  png192: string;
  png512: string;
  maskable512: string;
  storage: string;
  cards: Record<Locale, string>;
}

/** What a client build reports to the HTML shell. All are absolute paths under `/assets/`. */
export interface ClientGraph {
  entry: string;
  styles: string[];
  /** The fonts that the first paint needs. */
  fonts: string[];
  icon: string;
  marks: Marks;
  /** All modules that an island loads before it can be drawn, the entry's own chunks included; of a link's page its viewer's too. */
  islands: Record<IslandName, string[]>;
  /** All modules of our own viewer, those that it shares with the page included. */
  visor: string[];
  /** The catalogues of the entry page. */
  locales: Record<Locale, string>;
  /** The additional catalogues of `/his`. */
  hisLocales: Record<Locale, string>;
}

/** The name of the graph among a build's assets. */
export const clientGraphName = "graph.json";

/** @throws if the source is not a client build */
export async function readClientGraph(assets: AssetSource): Promise<ClientGraph> {
  const asset = assets.get(clientGraphName);
  if (!asset) throw new Error("the client's assets hold no graph: it was not built");
  const stored = serveAsset(new Request(`http://build/${clientGraphName}`), asset);
  return (await stored.json()) as ClientGraph;
}
