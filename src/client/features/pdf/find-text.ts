import { countHits, foldQuery, foldWithPlaces } from "./folded-text.ts";

/** The part of a PDF document that a search needs. */
export interface Searchable {
  numPages: number;
  getPage(number: number): Promise<{
    getTextContent(options: { includeMarkedContent: true }): Promise<{ items: readonly object[] }>;
  }>;
}

/** How often the words occur on a page (counted from 1); pages without hits are skipped. */
export interface PageHits {
  page: number;
  count: number;
}

const MAX_SEARCHED_PAGES = 2_000;
const MAX_KEPT_CHARACTERS = 8_000_000;

/** Finds words in a PDF, page by page; each page's text is read only once. */
export class TextFinder {
  #pdf: Searchable;
  #kept = new Map<number, string>();
  #keptCharacters = 0;

  constructor(pdf: Searchable) {
    this.#pdf = pdf;
  }

  /** Whether the document is too long to be searched to its end. */
  get isPartial(): boolean {
    return this.#pdf.numPages > MAX_SEARCHED_PAGES;
  }

  /**
   * Yields the pages with the words, beginning at `from` and wrapping round at the end. Case and accents don't matter.
   * Searches at most 2,000 pages.
   */
  async *find(words: string, from: number, signal: AbortSignal): AsyncGenerator<PageHits> {
    const wanted = foldQuery(words);
    if (wanted === "") return;
    const { numPages } = this.#pdf;
    for (let step = 0; step < Math.min(numPages, MAX_SEARCHED_PAGES); step++) {
      const page = ((from - 1 + step) % numPages) + 1;
      const count = countHits(await this.#textOf(page), wanted);
      signal.throwIfAborted();
      if (count > 0) yield { page, count };
    }
  }

  async #textOf(number: number): Promise<string> {
    const kept = this.#kept.get(number);
    if (kept !== undefined) return kept;
    const page = await this.#pdf.getPage(number);
    const { items } = await page.getTextContent({ includeMarkedContent: true });
    const { text } = foldWithPlaces(items.map(itemText).join(""));
    if (this.#keptCharacters + text.length <= MAX_KEPT_CHARACTERS) {
      this.#kept.set(number, text);
      this.#keptCharacters += text.length;
    }
    return text;
  }
}

/** Spaces between items are items too; only the end of a line is a flag on its item. */
function itemText(item: object): string {
  if (!("str" in item)) return "";
  return "hasEOL" in item && item.hasEOL ? `${item.str}\n` : String(item.str);
}
