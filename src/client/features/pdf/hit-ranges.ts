import { findHits } from "./folded-text.ts";

/** The ranges of a page's hits in its text layer, in text order. */
export function hitRanges(layer: HTMLElement, wanted: string): Range[] {
  const { text, nodes } = readLayer(layer);
  return findHits(text, wanted).flatMap(({ start, end }) => {
    const from = nodeAt(nodes, start);
    const to = nodeAt(nodes, end - 1);
    if (!from || !to) return [];
    const range = document.createRange();
    range.setStart(from.node, start - from.start);
    range.setEnd(to.node, Math.min(end - to.start, to.node.data.length));
    return [range];
  });
}

interface LayerNode {
  node: Text;
  /** Offset in the layer's text. */
  start: number;
}

/** The text of a layer as `TextFinder` reads the page: a `br` ends a line. */
function readLayer(layer: HTMLElement): { text: string; nodes: LayerNode[] } {
  const nodes: LayerNode[] = [];
  let text = "";
  const walker = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof Text) {
      nodes.push({ node, start: text.length });
      text += node.data;
    } else if (node.nodeName === "BR") text += "\n";
  }
  return { text, nodes };
}

function nodeAt(nodes: readonly LayerNode[], place: number): LayerNode | undefined {
  return nodes.findLast(({ start }) => start <= place);
}
