import "../../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Button } from "../../../../src/client/ui/button.tsx";
import { Checkbox } from "../../../../src/client/ui/checkbox.tsx";
import { useKeptFocus } from "../../../../src/client/ui/hooks/use-kept-focus.ts";
import { act, screen, userEvent, waitFor, withDom } from "../../../support/client/dom.ts";
import { renderClient } from "../../../support/client/render-client.tsx";

withDom();

const user = userEvent.setup();
const focusedId = () => document.activeElement?.id;

let goOn: () => void;

function Steps() {
  const place = useRef<HTMLElement>(null);
  const focus = useKeptFocus(place);
  const [step, setStep] = useState(1);
  goOn = () => setStep(step + 1);
  return (
    <>
      <main id="place" ref={place} {...focus}>
        <button type="button" key={step} onClick={() => setStep(step + 1)}>
          {`Step ${step}`}
        </button>
        {step === 1 && createPortal(<button type="button">In a dialog</button>, document.body)}
      </main>
      <button type="button" id="beside" onClick={() => setStep(step + 1)}>
        Beside
      </button>
    </>
  );
}

describe("the focus of what goes", () => {
  test("is given to the place that it was in, each time", async () => {
    await renderClient(<Steps />);
    for (const step of [1, 2]) {
      await user.click(screen.getByRole("button", { name: `Step ${step}` }));
      await waitFor(() => expect(focusedId()).toBe("place"));
    }
  });

  test("is not taken from what has it", async () => {
    await renderClient(<Steps />);
    screen.getByRole("button", { name: "Step 1" }).focus();
    await user.click(screen.getByRole("button", { name: "Beside" }));
    await screen.findByRole("button", { name: "Step 2" });
    expect(focusedId()).toBe("beside");
  });

  /** Goes to the next step without a click, and waits until the place has seen it. */
  async function goOnByItself(): Promise<void> {
    await act(async () => goOn());
    await screen.findByRole("button", { name: "Step 2" });
    await Promise.resolve();
  }

  test("is not fetched back from where a click has put it", async () => {
    await renderClient(<Steps />);
    const button = screen.getByRole("button", { name: "Step 1" });
    button.focus();
    button.blur();
    await goOnByItself();
    expect(document.activeElement?.tagName).toBe("BODY");
  });

  test("is left to a dialog to return", async () => {
    await renderClient(<Steps />);
    screen.getByRole("button", { name: "In a dialog" }).focus();
    await goOnByItself();
    expect(document.activeElement?.tagName).toBe("BODY");
  });
});

let finish: () => void;

function Work() {
  const [isBusy, setBusy] = useState(false);
  finish = () => setBusy(false);
  return (
    <>
      <Button id="save" disabled={isBusy} onClick={() => setBusy(true)}>
        Save
      </Button>
      <Checkbox label="Box" checked={isBusy} disabled={isBusy} onCheckedChange={setBusy} />
      <button type="button" id="other">
        Other
      </button>
    </>
  );
}

describe("a control that is disabled while it works", () => {
  const other = () => screen.getByRole("button", { name: "Other" });

  /** Presses it by a key; Chromium takes the focus from what is disabled, and our DOM does not. */
  async function press(role: "button" | "checkbox", key: string): Promise<HTMLElement> {
    await renderClient(<Work />);
    const control = screen.getByRole<HTMLButtonElement>(role, { name: /Save|Box/ });
    control.focus();
    await user.keyboard(key);
    expect(control.disabled).toBe(true);
    other().focus();
    other().blur();
    return control;
  }

  test.each([
    ["button", "{Enter}"],
    ["checkbox", " "],
  ] as const)("has the focus again after it (%s)", async (role, key) => {
    const control = await press(role, key);
    expect(document.activeElement?.tagName).toBe("BODY");
    await act(async () => finish());
    expect(document.activeElement).toBe(control);
  });

  test("leaves it to what has taken it meanwhile", async () => {
    await press("button", "{Enter}");
    other().focus();
    await act(async () => finish());
    expect(focusedId()).toBe("other");
  });
});
