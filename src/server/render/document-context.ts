import type { Locale } from "../../shared/locale.ts";
import type { ClientGraph } from "./client-graph.ts";

/** The context in which every document is made. */
export interface DocumentContext {
  graph: ClientGraph;
  nonce: string;
  productName: string;
  publicUrl: string;
  /** The language that the browser requests: texts for programs are written in it, because no script runs there. */
  locale: Locale;
}
