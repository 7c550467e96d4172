/**
 * Returns the part of a PN value that lists show: the part before the first `^` of its first non-empty form, or null if
 * that is empty. The ideographic or phonetic form replaces a missing alphabetic one.
 */
export function shortPersonName(pn: string): string | null {
  const [familyName = ""] = firstForm(pn).split("^");
  return familyName.trim() || null;
}

/** Returns a PN value in spoken order: prefix, given, middle, family name, suffix (PS3.5 §6.2.1.1); null if all are empty. */
export function fullPersonName(pn: string): string | null {
  const [family, given, middle, prefix, suffix] = firstForm(pn)
    .split("^")
    .map((component) => component.trim());
  return [prefix, given, middle, family, suffix].filter(Boolean).join(" ") || null;
}

/** The forms of a PN value that are not empty, each in spoken order: the alphabetic, the ideographic, the phonetic one. */
export function personNameForms(pn: string): string[] {
  return pn.split("=").flatMap((form) => fullPersonName(form) ?? []);
}

/** The first non-empty form of `alphabetic=ideographic=phonetic`. */
function firstForm(pn: string): string {
  return pn.split("=").find((form) => /[^\s^\0]/.test(form)) ?? "";
}
