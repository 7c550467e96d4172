import { Trans as LinguiTrans, type TransProps } from "@lingui/react";
import { createElement, Fragment } from "react";

/**
 * What the macro's `Trans` becomes. Lingui looks for a message's elements once its values are in it, so it takes a name such as
 * `<b>Ana</b>` or `<constructor/>` for one, and the page fails. It does not look into a value that is an element.
 */
export function Trans({ values, ...props }: TransProps) {
  // Written as an element, it would be a message without an id to the extractor of messages.
  return createElement(LinguiTrans, { ...props, ...(values && { values: asText(values) }) });
}

function asText(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      mayHoldElement(value) ? createElement(Fragment, null, value) : value,
    ]),
  );
}

function mayHoldElement(value: unknown): value is string {
  return typeof value === "string" && value.includes("<");
}
