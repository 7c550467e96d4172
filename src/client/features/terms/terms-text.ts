import type { Locale } from "../../../shared/locale.ts";

const files: Record<Locale, () => Promise<{ default: string }>> = {
  "pt-BR": () => import("../../../../locales/pt-BR/terms.md", { with: { type: "text" } }),
  "en-US": () => import("../../../../locales/en-US/terms.md", { with: { type: "text" } }),
};

/** A part of the terms: its heading, and what it says, one text a point. */
export interface TermsPart {
  heading: string;
  points: string[];
}

/** The terms of use as `locales/{locale}/terms.md` has them. */
export async function loadTerms(locale: Locale): Promise<TermsPart[]> {
  const { default: text } = await files[locale]();
  return parseTerms(text);
}

/** Reads `## heading` and `- point` lines; any other line is a point as well, so that nothing gets lost. */
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
