import type { Locale } from "../../../shared/locale.ts";

const files: Record<Locale, () => Promise<{ default: string }>> = {
  "pt-BR": () => import("../../../../locales/pt-BR/terms.md", { with: { type: "text" } }),
  "en-US": () => import("../../../../locales/en-US/terms.md", { with: { type: "text" } }),
};

/** A section of the terms: its heading, and one text per point. */
export interface TermsPart {
  heading: string;
  points: string[];
}

/** The terms of use from `locales/{locale}/terms.md`. */
export async function loadTerms(locale: Locale): Promise<TermsPart[]> {
  const { default: text } = await files[locale]();
  return parseTerms(text);
}

/** Reads `## heading` and `- point` lines; any other line counts as a point, so that nothing is lost. */
export function parseTerms(text: string): TermsPart[] {
  const parts: TermsPart[] = [];
  for (const line of text.split("\n").map((raw) => raw.trim())) {
    const [, heading] = /^#+\s*(.+)$/.exec(line) ?? [];
    if (heading) parts.push({ heading, points: [] });
    else if (line !== "") {
      if (parts.length === 0) parts.push({ heading: "", points: [] });
      parts.at(-1)?.points.push(line.replace(/^[-*]\s+/, ""));
    }
  }
  return parts;
}
