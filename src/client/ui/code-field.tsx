import { useLingui } from "@lingui/react/macro";
import { type ClipboardEvent, Fragment, type KeyboardEvent, useRef } from "react";

export const CODE_LENGTH = 6;
const places = [0, 1, 2, 3, 4, 5] as const;

interface CodeFieldProps {
  legend: string;
  /** One entry per box; an empty text is an empty box. */
  digits: readonly string[];
  onDigitsChange: (digits: string[]) => void;
  invalid?: boolean;
}

export const emptyCode: readonly string[] = places.map(() => "");

/** Six boxes of one digit each, in two groups. Typing moves forward, Backspace moves back, a pasted code fills all boxes. */
export function CodeField({ legend, digits, onDigitsChange, invalid }: CodeFieldProps) {
  const { t } = useLingui();
  const boxes = useRef<(HTMLInputElement | null)[]>([]);
  const digitLabel = (number: number) => t({ id: "field.code.digit", message: `Digit ${number}` });
  const focus = (place: number) => boxes.current[Math.min(place, CODE_LENGTH - 1)]?.focus();

  /** Fills digits in from box `place` on. A code that the browser fills in arrives complete in the first box. */
  const put = (place: number, text: string) => {
    const typed = text.replace(/\D/g, "").slice(0, CODE_LENGTH - place);
    if (typed === "") return;
    onDigitsChange(digits.map((digit, i) => typed[i - place] ?? digit));
    focus(place + typed.length);
  };
  const change = (place: number, text: string) => {
    if (text === "") onDigitsChange(digits.with(place, ""));
    // A second digit in a full box replaces the first, on either side of the caret.
    else put(place, text.length === 2 ? text.replace(digits[place] ?? "", "") || text : text);
  };
  const keyDown = (place: number, event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Backspace" && digits[place] === "" && place > 0) {
      event.preventDefault();
      onDigitsChange(digits.with(place - 1, ""));
      focus(place - 1);
    } else if (event.key === "ArrowLeft" && place > 0) {
      event.preventDefault();
      focus(place - 1);
    } else if (event.key === "ArrowRight") {
      event.preventDefault();
      focus(place + 1);
    }
  };
  const paste = (place: number, event: ClipboardEvent<HTMLInputElement>) => {
    event.preventDefault();
    const text = event.clipboardData.getData("text").replace(/\D/g, "");
    // A complete code fills all the boxes, wherever the caret is.
    put(text.length >= CODE_LENGTH ? 0 : place, text);
  };

  return (
    <fieldset className="code">
      <legend className="sr-only">{legend}</legend>
      {places.map((place) => (
        <Fragment key={place}>
          {place === CODE_LENGTH / 2 && <span className="code-gap" aria-hidden="true" />}
          <input
            ref={(element) => {
              boxes.current[place] = element;
            }}
            className="code-box"
            aria-label={digitLabel(place + 1)}
            aria-invalid={invalid || undefined}
            inputMode="numeric"
            autoComplete={place === 0 ? "one-time-code" : "off"}
            value={digits[place] ?? ""}
            onChange={({ target }) => change(place, target.value)}
            onKeyDown={(event) => keyDown(place, event)}
            onPaste={(event) => paste(place, event)}
            onFocus={({ target }) => target.select()}
          />
        </Fragment>
      ))}
    </fieldset>
  );
}
