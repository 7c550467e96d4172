import type { Notice } from "./notices.ts";

/** Licences that only require their text to be included. The product contains no package under any other licence. */
const PERMISSIVE = new Set([
  "0BSD",
  "Apache-2.0",
  "Apache-2.0 WITH LLVM-exception",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BSL-1.0",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ICU",
  "IJG",
  "ISC",
  "MIT",
  "MIT-0",
  "OFL-1.1",
  "OpenSSL",
  "PostgreSQL",
  "Public-Domain",
  "Unlicense",
  "WTFPL",
  "Zlib",
]);

/** Finds packages that name one licence and bring the text of another. */
const COPYLEFT_HEADING =
  /^\W*(GNU (AFFERO |LESSER |LIBRARY )?GENERAL PUBLIC LICENSE|Server Side Public License)/im;

/** @throws if the licence is not a permissive one, or its text is missing or a copyleft licence's */
export function assertMayShip({ packages, license, text }: Notice): void {
  const names = packages.join(", ");
  if (text.trim() === "") throw new Error(`no licence text: ${names}`);
  if (!isPermissive(license)) throw new Error(`licence "${license}" may not ship: ${names}`);
  // A package with a choice of two licences may bring both texts.
  if (!/\bOR\b/.test(license) && COPYLEFT_HEADING.test(text)) throw new Error(`copyleft text: ${names}`);
}

/** An SPDX expression without nesting: `A`, `(A OR B)`, `A AND B`. */
function isPermissive(expression: string): boolean {
  const flat = expression.replace(/^\((.*)\)$/, "$1");
  if (/[()]/.test(flat)) return false;
  return flat.split(" OR ").some((choice) => choice.split(" AND ").every((name) => PERMISSIVE.has(name)));
}
