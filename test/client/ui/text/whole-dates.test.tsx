import "../../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { Trans } from "@lingui/react";
import { activateLocale } from "../../../../src/client/i18n.ts";
import { IslandRoot } from "../../../../src/client/island-root.tsx";
import { dayText } from "../../../../src/client/ui/text/moment-text.ts";
import { render, screen, withDom } from "../../../support/client/dom.ts";

withDom();

for (const [locale, parts] of [
  ["pt-BR", ["A contagem de ações recomeça em ", "23-12-2026", "."]],
  ["en-US", ["The count of actions starts again on ", "23-Dec-2026", "."]],
] as const) {
  test(`a date inside a sentence stays in one line (${locale})`, async () => {
    await activateLocale(locale);
    const day = dayText("2026-12-23T12:00:00.000Z");
    render(
      <IslandRoot onReady={() => {}}>
        <p role="note">
          <Trans id="subscription.reset" values={{ day }} />
        </p>
      </IslandRoot>,
    );
    const note = screen.getByRole("note");
    expect(note.textContent).toBe(parts.join(""));
    // One part of a flexible row, not three.
    expect(note.childNodes).toHaveLength(1);
    expect([...note.querySelectorAll(".whitespace-nowrap")].map(({ textContent }) => textContent)).toEqual([
      parts[1],
    ]);
  });
}
