import "../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { useLingui } from "@lingui/react";
import { i18n } from "../../src/client/i18n.ts";
import { screen, withDom } from "../support/client/dom.ts";
import { renderClient } from "../support/client/render-client.tsx";

withDom();

function Named({ name }: { name: string }) {
  const { _ } = useLingui();
  return (
    <button type="button" aria-label={_("tokens.endNamed", { name })}>
      {i18n._({ id: "tokens.renewNamed", values: { name } })}
    </button>
  );
}

test.each([
  "\\u003cb/\\u003e",
  "C:\\x41na\\",
  "\\\\u0041",
  "{name} '{0}' <b/> &lt; {0, plural, one {#} other {#}}",
])("labels and toasts show a name as it is written, also %s", async (name) => {
  await renderClient(<Named name={name} />);
  const button = screen.getByRole("button");
  expect(button.getAttribute("aria-label")).toBe(`Revogar o token ${name}`);
  expect(button.textContent).toBe(`Renovar o token ${name}`);
});
