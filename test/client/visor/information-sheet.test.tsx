import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { InformationSheet } from "../../../src/client/visor/view/information-sheet.tsx";
import type { Visor } from "../../../src/client/visor/view/use-visor.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { cleanup, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

async function compressionOf(metadata: DicomJson): Promise<string | null | undefined> {
  const slice = { geometry: {}, sopInstanceUID: "2.25.1", metadata };
  await renderClient(
    <InformationSheet
      visor={{ slice } as unknown as Visor}
      returnTo={{ current: null }}
      onClose={() => undefined}
    >
      {null}
    </InformationSheet>,
  );
  const names = [...document.querySelectorAll(".visor-facts dt")];
  const told = names.find(({ textContent }) => textContent === "Compressão")?.nextSibling?.textContent;
  cleanup();
  return told;
}

/* PS3.3 §C.7.6.1.1.5 */
test("the information says that an image was compressed with losses, and how much", async () => {
  const was = (Value: string[]) => ({ [TagHex.LossyImageCompression]: { vr: "CS", Value } });
  const ratio = (...Value: number[]) => ({ [TagHex.LossyImageCompressionRatio]: { vr: "DS", Value } });
  expect(await compressionOf(was(["01"]))).toBe("com perdas");
  expect(await compressionOf({ ...was(["01"]), ...ratio(12.34) })).toBe("com perdas (12,3:1)");
  expect(await compressionOf({ ...was(["01"]), ...ratio(10, 2) })).toBe("com perdas (10:1, 2:1)");
  expect(await compressionOf({ ...was(["00"]), ...ratio(10) })).toBeUndefined();
  expect(await compressionOf({})).toBeUndefined();
});
