import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import type { DraftSource } from "../../../src/client/features/upload/draft/draft-state.ts";
import { ReadingCard } from "../../../src/client/features/upload/draft/reading-card.tsx";
import { screen, withDom } from "../../support/client/dom.ts";
import { renderView } from "../../support/client/render-view.tsx";

withDom();

test("a screen reader hears what the percentage of the reading is about", async () => {
  const source: DraftSource = {
    ...{ id: "s1", kind: "zip", name: "exame.zip", sizeBytes: 1_000, read: undefined },
    picked: { kind: "zip", file: new File([], "exame.zip") },
  };
  const reading = { id: "s1", total: 120, loaded: 70, studies: 1, films: new Map() };
  await renderView(<ReadingCard waiting={[source]} reading={reading} exams={0} onCancel={() => undefined} />);
  expect(screen.getByRole("status").textContent).toBe("Olhando o que há dentro 50%");
});
