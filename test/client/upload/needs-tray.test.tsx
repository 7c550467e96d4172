import "../../support/client/dom-globals.ts";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { useQuery } from "@tanstack/react-query";
import { accountUploadsQuery } from "../../../src/client/features/upload/tray/account-uploads.ts";
import { useNeedsTray } from "../../../src/client/features/upload/tray/use-needs-tray.ts";
import { act, screen, withDom } from "../../support/client/dom.ts";
import { answerCalls, helena, renderView } from "../../support/client/render-view.tsx";

withDom();

let idle: (() => void)[];
beforeEach(() => {
  idle = [];
  Object.assign(globalThis, {
    requestIdleCallback: (run: () => void) => idle.push(run),
    cancelIdleCallback() {},
  });
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, "requestIdleCallback");
  Reflect.deleteProperty(globalThis, "cancelIdleCallback");
});

function Probe() {
  const needsTray = useNeedsTray();
  const { data } = useQuery({ ...accountUploadsQuery(helena.id), enabled: false });
  return `${needsTray ? "the tray" : "no tray"}${data ? ", answered" : ""}`;
}

const upload = (state: string) => ({
  ...{ id: "u1", filename: "u1.zip", sizeBytes: 1000, offset: 420, state },
  createdAt: "2026-10-22T12:00:00.000Z",
  expiresAt: "2026-10-29T12:00:00.000Z",
});

test("a browser that sent nothing yet shows what another one sends, once its page is idle", async () => {
  const calls = answerCalls({ "GET /api/uploads": () => Response.json([upload("receiving")]) });
  await renderView(<Probe />);
  expect(screen.getByText("no tray")).toBeTruthy();
  expect(calls).toEqual([]);
  await act(async () => {
    for (const run of idle) run();
  });
  await screen.findByText("the tray, answered");
});

test("uploads that ended need no tray", async () => {
  const calls = answerCalls({ "GET /api/uploads": () => Response.json([upload("done"), upload("failed")]) });
  await renderView(<Probe />);
  await act(async () => {
    for (const run of idle) run();
  });
  expect(calls).toEqual(["GET /api/uploads"]);
  await screen.findByText(/, answered/);
  expect(screen.getByText("no tray, answered")).toBeTruthy();
});
