import { fold } from "../../../shared/fold.ts";

/** As much of a PDF as a search needs. */
export interface Searchable {
  numPages: number;
  getPage(number: number): Promise<{
    getTextContent(): Promise<{ items: readonly object[] }>;
  }>;
}

const MAX_SEARCHED_PAGES = 2_000;

/**
 * The first page (counted from 1) after `after` whose text holds the words, going round to the start; case and
 * accents don't matter. Looks at no more than 2,000 pages.
 */
export async function findText(
  pdf: Searchable,
  words: string,
  after: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const wanted = fold(words);
  if (!wanted) return undefined;
  const count = Math.min(pdf.numPages, MAX_SEARCHED_PAGES);
  for (let step = 0; step < count; step++) {
    signal.throwIfAborted();
    const number = ((after + step) % pdf.numPages) + 1;
    if (fold(await textOf(pdf, number)).includes(wanted)) return number;
  }
  return undefined;
}

async function textOf(pdf: Searchable, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  return items.map((item) => ("str" in item ? String(item.str) : "")).join(" ");
}
