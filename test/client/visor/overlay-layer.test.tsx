import "../../support/client/dom-globals.ts";
import { afterEach, expect, test } from "bun:test";
import { useState } from "react";
import { type BulkDataReader, SourceUnreadable } from "../../../src/client/visor/core/source.ts";
import type { Slice } from "../../../src/client/visor/core/stacks.ts";
import { OverlayLayer } from "../../../src/client/visor/view/overlay-layer.tsx";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { act, cleanup, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { until } from "../../support/until.ts";

withDom();
afterEach(cleanup);

const us = (value: number) => ({ vr: "US", Value: [value] });
const METADATA: DicomJson = {
  "60000010": us(8),
  "60000011": us(8),
  "60003000": { vr: "OW", BulkDataURI: "instances/1/bulkdata/60003000" },
};
const slices = [0, 1].map(
  (frameIndex) => ({ key: `1/${frameIndex}`, sopInstanceUID: "1", frameIndex, metadata: METADATA }) as Slice,
);

function TwoFrames({ read }: { read: BulkDataReader }) {
  const [at, setAt] = useState(0);
  return (
    <>
      <button type="button" onClick={() => setAt(1)}>
        +
      </button>
      <OverlayLayer
        slice={slices[at] as Slice}
        image={{ rows: 8, columns: 8 }}
        placement={{ a: 0.5, b: 0, c: 0, d: 0.5, e: 10, f: 20 }}
        read={read}
      />
    </>
  );
}

const canvas = () => document.querySelector<HTMLCanvasElement>(".visor-overlays canvas");
const said = () => document.querySelector(".visor-cut")?.textContent;

test("an overlay lies as the picture does, and is read once for all frames of a film", async () => {
  let asked = 0;
  const read = async () => {
    asked++;
    return new Uint8Array(8).fill(255);
  };
  await renderClient(<TwoFrames read={read} />);
  await until(() => canvas() !== null);
  expect(canvas()?.style.transform.replaceAll(" ", "")).toBe("matrix(1,0,0,1,10,20)");
  expect(canvas()?.width).toBe(4);
  await act(async () => document.querySelector("button")?.click());
  expect(canvas()).not.toBeNull();
  await Bun.sleep(200);
  expect(asked).toBe(1);
});

test("an overlay that did not arrive is missed aloud, and one that nobody can read is not", async () => {
  await renderClient(<TwoFrames read={() => Promise.reject(new TypeError("answer 503"))} />);
  await until(() => said() === "As anotações desta imagem não chegaram");
  cleanup();
  await renderClient(<TwoFrames read={() => Promise.reject(new SourceUnreadable())} />);
  await Bun.sleep(200);
  expect([said(), canvas()]).toEqual([undefined, null]);
});
