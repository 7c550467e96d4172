import { constants, inflateRawSync, inflateSync } from "node:zlib";
import type { Inflate } from "../../shared/dicom/reading/parse-file.ts";

/** Inflates a deflated data set with zlib. */
export const inflateDataSet: Inflate = (deflated, { isWrapped, maxBytes }) => {
  try {
    return (isWrapped ? inflateSync : inflateRawSync)(deflated, { maxOutputLength: maxBytes });
  } catch (error) {
    const { code, errno } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") return "too_large";
    if (errno === constants.Z_BUF_ERROR || errno === constants.Z_DATA_ERROR) return "damaged";
    throw error;
  }
};
