/**
 * What lists show of a PN value: the part before the first `^` of its first written form; null where that is
 * empty. Ideographic or phonetic forms stand in where there is no alphabetic one.
 */
export function shortPersonName(pn: string): string | null {
  const [familyName = ""] = firstForm(pn).split("^");
  return familyName.trim() || null;
}

/**
 * A PN value as it is spoken: prefix, given, middle, family name, suffix (PS3.5 §6.2.1.1); null where all are
 * empty.
 */
export function fullPersonName(pn: string): string | null {
  const [family, given, middle, prefix, suffix] = firstForm(pn)
    .split("^")
    .map((component) => component.trim());
  return [prefix, given, middle, family, suffix].filter(Boolean).join(" ") || null;
}

/** Of `alphabetic=ideographic=phonetic` the first that says something. */
function firstForm(pn: string): string {
  return pn.split("=").find((form) => /[^\s^\0]/.test(form)) ?? "";
}
