import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { useEffect, useRef } from "react";
import { useHitHighlights } from "../../../src/client/features/pdf/use-hit-highlights.ts";
import { render, withDom } from "../../support/client/dom.ts";

withDom();

class SomeRanges extends Set<Range> {
  priority = 0;
  constructor(...ranges: Range[]) {
    super(ranges);
  }
}

function define(values: object): void {
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(globalThis, name, { value, configurable: true });
}

/** As WebKit 2.50 paints: what was once registered, and then taken out or replaced, goes on being seen. */
function paintAsWebKit(): () => string[] {
  const registered = new Set<SomeRanges>();
  const highlights = { set: (_: string, one: SomeRanges) => registered.add(one), delete: () => true };
  define({ Highlight: SomeRanges, CSS: { highlights } });
  return () => [...registered].flatMap((one) => [...one].map(String));
}

function Page({ words }: { words: string }) {
  const desk = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLParagraphElement>(null);
  const report = useHitHighlights(desk, { words, current: { page: 1, index: 1 } });
  useEffect(() => report(0, layer.current ?? undefined), [report]);
  return (
    <div ref={desk}>
      <p ref={layer}>Crânio sem contraste</p>
    </div>
  );
}

test("only what is sought now is marked, also in Safari, which paints a mark that nobody emptied", () => {
  const { CSS } = globalThis;
  const painted = paintAsWebKit();
  try {
    const page = render(<Page words="c" />);
    expect(painted()).toEqual(["C", "c"]);
    page.rerender(<Page words="contraste" />);
    expect(painted()).toEqual(["contraste"]);
    page.unmount();
    expect(painted()).toEqual([]);
  } finally {
    define({ CSS });
    Reflect.deleteProperty(globalThis, "Highlight");
  }
});
