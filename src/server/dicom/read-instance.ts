import type { ByteSource, ReadInstance } from "../../shared/dicom/reading/instance.ts";
import {
  type ReadInstanceOptions,
  readInstance as readWith,
} from "../../shared/dicom/reading/read-instance.ts";
import { inflateDataSet } from "./inflate-data-set.ts";

/** Reads one file as `shared/dicom/reading` does, deflated data sets included. Throws only what the source throws. */
export function readInstance(source: ByteSource, options?: ReadInstanceOptions): ReadInstance {
  return readWith(source, inflateDataSet, options);
}
