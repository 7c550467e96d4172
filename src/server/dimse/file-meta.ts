import { PREAMBLE_BYTES } from "../../shared/dicom/instance-start.ts";
import type { Implementation } from "./pdu.ts";

/** What File Meta Information says of an instance that came over the network. */
export interface FileMeta {
  sopClassUID: string;
  sopInstanceUID: string;
  transferSyntaxUID: string;
  /** The AE title of the sender. */
  sourceAETitle: string;
  implementation: Implementation;
}

const GROUP = 0x0002;

/** Preamble, prefix and File Meta Information (PS3.10 §7.1): what stands before a data set to make it a file. */
export function encodeFileMeta(meta: FileMeta): Buffer {
  const { sopClassUID, sopInstanceUID, transferSyntaxUID, sourceAETitle, implementation } = meta;
  const elements = Buffer.concat([
    // Version 1 of the header; OB has a length of four bytes.
    Buffer.from([0x02, 0x00, 0x01, 0x00, 0x4f, 0x42, 0, 0, 2, 0, 0, 0, 0, 1]),
    text(0x0002, "UI", sopClassUID),
    text(0x0003, "UI", sopInstanceUID),
    text(0x0010, "UI", transferSyntaxUID),
    text(0x0012, "UI", implementation.classUID),
    text(0x0013, "SH", implementation.versionName),
    text(0x0016, "AE", sourceAETitle),
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(elements.length);
  return Buffer.concat([
    Buffer.alloc(PREAMBLE_BYTES),
    Buffer.from("DICM"),
    element(0x0000, "UL", length),
    elements,
  ]);
}

function text(number: number, vr: "UI" | "SH" | "AE", value: string): Buffer {
  const padding = vr === "UI" ? "\0" : " ";
  return element(number, vr, Buffer.from(value.length % 2 === 0 ? value : value + padding, "latin1"));
}

function element(number: number, vr: string, value: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16LE(GROUP, 0);
  head.writeUInt16LE(number, 2);
  head.write(vr, 4, "latin1");
  head.writeUInt16LE(value.length, 6);
  return Buffer.concat([head, value]);
}
