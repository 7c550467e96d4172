import "../../support/client/dom-globals.ts";
import { afterEach, expect, test } from "bun:test";
import { useRef, useState } from "react";
import { type BulkDataReader, SourceUnreadable } from "../../../src/client/visor/core/source.ts";
import type { Slice } from "../../../src/client/visor/core/stacks.ts";
import { OverlayLayer } from "../../../src/client/visor/view/overlay-layer.tsx";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { act, cleanup, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { until } from "../../support/until.ts";

withDom();
afterEach(cleanup);

const us = (value: number) => ({ vr: "US", Value: [value] });
const METADATA: DicomJson = {
  [TagHex.Rows]: us(8),
  [TagHex.Columns]: us(8),
  "60000010": us(8),
  "60000011": us(8),
  "60003000": { vr: "OW", BulkDataURI: "instances/1/bulkdata/60003000" },
};
const slicesOf = (metadata: DicomJson) =>
  [0, 1].map(
    (frameIndex) => ({ key: `1/${frameIndex}`, sopInstanceUID: "1", frameIndex, metadata }) as Slice,
  );

function TwoFrames({ read, metadata = METADATA }: { read: BulkDataReader; metadata?: DicomJson }) {
  const [at, setAt] = useState(0);
  const [slices] = useState(() => slicesOf(metadata));
  const canvasOfLayer = useRef<HTMLCanvasElement>(null);
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
        canvas={canvasOfLayer}
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
  await until(() => canvas()?.width === 4);
  expect(canvas()?.style.transform.replaceAll(" ", "")).toBe("matrix(1,0,0,1,10,20)");
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

test("of two overlays the one that arrived is seen, and the other one is missed aloud", async () => {
  const second = Object.entries(METADATA).map(([tag, element]) => [tag.replace("6000", "6002"), element]);
  const metadata = { ...METADATA, ...Object.fromEntries(second) };
  const read: BulkDataReader = async (_, { tag }) => {
    if (tag === "60023000") throw new TypeError("answer 503");
    return new Uint8Array(8).fill(255);
  };
  await renderClient(<TwoFrames read={read} metadata={metadata} />);
  await until(() => canvas() !== null && said() === "As anotações desta imagem não chegaram");
});

test("an overlay is not laid over a stream of another size than its image declares, which is said", async () => {
  const read = async () => new Uint8Array(8).fill(255);
  await renderClient(<TwoFrames read={read} metadata={{ ...METADATA, [TagHex.Rows]: us(16) }} />);
  await until(() => said() === "As anotações desta imagem não cabem nela e não são mostradas");
  await Bun.sleep(200);
  expect(canvas()).toBeNull();
});

test("overlays that do not all fit into memory are missed aloud", async () => {
  const metadata = Object.fromEntries([
    ...Object.entries(METADATA),
    ...[0, 2, 4, 6, 8].flatMap((group) => [
      [`600${group}0010`, us(8_000)],
      [`600${group}0011`, us(8_000)],
      [`600${group}3000`, METADATA["60003000"]],
    ]),
  ]);
  const read = async () => new Uint8Array(8_000_000).fill(255);
  await renderClient(<TwoFrames read={read} metadata={metadata} />);
  await until(() => canvas() !== null && said() === "As anotações desta imagem não chegaram");
});
