import { zipSync } from "fflate";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { sampleFile } from "../dicom/dicom-sample.ts";

export interface SampleInstance {
  study?: string;
  series?: string;
  sop?: string;
  instanceNumber?: number;
  elements?: DicomElements;
  name?: string;
}

/** A small instance; UIDs are `2.25.<text>` of the numbers given. */
export function sampleInstance(instance: SampleInstance = {}): Uint8Array {
  const { study = "1", series = "1", sop = "1", instanceNumber = 1, elements = {} } = instance;
  return sampleFile({
    [TagHex.StudyInstanceUID]: { vr: "UI", Value: [studyUID(study)] },
    [TagHex.SeriesInstanceUID]: { vr: "UI", Value: [`2.25.2.${study}.${series}`] },
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.3.${study}.${series}.${sop}`] },
    [TagHex.InstanceNumber]: { vr: "IS", Value: [instanceNumber] },
    ...elements,
  });
}

export function studyUID(study: string): string {
  return `2.25.1.${study}`;
}

/** A ZIP of small instances, named as a disc names them. */
export function sampleZip(...instances: SampleInstance[]): Uint8Array {
  const entries = instances.map(
    (instance, i) => [instance.name ?? `IM${i}`, sampleInstance(instance)] as const,
  );
  return zipSync(Object.fromEntries(entries));
}
