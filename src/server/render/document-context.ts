import type { Locale } from "../../shared/locale.ts";
import type { ClientGraph } from "./client-graph.ts";

/** What every document is made with. */
export interface DocumentContext {
  graph: ClientGraph;
  nonce: string;
  productName: string;
  publicUrl: string;
  /** That the browser asks for: what is read by programs is in it, as no script runs there. */
  locale: Locale;
}
