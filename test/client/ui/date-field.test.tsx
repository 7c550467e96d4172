import "../../support/client/dom-globals.ts";
import { describe, expect, spyOn, test } from "bun:test";
import { useState } from "react";
import { DateField } from "../../../src/client/ui/date-field.tsx";
import type { Locale } from "../../../src/shared/locale.ts";
import { act, screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

let held: string;

function Held({ initial }: { initial: string }) {
  const [value, setValue] = useState(initial);
  held = value;
  return <DateField label="Data" value={value} onValueChange={setValue} />;
}

async function show(initial: string, locale: Locale) {
  await renderClient(<Held initial={initial} />, locale);
  return screen.getByLabelText<HTMLInputElement>("Data");
}

describe("a date field", () => {
  test("shows and accepts the date in the order of the product's language, whatever the browser's", async () => {
    const input = await show("2026-03-14", "pt-BR");
    expect(input.value).toBe("14-03-2026");
    expect(input.placeholder).toBe("dd-mm-aaaa");
    const user = userEvent.setup();
    await user.clear(input);
    await user.type(input, "5/4/2026");
    expect(held).toBe("2026-04-05");
    expect(input.value).toBe("5/4/2026");
    await user.tab();
    expect(input.value).toBe("05-04-2026");
  });

  test("has the month first in English", async () => {
    const input = await show("2026-03-14", "en-US");
    expect(input.value).toBe("03/14/2026");
    expect(input.placeholder).toBe("mm/dd/yyyy");
  });

  test("explains the format of an invalid date on blur, and keeps the typed text", async () => {
    const input = await show("", "pt-BR");
    const user = userEvent.setup();
    await user.type(input, "31/02/26");
    expect(screen.queryByText("Escreva a data como dd-mm-aaaa")).toBeNull();
    await user.tab();
    expect(screen.getByText("Escreva a data como dd-mm-aaaa")).toBeTruthy();
    expect(input.getAttribute("aria-invalid")).toBe("true");
    expect(input.value).toBe("31-02-26");
    await user.clear(input);
    await act(async () => input.blur());
    expect(held).toBe("");
    expect(screen.queryByText("Escreva a data como dd-mm-aaaa")).toBeNull();
  });

  test("says of a day that the calendar does not have that there is no such day", async () => {
    const input = await show("", "pt-BR");
    const user = userEvent.setup();
    await user.type(input, "31022026");
    await user.tab();
    expect(screen.getByText("Esse dia não existe")).toBeTruthy();
    expect(input.getAttribute("aria-invalid")).toBe("true");
    expect(input.value).toBe("31-02-2026");
  });

  test("is the same on touch, in the order of the lists, and puts in the separators that a phone's number keys lack", async () => {
    const matchMedia = spyOn(window, "matchMedia");
    matchMedia.mockImplementation(
      (media) =>
        ({
          ...new EventTarget(),
          media,
          matches: true,
          addEventListener() {},
          removeEventListener() {},
        }) as never,
    );
    const input = await show("2026-03-14", "pt-BR");
    expect([input.type, input.value]).toEqual(["text", "14-03-2026"]);
    const user = userEvent.setup();
    await user.clear(input);
    await user.type(input, "05042026");
    expect([input.value, held]).toEqual(["05-04-2026", "2026-04-05"]);
    await user.type(input, "{Backspace}{Backspace}{Backspace}{Backspace}{Backspace}");
    expect(input.value).toBe("05-04");
    matchMedia.mockRestore();
  });
});
