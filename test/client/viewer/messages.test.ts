import { describe, expect, test } from "bun:test";
import { readViewerMessage, viewerEvents } from "../../../src/client/viewer/messages.ts";
import { TEXTS } from "../../../src/client/viewer/texts.ts";

describe("a message to a window", () => {
  test.each(viewerEvents)("is understood if it is the viewer's %p", (event) => {
    expect(readViewerMessage({ viewer: event })).toBe(event);
  });

  test("is ignored if it is anything else", () => {
    const others = [
      undefined,
      null,
      "leave",
      7,
      [],
      {},
      { viewer: "open" },
      { viewer: ["leave"] },
      { other: "leave" },
    ];
    expect(others.map(readViewerMessage).filter((event) => event !== undefined)).toEqual([]);
  });
});

test("an image that can't be shown is reported in both languages", () => {
  expect(TEXTS["pt-BR"].imageNotShown).not.toBe(TEXTS["en-US"].imageNotShown);
});
