import type { ByteSource } from "../../shared/dicom/reading/instance.ts";
import {
  type OpenFile,
  type ParseOptions,
  parseFile as parseWith,
} from "../../shared/dicom/reading/parse-file.ts";
import { inflateDataSet } from "./inflate-data-set.ts";

/** Parses a DICOM file as `shared/dicom/reading` does, deflated data sets included. @throws {Unreadable} */
export function parseFile(source: ByteSource, options?: ParseOptions): OpenFile {
  return parseWith(source, inflateDataSet, options);
}
