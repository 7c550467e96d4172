import { parseDicom } from "dicom-parser";

export interface FoundRecord {
  type: string;
  file: string;
  uid: string;
  text: string[];
  lower: FoundRecord[];
}

/** Follows the offsets of a DICOMDIR, as readers do. */
export function recordsOf(bytes: Uint8Array): FoundRecord[] {
  const dataSet = parseDicom(bytes);
  const items = dataSet.elements.x00041220?.items ?? [];
  const byOffset = new Map(items.map((item) => [(item.dataOffset ?? 0) - 8, item.dataSet]));
  const from = (offset: number): FoundRecord[] => {
    const record = byOffset.get(offset);
    if (offset === 0) return [];
    if (!record) throw new Error(`no record at ${offset}`);
    const decoder = new TextDecoder(record.string("x00080005") === "ISO_IR 192" ? "utf-8" : "latin1");
    const texts = ["x00100010", "x00081030", "x00420010"].flatMap((tag) => {
      const element = record.elements[tag];
      if (!element) return [];
      return [decoder.decode(bytes.subarray(element.dataOffset, element.dataOffset + element.length)).trim()];
    });
    return [
      {
        type: record.string("x00041430") ?? "",
        file: (record.string("x00041500") ?? "").replaceAll("\\", "/"),
        uid: record.string("x00041511") ?? "",
        text: texts,
        lower: from(record.uint32("x00041420") ?? 0),
      },
      ...from(record.uint32("x00041400") ?? 0),
    ];
  };
  return from(dataSet.uint32("x00041200") ?? 0);
}

/** The records that name a file. */
export function leavesOf(records: FoundRecord[]): FoundRecord[] {
  return records.flatMap((record) => (record.file === "" ? leavesOf(record.lower) : [record]));
}
