/** From 0 (too short to be accepted) to 4 (strong). It is only a hint: the length is the only rule. */
export type PasswordStrength = 0 | 1 | 2 | 3 | 4;

const MINIMUM_LENGTH = 6;
const MAXIMUM_LENGTH_LOOKED_AT = 128;
const GUESSED_FIRST = /senha|password|qwert|asdf|admin|exame|brasil|mudar|abc|12345|54321|1q2w/i;

/** Estimates from length, kinds of characters, repeats and well-known words how long guessing would take. */
export function passwordStrength(password: string): PasswordStrength {
  if (password.length < MINIMUM_LENGTH) return 0;
  const text = password.slice(0, MAXIMUM_LENGTH_LOOKED_AT);
  const bits = effectiveLength(text) * Math.log2(alphabetSize(text));
  const estimate = GUESSED_FIRST.test(text) ? bits - 30 : bits;
  if (estimate < 32) return 1;
  if (estimate < 48) return 2;
  return estimate < 66 ? 3 : 4;
}

function alphabetSize(text: string): number {
  const kinds: [RegExp, number][] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[0-9]/, 10],
    [/[^a-zA-Z0-9]/, 33],
  ];
  return kinds.reduce((size, [pattern, count]) => size + (pattern.test(text) ? count : 0), 0);
}

/** A character counts a third if it repeats the one before it or follows it in a sequence. */
function effectiveLength(text: string): number {
  let length = 1;
  for (let index = 1; index < text.length; index++) {
    const step = Math.abs(text.charCodeAt(index) - text.charCodeAt(index - 1));
    length += step <= 1 ? 1 / 3 : 1;
  }
  return length;
}
