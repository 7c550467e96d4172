const JIS_ROWS = 94;
const ESCAPE_JIS = [0x1b, 0x24, 0x42];
const ESCAPE_ASCII = [0x1b, 0x28, 0x42];

export type CharacterSet = "ISO_IR 100" | "ISO_IR 192" | "ISO 2022 IR 87";

/** The values of Specific Character Set (0008,0005). */
export function characterSetValue(characterSet: CharacterSet): readonly string[] {
  return characterSet === "ISO 2022 IR 87" ? ["", "ISO 2022 IR 87"] : [characterSet];
}

/**
 * An encoder for text with code extensions (PS3.5 §6.1.2.5), or nothing for the sets the writer knows.
 * What neither ASCII nor JIS X 0208 can say loses its accents.
 */
export function textEncoderFor(
  characterSet: CharacterSet,
): ((vr: string, text: string) => Uint8Array | undefined) | undefined {
  if (characterSet !== "ISO 2022 IR 87") return undefined;
  const codes = jisCodes();
  return (vr, text) => (/^(PN|LO|SH|LT|ST|UT|UC)$/.test(vr) ? encodeJis(text, codes) : undefined);
}

/** JIS X 0208 by character, read back from the runtime's own EUC-JP decoder. */
function jisCodes(): Map<string, readonly [number, number]> {
  const decoder = new TextDecoder("euc-jp");
  const codes = new Map<string, readonly [number, number]>();
  for (let row = 1; row <= JIS_ROWS; row++) {
    for (let cell = 1; cell <= JIS_ROWS; cell++) {
      const character = decoder.decode(Uint8Array.of(0xa0 + row, 0xa0 + cell));
      if (character !== "\ufffd" && !codes.has(character)) codes.set(character, [0x20 + row, 0x20 + cell]);
    }
  }
  return codes;
}

function encodeJis(text: string, codes: Map<string, readonly [number, number]>): Uint8Array {
  const bytes: number[] = [];
  let shifted = false;
  const shift = (wanted: boolean): void => {
    if (shifted !== wanted) bytes.push(...(wanted ? ESCAPE_JIS : ESCAPE_ASCII));
    shifted = wanted;
  };
  for (const character of text.normalize("NFC")) {
    const ascii = character.normalize("NFD").codePointAt(0) ?? 0x3f;
    const code = ascii < 0x80 ? undefined : codes.get(character);
    shift(code !== undefined);
    if (code) bytes.push(...code);
    else bytes.push(ascii < 0x80 ? ascii : 0x3f);
  }
  // Every component ends in ASCII, because the delimiters ^ and = are ASCII.
  shift(false);
  return Uint8Array.from(bytes);
}
